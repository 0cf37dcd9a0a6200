"""Writes a report on the session when it ends or is compacted."""

import os
import time

from hookkit.model import Decision, Event
from hookkit.system import files
from hookkit.transcripts import reader, report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

EVENTS = ("SessionEnd", "PreCompact")
ATTEMPTS = 1_000


def run(event: Event, settings: "Settings") -> Decision | None:
    base = _config(settings.environ)
    if not base or not settings["learn.enabled"]:
        return None
    now = time.gmtime()
    found = reader.of(event)
    with reader.Uncollected():
        text = report.render(event, found, now)
    os.makedirs(base, mode=0o700, exist_ok=True)
    directory = files.private_dir(os.path.join(base, "flow-reports"))
    name = f"{time.strftime('%Y%m%dT%H%M%SZ', now)}-{files.safe_name(event.name)}"
    return Decision(reason=f"wrote {_write(os.path.join(directory, name), text)}")


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
