"""Permits: `hookkit allow-once ID` lets a stopped call through, once, within ten minutes.

Every stopped call is noted under a short id. A permit holds the whole digest of the call, so another call with the
same id stays stopped.
"""

import os
import time

from hookkit.errors import HookkitError
from hookkit.ledger import places
from hookkit.model import Decision, Event
from hookkit.programs import words
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookkit.policy.judge import Judge
    from hookkit.settings.layers import Settings


MINUTES = 10
SHORT, LONG = 8, 16  # characters of an id; the long id tells two calls with the same short id apart
KEPT = 200  # stopped calls in memory
LIMIT = 256 * 1024
SHOWN = 300  # characters of a call in a list
LONGEST = 50_000  # characters of a call that a person can be expected to read before a yes
FOLDER = "stopped"
ABOUT = ("description", "timeout")  # fields of Bash that a model words anew each time


def digest(event: Event, environ: dict[str, str]) -> str:
    """Tells calls apart: the tool, its input, the directory. Words about a command do not count."""
    given = event.tool_input
    if event.command:
        given = {name: value for name, value in given.items() if name not in ABOUT}
    text = jsons.dumps([event.tool_name, given, event.cwd])
    return places.keyed(environ, text.encode("utf-8", "surrogatepass"))


class StoppedCall:
    """A call and its note. `row` is the content of the note, if there is one; without a place, `path` is empty."""

    __slots__ = ("digest", "environ", "event", "path", "row")

    def __init__(self, event: Event, environ: dict[str, str]) -> None:
        self.event = event
        self.environ = environ
        self.digest = digest(event, environ)
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
        row = {"digest": self.digest, "rule": rule, "verdict": decision.verdict, "cwd": event.cwd,
               "tool": event.tool_name, "about": self.row.get("about") or about(event),
               "call": self.row.get("call") or _call(event), "until": self.row.get("until", 0)}  # fmt: skip
        if row == self.row:
            os.utime(self.path)  # stopped again: a file system may wait for the disk when a file is replaced
            return os.path.basename(self.path)
        self.row = row
        files.write(self.path, jsons.dumps(row).encode("utf-8", "backslashreplace"))
        files.keep_newest(folder, KEPT)  # a thousand stopped calls must not fill the disk
        return os.path.basename(self.path)


def _call(event: Event) -> str:
    """The whole call, without secrets; empty for a call that is too long to be read."""
    from hookkit.system.masking import text_of_call

    text = text_of_call(event.command or jsons.dumps(event.tool_input))
    return text if len(text) <= LONGEST else ""


def give(id_: str, environ: dict[str, str]) -> "dict[str, Any] | None":
    """Allow a stopped call for ten minutes; None for an unknown id. Raises for a call that nobody could read."""
    if not id_.isalnum() or not id_.isascii():
        return None
    folder = _folder(environ)
    path = os.path.join(folder, id_) if folder else ""
    known = _read(path) if path else None
    if known is None:
        return None
    if not known.get("call"):
        raise HookkitError(f"{id_} is too long to be shown, so nobody can allow it: split the call")
    known["at"] = _stopped_at(path, known)  # the file is as old as the yes from now on
    known["until"] = time.time() + MINUTES * 60
    files.keep(path, jsons.dumps(known).encode("utf-8", "backslashreplace"))
    return {**known, "id": id_}


def every(environ: dict[str, str]) -> "list[dict[str, Any]]":
    """The stopped calls, those that were stopped last first."""
    folder = _folder(environ)
    try:
        names = [name for name in os.listdir(folder) if name.isalnum()] if folder else []
    except OSError:
        return []
    paths = {name: os.path.join(folder, name) for name in names}
    rows = [{**row, "id": name, "at": _stopped_at(path, row)} for name, path in paths.items() if (row := _read(path))]
    return sorted(rows, key=lambda row: -row["at"])


def _stopped_at(path: str, row: "dict[str, Any]") -> float:
    """When the call was stopped: the note is touched each time; a permit says so itself."""
    try:
        return float(row.get("at") or os.stat(path, follow_symlinks=False).st_mtime)
    except OSError:
        return 0.0  # used up meanwhile


def noted(event: Event, environ: dict[str, str]) -> "list[dict[str, Any]]":
    """The stopped calls with the same words and directory; the input of an agent has more fields than a question."""
    wanted = (event.tool_name, about(event), event.cwd)
    return [row for row in every(environ) if (row.get("tool"), row.get("about"), row.get("cwd")) == wanted]


def _folder(environ: dict[str, str]) -> str:
    state = files.state_dir(environ)
    return os.path.join(state, FOLDER) if state else ""


def _read(path: str) -> "dict[str, Any] | None":
    row = jsons.read_own(path, LIMIT)
    return row if row is not None and isinstance(row.setdefault("until", 0), (int, float)) else None


def about(event: Event) -> str:
    """The call in few words, without secrets."""
    from hookkit.system.masking import mask  # late: a call that is stopped again has these words in its note

    text = event.command or str(event.tool_input.get("file_path") or event.tool_input.get("url") or "")
    return " ".join(mask(text[: SHOWN * 4]).split())[:SHOWN]


STOPPED = ("ask", "deny")
SHORT_REASON = 60  # characters of a command in the message
MANAGED = "/etc/hookkit/"
SECRETS = "secrets."  # names of the shipped rules about secrets


def look(event: Event, decision: Decision | None, judge: "Judge", settings: "Settings") -> Decision | None:
    """The verdict of the rules, stricter in a tainted session, and lifted by a permit."""
    environ = settings.environ
    rule = decision.policy_rule if decision is not None else None
    if decision is None or decision.verdict != "deny":
        decision = _tightened(event, decision, judge, settings)
    if decision is None or decision.verdict not in STOPPED:
        return decision
    name = str(rule.get("name", "") if rule else "") or decision.rule
    if name.startswith(SECRETS):
        _expect(event, settings, name, judge)
    if rule and str(rule.get("source", "")).startswith(MANAGED):
        return decision  # the machine's owner decided this: no permit
    stopped = StoppedCall(event, environ)
    if stopped.use():
        allowed = Decision("allow", "allowed once by a person")
        allowed.rule = "allow-once"
        return allowed
    try:
        id_ = stopped.note(decision, name)
    except OSError:
        id_ = ""  # a full disk: no place for a note is no reason to lose the verdict
    decision.permit = id_
    if id_ and event.answers is not None and not _has_dialog(event, decision, settings):
        decision.message = _way_out(stopped, decision, rule, name)
    return decision


def _way_out(stopped: StoppedCall, decision: Decision, rule: "Mapping[str, object] | None", name: str) -> str:
    """What happened, and how to allow the call once, how for good, and how to learn why."""
    by = f" (rule {name})" if name else ""
    ways = [f"To allow it once: hookkit allow {decision.permit}"]
    source = str(rule.get("source", "")) if rule else ""
    if source == "base" and name and not name.startswith("guard."):
        ways.append(f"For good: hookkit set policy.off +{name}")
    elif source.startswith("/"):
        ways.append(f"For good: change the rule in {source}")
    return f"hookkit {_verb(decision)} this call{by}. {'. '.join(ways)}. Why: hookkit why {_quoted(stopped)}"


def _quoted(stopped: StoppedCall) -> str:
    """The call for a command line, if it is short enough to be typed and holds no secret."""
    text = stopped.event.command
    is_plain = bool(text) and len(text) <= SHORT_REASON and stopped.row.get("about") == text
    return words.quoted([text]) if is_plain else "COMMAND"


def _tightened(event: Event, decision: Decision | None, judge: "Judge", settings: "Settings") -> Decision | None:
    """In a tainted session, a call that sends data out is asked about or denied."""
    from hookkit.verdicts import taint  # late: a deny needs no closer look

    environ, mode = settings.environ, "off"
    if taint.is_tainted(event, environ):
        mode = str(settings[taint.RULE])
    tainted = taint.decision(event, judge.call(event), environ, mode) if mode != "off" else None
    return tainted if tainted is not None and _is_stricter(tainted, decision) else decision


def _expect(event: Event, settings: "Settings", rule: str, judge: "Judge") -> None:
    """The call may still run: a person says yes, a denial comes too late, or an agent does not obey the denial."""
    from hookkit.verdicts import (
        seen,  # late: most rules are not about secrets
        taint,
    )

    if settings[taint.RULE] == "off":
        return
    try:
        taint.wait_for(event, settings.environ, rule, seen.written(judge.call(event)))
    except OSError:
        return  # a full disk: no place for a note is no reason to lose the verdict


def _is_stricter(decision: Decision, other: Decision | None) -> bool:
    return other is None or other.verdict != "ask" or decision.verdict == "deny"


def _has_dialog(event: Event, decision: Decision, settings: "Settings") -> bool:
    """Claude Code asks the person, and shows a message only after the answer: too late to be of use."""
    is_asked = decision.verdict == "ask" and not settings["policy.unattended"]
    return is_asked and event.agent == "claude" and event.is_attended(settings.environ)


def _verb(decision: Decision) -> str:
    return "stopped" if decision.verdict == "deny" else "asks about"
