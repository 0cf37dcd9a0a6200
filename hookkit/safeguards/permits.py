"""Permits: `hookkit allow-once ID` lets a stopped call through, once, within ten minutes.

Every stopped call is noted under a short id. A permit holds the whole digest of the call, so another call with the
same id stays stopped.
"""

import os
import time

from hookkit.errors import HookkitError
from hookkit.ledger import hashing
from hookkit.model import Decision, Event
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MINUTES = 10
SHORT, LONG = 8, 16  # characters of an id; the long id tells two calls with the same short id apart
KEPT = 200  # stopped calls in memory
LIMIT = 64 * 1024
SHOWN = 300  # characters of a call in the note
FOLDER = "stopped"
ABOUT = ("description", "timeout")  # fields of Bash that a model words anew each time


def digest(event: Event) -> str:
    """Tells calls apart: the tool, its input, the directory. Words about a command do not count."""
    given = event.tool_input
    if event.command:
        given = {name: value for name, value in given.items() if name not in ABOUT}
    text = jsons.dumps([event.tool_name, given, event.cwd])
    return hashing.digest(text.encode("utf-8", "surrogatepass"))


class StoppedCall:
    """A call and its note. `row` is the content of the note, if there is one; without a place, `path` is empty."""

    __slots__ = ("digest", "environ", "event", "path", "row")

    def __init__(self, event: Event, environ: dict[str, str]) -> None:
        self.event = event
        self.environ = environ
        self.digest = digest(event)
        self.path = ""
        self.row: dict[str, Any] = {}
        folder = _folder(environ)
        for length in (LONG, SHORT) if folder else ():
            path = os.path.join(folder, self.digest[:length])
            row = _read(path)
            if row is not None and row.get("digest") == self.digest:
                self.path, self.row = path, row
            elif row is None and not self.row:
                self.path = path

    def use(self) -> bool:
        """Whether the person allowed this very call in the last minutes; the permit is used up."""
        if self.row.get("until", 0) <= time.time():
            return False
        try:
            os.unlink(self.path)  # before the call runs: two calls at the same time must not share a permit
        except FileNotFoundError:
            return False
        return True

    def note(self, decision: Decision, rule: str) -> str:
        """Remember the call; return its id, or an empty text without a place for the note."""
        if not self.path:
            return ""
        event, folder = self.event, os.path.dirname(self.path)
        files.private_dir(files.state_dir(self.environ))
        files.private_dir(folder)
        row = {"digest": self.digest, "at": time.time(), "rule": rule, "verdict": decision.verdict, "cwd": event.cwd,
               "tool": event.tool_name, "about": self.row.get("about") or about(event),
               "until": self.row.get("until", 0)}  # fmt: skip
        self.row = row
        files.write(self.path, jsons.dumps(row).encode("utf-8", "backslashreplace"))
        files.keep_newest(folder, KEPT)  # a thousand stopped calls must not fill the disk
        return os.path.basename(self.path)


def give(id_: str, environ: dict[str, str]) -> "dict[str, Any] | None":
    """Allow a stopped call for ten minutes; None for an unknown id."""
    if not id_.isalnum() or not id_.isascii():
        return None
    folder = _folder(environ)
    path = os.path.join(folder, id_) if folder else ""
    known = _read(path) if path else None
    if known is None:
        return None
    known["until"] = time.time() + MINUTES * 60
    files.keep(path, jsons.dumps(known).encode("utf-8", "backslashreplace"))
    return {**known, "id": id_}


def every(environ: dict[str, str]) -> "list[dict[str, Any]]":
    """The stopped calls, newest first."""
    folder = _folder(environ)
    try:
        names = [name for name in os.listdir(folder) if name.isalnum()] if folder else []
    except OSError:
        return []
    found = [{**row, "id": name} for name in names if (row := _read(os.path.join(folder, name)))]
    return sorted(found, key=lambda row: -row.get("at", 0))


def noted(event: Event, environ: dict[str, str]) -> "list[dict[str, Any]]":
    """The stopped calls with the same words and directory; the input of an agent has more fields than a question."""
    wanted = (event.tool_name, about(event), event.cwd)
    return [row for row in every(environ) if (row.get("tool"), row.get("about"), row.get("cwd")) == wanted]


def _folder(environ: dict[str, str]) -> str:
    state = files.state_dir(environ)
    return os.path.join(state, FOLDER) if state else ""


def _read(path: str) -> "dict[str, Any] | None":
    try:
        value = jsons.loads(files.read_own(path, LIMIT))
    except (OSError, HookkitError):
        return None
    if not isinstance(value, dict) or not isinstance(value.setdefault("until", 0), (int, float)):
        return None
    return value


def about(event: Event) -> str:
    """The call in few words, without secrets."""
    from hookkit.masking import mask  # late: a call that is stopped again has these words in its note

    text = event.command or str(event.tool_input.get("file_path") or event.tool_input.get("url") or "")
    return " ".join(mask(text[: SHOWN * 4]).split())[:SHOWN]
