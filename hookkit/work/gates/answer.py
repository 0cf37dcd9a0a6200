"""Asks all gates of an event and joins their answers: the agent is held back for every reason at once, or may stop.

Holding the agent back must never trap it, so holds are counted, in small files. The client resets its own count as soon
as a tool is used, and loses it at a restart.
"""

import errno
import os
import re
import time

from hookkit import events, registry
from hookkit.errors import HookkitError
from hookkit.model import Decision, Event
from hookkit.system import clipping, error_log, files, jsons, user_programs
from hookkit.system.user_programs import Deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.policy.rules import Rule
    from hookkit.settings.layers import Settings

# The gates of each event, in the order in which they are asked.
GATES = {
    "Stop": ("promise", "checks", "approval", "commit"),
    "SubagentStop": ("artefacts", "checks", "approval"),
    "TaskCompleted": ("checks", "approval"),
}
MOST = 8  # holds in a row: the client ends the turn itself at the ninth
LET_GO = "hookkit: the agent was held back {row} times in a row, the limit, so this stop passes without a check."
OWN = {"SubagentStop": "agent_id", "TaskCompleted": "task_id"}  # the field with the id of the sub-agent or task
LIMIT = 64 * 1024  # bytes of a file of counts
SECONDS = 2.0  # to wait for the lock
PREFIX = "gate-"
REMEMBERED = 64  # reasons, as checksums
VERDICTS = "verdicts"  # the name of a file with verdicts on sub-agents
MOST_VERDICTS = 20  # that wait


def answer(event: Event, settings: "Settings") -> Decision | None:
    """A gate that cannot count, or is broken, must let the agent stop: otherwise the agent never could."""
    state = GateState(event, settings)
    try:
        decision = _combined(state) if state.limit else None
        if decision is not None and decision.message and not events.EVENTS[event.name].message:
            error_log.record(settings.environ, f"gate {event.name}", HookkitError(decision.message))
    except (OSError, HookkitError) as error:
        return Decision(message=f"hookkit: the gates let go: {getattr(error, 'strerror', None) or error}")
    return decision


def _combined(state: "GateState") -> Decision | None:
    row = state.row()
    if row >= state.limit:
        state.count(is_held=False)
        return Decision(message=LET_GO.format(row=row))
    gates = [registry.find("work/gates", name) for name in GATES[state.event.name]]
    decisions = [gate.run(state) for gate in gates]
    decision = together([answer for answer in decisions if answer is not None])
    is_held = decision is not None and decision.verdict == "deny"
    state.count(is_held=is_held)
    if decision is not None and not is_held:
        keep(state.event, state.settings.environ, decision.message)
    return decision


def together(decisions: list[Decision]) -> Decision | None:
    """All reasons and all messages, without repeats."""
    reasons = dict.fromkeys(decision.reason for decision in decisions if decision.verdict == "deny")
    messages = dict.fromkeys(decision.message for decision in decisions if decision.message)
    if not (reasons or messages):
        return None
    return Decision("deny" if reasons else None, clipping.clip("\n\n".join(reasons)), message="\n".join(messages))


class GateState:
    __slots__ = ("deadline", "event", "limit", "name", "settings")

    def __init__(self, event: Event, settings: "Settings") -> None:
        self.event = event
        self.settings = settings
        limit = user_programs.time_limit(event.name, settings.environ)
        self.deadline = Deadline(limit)  # one for all checks of this stop
        self.limit = min(int(settings["gate.blocks"]), MOST)
        self.name = (event.name, event.session_id, event.text(OWN.get(event.name, "")))

    @property
    def counts(self) -> "CountsFile":
        return CountsFile(self.settings.environ, *self.name)

    def row(self) -> int:
        """Holds in a row. A new prompt of the person starts a new row, and so does a stop that passed.

        An agent that was held before, with no counts on disk, has lost its counts: the limit counts as reached.
        """
        prompt = self.event.text("prompt_id")
        with self.counts as counter:
            if not counter and self.event.fields.get("stop_hook_active") is True:
                counter["row"] = self.limit
            elif prompt and counter.get("prompt") != prompt:
                counter["row"] = 0
            counter["prompt"] = prompt
            return number(counter, "row")

    def blocks(self) -> int:
        with self.counts as counter:
            return number(counter, "blocks")

    def count(self, *, is_held: bool) -> None:
        with self.counts as counter:
            counter["row"] = number(counter, "row") + 1 if is_held else 0
            counter["blocks"] = number(counter, "blocks") + is_held

    def hold(self, gate: str, most: int, reason: str, otherwise: str) -> Decision:
        """Hold the agent back with a new reason, at most `most` times; otherwise only tell the person."""
        with self.counts as counter:
            may = may_hold(counter, gate, most, key(reason, self.settings.environ))
        return Decision("deny", reason) if may else Decision(message=otherwise)

    def forget(self, gate: str) -> None:
        with self.counts as counter:
            forget(counter, gate)

    def rules(self, kind: str) -> "list[Rule]":
        """The rules of a type for exactly this event: a rule for Stop is not about sub-agents."""
        if not self.settings.is_due(kind, self.event.name):
            return []
        from hookkit.policy.judge import Judge
        from hookkit.policy.rules import moment

        rules = Judge(self.settings.policy, self.settings.environ).due(kind, self.event)
        return [rule for rule in rules if moment(rule) == self.event.name]


# -- counts ------------------------------------------------------------------------------------------------------------


class CountsFile:
    """`with CountsFile(environ, name) as counts:` gives the counts as a dict; changes are saved at the end."""

    __slots__ = ("counts", "directory", "lock", "path")

    def __init__(self, environ: dict[str, str], *name: str) -> None:
        state = files.state_dir(environ)
        if not state:
            raise FileNotFoundError("there is no home")
        self.directory = files.private_dir(os.path.join(files.private_dir(state), "gates"))
        self.path = os.path.join(self.directory, PREFIX + files.safe_name("-".join(name)))
        self.counts: dict[str, Any] = {}
        self.lock = -1

    def __enter__(self) -> "dict[str, Any]":
        self.lock = _locked(os.path.join(self.directory, ".lock"))
        self.counts = jsons.read_own(self.path, LIMIT) or {}
        return self.counts

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                is_new = not os.path.lexists(self.path)
                files.write(self.path, jsons.dumps(self.counts).encode())
                if is_new:
                    files.prune(self.directory, time.time(), prefix=PREFIX)
        finally:
            os.close(self.lock)


def _locked(path: str) -> int:
    """The lock as an open file; closing the file releases the lock. A process that hangs must not hang the hook."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    if not files.lock(handle, SECONDS):
        os.close(handle)
        raise BlockingIOError(errno.EAGAIN, "in use by another process")
    return handle


def number(counts: "dict[str, Any]", name: str) -> int:
    value = counts.get(name)
    return value if isinstance(value, int) else 0


def may_hold(counts: "dict[str, Any]", gate: str, most: int, words: str) -> bool:
    """Whether this gate may hold the agent back again, with a reason that is new; True is counted."""
    held, held_sums = number(counts, f"{gate}.held"), counts.get(f"{gate}.said")
    held_sums = held_sums if isinstance(held_sums, list) else []
    sum_ = files.checksum(words.encode("utf-8", "surrogatepass"))
    if held >= most or sum_ in held_sums:
        return False
    counts[f"{gate}.held"] = held + 1
    counts[f"{gate}.said"] = [*held_sums, sum_][-REMEMBERED:]
    return True


def forget(counts: "dict[str, Any]", gate: str) -> None:
    for name in (f"{gate}.held", f"{gate}.said"):
        counts.pop(name, None)


# -- verdicts on sub-agents, told to the main agent later --------------------------------------------------------------


def keep(event: Event, environ: dict[str, str], text: str) -> None:
    """A later verdict on the same sub-agent replaces an earlier verdict."""
    agent = event.text("agent_id")
    if not text or not event.session_id or not agent:
        return
    with CountsFile(environ, VERDICTS, event.session_id) as notes:
        notes.pop(agent, None)
        while len(notes) >= MOST_VERDICTS:
            notes.pop(next(iter(notes)))
        notes[agent] = text


def take(event: Event, settings: "Settings") -> Decision | None:
    """All verdicts that wait for this session, each told once."""
    try:
        counts = CountsFile(settings.environ, VERDICTS, event.session_id)
        if not event.session_id or not _has_text(counts.path):
            return None
        with counts as notes:
            texts = [text for text in notes.values() if isinstance(text, str)]
            notes.clear()
    except OSError:
        return None  # no place for verdicts: none was kept
    return Decision(context=clipping.clip("\n".join(texts)), reason="the verdict on a sub-agent") if texts else None


def _has_text(path: str) -> bool:
    """Mostly no verdict waits: then no lock is taken."""
    try:
        return os.stat(path).st_size > len("{}")
    except OSError:
        return False


# -- which failures are the same ---------------------------------------------------------------------------------------


NUMBER = r"(?<![\d,.])\d[\d,]*(?:\.\d+)?"  # from its first digit on, so the time is linear in the text
DURATION = rf"{NUMBER} ?(?:ns|[uµμ]s|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)"
SIZE = rf"{NUMBER} ?(?:[kKMGT]i?B|[kKMGT]|B|bytes?|octets)(?:/s(?:ec)?)?"
TEMPORARY = r"/(?:tmp|var/tmp|private/tmp|private/var/folders|var/folders|run/user|dev/shm)/[^\s'\":,)\]>]*"
# One row for each kind of value that changes from run to run; the first row that fits a place wins.
VALUES = (
    TEMPORARY,
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?",  # 2026-11-17T22:18:29Z
    r"\d{1,2}:\d\d:\d\d(?:[.,]\d+)?",  # 22:18:29
    rf"(?:{DURATION})(?: ?{DURATION})*(?![\w%])",  # 1m 23.4s
    rf"{SIZE}(?![\w%])",
    r"\b0x[0-9a-fA-F]+",
)
CHANGING = re.compile("|".join(f"(?:{value})" for value in VALUES))


def key(text: str, environ: dict[str, str]) -> str:
    """The text with a mark in place of every changing value."""
    scratch = environ.get("TMPDIR", "").rstrip("/")
    if len(scratch) > 1:
        text = re.sub(re.escape(scratch) + r"/[^\s'\":,)\]>]*", "#", text)
    return CHANGING.sub("#", text)
