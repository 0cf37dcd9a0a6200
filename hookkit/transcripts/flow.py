"""Patterns in the calls of a session (retries, repeats, edits), for the report and the restore note."""

from hookkit.transcripts.entries import text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookkit.transcripts.entries import ToolUse
    from hookkit.transcripts.reader import Transcript

TRIMMERS = ("tail", "head", "cat", "less")  # after a pipe they only trim the output
CLOSED = ("completed", "deleted")


class Retry:
    """The same command, or the same tool on the same file, called again after a failure."""

    __slots__ = ("calls", "what")

    def __init__(self, what: str, calls: "list[ToolUse]") -> None:
        self.what = what  # the command, or the tool's file
        self.calls = calls

    @property
    def tool(self) -> str:
        """The tool's name; empty for a command."""
        return "" if self.calls[0].command else self.calls[0].name

    @property
    def failures(self) -> int:
        return sum(call.failed for call in self.calls)

    @property
    def passed(self) -> bool:
        return not self.calls[-1].failed

    @property
    def error(self) -> str:
        return next(call.error for call in self.calls if call.failed)


def seconds(start: str, end: str) -> int:
    """Seconds between two timestamps of the client; 0 if either cannot be read."""
    from datetime import datetime

    try:
        first, last = (datetime.fromisoformat(at[:19]) for at in (start, end))  # always UTC; older Pythons refuse its Z
    except ValueError:
        return 0
    return max(0, round((last - first).total_seconds()))


def core(command: str) -> str:
    """The command without trimming of its output: `pytest -q 2>&1 | tail -5` counts as `pytest -q`."""
    parts = " ".join(command.split()).split(" | ")
    while len(parts) > 1 and parts[-1].split(" ", 1)[0] in TRIMMERS:
        parts.pop()
    return " | ".join(parts).removesuffix(" 2>&1")


class Flow:
    """Counts over the calls of a session, in one pass: there may be a hundred thousand calls.

    `tools` are rows of name, calls and failures; `commands` and `edits` of name and count; all with the most first.
    """

    __slots__ = ("commands", "edits", "retries", "tools")

    def __init__(self, calls: "Iterable[ToolUse]") -> None:
        cores: dict[str, str] = {}
        tools: dict[str, list[int]] = {}
        groups: dict[tuple[str, str], list[ToolUse]] = {}
        for call in calls:
            count = tools.setdefault(call.name, [0, 0])
            count[0] += 1
            count[1] += call.failed
            command = call.command
            if command and command not in cores:
                cores[command] = core(command)
            what = cores[command] if command else call.file
            if what:
                groups.setdefault((call.name, what), []).append(call)
        self.tools = sorted(
            ((name, called, failed) for name, (called, failed) in tools.items()), key=lambda row: -row[1]
        )
        self.commands = _most((what, len(group)) for (_, what), group in groups.items() if group[0].command)
        self.edits = counted(call.edited for group in groups.values() for call in group if not call.command)
        retries = [Retry(what, group) for (_, what), group in groups.items() if any(call.failed for call in group[:-1])]
        self.retries = sorted(retries, key=lambda retry: -retry.failures)


def counted(names: "Iterable[str]") -> list[tuple[str, int]]:
    """Each name with its count."""
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    counts.pop("", None)
    return _most(counts.items())


def _most(rows: "Iterable[tuple[str, int]]") -> list[tuple[str, int]]:
    return sorted(rows, key=lambda row: -row[1])


def latest(names: "Iterable[str]") -> list[str]:
    """Each name once, the latest first."""
    return [name for name in dict.fromkeys(reversed(list(names))) if name]


def last_failure(calls: "Iterable[ToolUse]") -> "tuple[ToolUse, bool] | None":
    """The newest failing command, and whether the command has passed since; still failing commands come first."""
    passed: set[str] = set()
    mended = None
    for call in reversed(list(calls)):
        what = core(call.command)
        if what and not call.failed:
            passed.add(what)
        elif what and what not in passed:
            return call, False
        elif what:
            mended = mended or (call, True)
    return mended


def tokens(found: "Transcript") -> list[tuple[str, list[int]]]:
    """Each model with its replies and its tokens (input, written to the cache, read from it, output)."""
    sums: dict[str, list[int]] = {}
    for model, usage in found.usage.values():
        total = sums.setdefault(model, [0] * (len(usage) + 1))
        total[0] += 1
        for place, count in enumerate(usage, 1):
            total[place] += count
    return sorted(sums.items(), key=lambda row: -row[1][-1])


def todos(calls: "Iterable[ToolUse]") -> list[tuple[str, str]]:
    """Open items of the last todo list: status and text."""
    items: object = None
    for call in calls:
        if call.name == "TodoWrite" and not call.failed:
            items = call.input.get("todos")
    rows = [(text_in(item, "status"), text_in(item, "content")) for item in items] if isinstance(items, list) else []
    return [row for row in rows if row[1] and row[0] not in CLOSED]


def tasks(calls: "Iterable[ToolUse]") -> list[tuple[str, str, str]]:
    """The open tasks: number, status and subject. The client numbers them from 1, should a result be missing."""
    found: dict[str, tuple[str, str]] = {}
    for call in calls:
        if call.name == "TaskCreate" and not call.failed:
            found[call.task or str(len(found) + 1)] = ("pending", call.text("subject"))
        elif call.name == "TaskUpdate" and not call.failed:
            number = str(call.input.get("taskId"))
            status, subject = found.get(number, ("pending", ""))
            found[number] = (call.text("status") or status, call.text("subject") or subject)
    return [(number, *task) for number, task in found.items() if task[0] not in CLOSED and task[1]]
