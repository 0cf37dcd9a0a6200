"""Writes a report on the session when it ends or is compacted."""

import os
import time

from hookkit.agents.transcripts import reader, report
from hookkit.model import Decision, Event
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

EVENTS = ("SessionEnd", "PreCompact")
ATTEMPTS = 1_000
KEPT = 200  # reports
AGE = 90 * 86_400  # seconds that a report is kept


def run(event: Event, settings: "Settings") -> Decision | None:
    base = _config(settings.environ)
    if not base or not settings["learn.enabled"]:
        return None
    now = time.gmtime()
    transcript = reader.transcript_of(event)
    with reader.Uncollected():
        text = report.render(event, transcript, now)
    files.make_private(base)
    place = files.private_dir(directory(settings.environ))
    name = f"{time.strftime('%Y%m%dT%H%M%SZ', now)}-{files.safe_name(event.name)}"
    path = _write(os.path.join(place, name), text)
    _delete_old(place, time.time())
    return Decision(reason=f"wrote {path}")


def is_cold(event: Event, settings: "Settings") -> bool:
    """Whether a process of its own should read the transcript."""
    return event.name in EVENTS and bool(settings["learn.enabled"]) and reader.is_large(event)


def directory(environ: dict[str, str]) -> str:
    """The directory of the reports."""
    return os.path.join(_config(environ), "flow-reports")


def _delete_old(place: str, now: float) -> None:
    """Keep the newest reports, and none older than AGE. Files that hookkit did not write stay."""
    with os.scandir(place) as entries:
        ours = [entry for entry in entries if _is_report(entry.name)]
        newest = sorted(((entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in ours), reverse=True)
    for written, path in [*newest[KEPT:], *(row for row in newest[:KEPT] if now - row[0] > AGE)]:
        if os.path.isfile(path) and not os.path.islink(path) and written < now:
            os.unlink(path)


def _is_report(name: str) -> bool:
    stamp, _, rest = name.partition("-")
    return len(stamp) == len("20260101T000000Z") and stamp[8:9] == "T" and rest.endswith(".md")


def _config(environ: dict[str, str]) -> str:
    """The client's own directory. It may be a symlink; directories created in it may not."""
    given = environ.get("CLAUDE_CONFIG_DIR", "")
    if os.path.isabs(given):
        return given
    home = files.home(environ)
    return os.path.join(home, ".claude") if home else ""


def _write(base: str, text: str) -> str:
    """Never overwrites a report: a number is added to a taken name."""
    for number in range(1, ATTEMPTS):
        path = f"{base}-{number}.md" if number > 1 else f"{base}.md"
        if files.create(path, text.encode()):
            return path
    raise FileExistsError(base)
