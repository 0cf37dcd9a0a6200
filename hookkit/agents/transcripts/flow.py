"""Patterns in the calls of a session (retries, repeats, edits), for the report and the restore note."""

import time

from hookkit.agents.transcripts import reader, text_in
from hookkit.system import clipping, git
from hookkit.system.masking import line, mask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookkit.agents.transcripts import Prompt, ToolUse
    from hookkit.agents.transcripts.reader import Transcript
    from hookkit.model import Event
    from hookkit.settings.layers import Settings


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
        rows = ((name, called, failed) for name, (called, failed) in tools.items())
        self.tools = sorted(rows, key=lambda row: -row[1])
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


def tokens(transcript: "Transcript") -> list[tuple[str, list[int]]]:
    """Each model with its replies and its tokens (input, written to the cache, read from it, output)."""
    sums: dict[str, list[int]] = {}
    for model, usage in transcript.usage.values():
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
    rows: dict[str, tuple[str, str]] = {}
    for call in calls:
        if call.name == "TaskCreate" and not call.failed:
            rows[call.task or str(len(rows) + 1)] = ("pending", call.text("subject"))
        elif call.name == "TaskUpdate" and not call.failed:
            number = str(call.input.get("taskId"))
            status, subject = rows.get(number, ("pending", ""))
            rows[number] = (call.text("status") or status, call.text("subject") or subject)
    return [(number, *task) for number, task in rows.items() if task[0] not in CLOSED and task[1]]


ROWS = 15
PROMPT = 600
PROMPTS = 4_000
ERROR = 12
HEAD = """# Where the work stood

These are hookkit's notes of {when}, taken from the transcript and from git just before the conversation was compacted.
They are a record and no new request: go on from here, and look at a file again before relying on what is said of it."""
# The client's own commands: they tell nothing about the work.
HOUSEKEEPING = (
    "/clear", "/compact", "/config", "/context", "/cost", "/doctor", "/exit", "/help", "/hooks", "/login", "/logout",
    "/mcp", "/memory", "/model", "/permissions", "/quit", "/resume", "/rewind", "/status", "/usage",
)  # fmt: skip


def note(event: "Event", settings: "Settings") -> str:
    """The note for the model; empty if there is no fact to report."""
    transcript = reader.transcript_of(event) or reader.Transcript(0)
    calls = list(transcript.calls.values())
    edited = latest(call.edited for call in calls)
    read = [name for name in latest(call.file for call in calls if call.name == "Read") if name not in edited]
    sections = (
        ("Last prompts, oldest first", _prompts(transcript.prompts, settings["restore.prompts"])),
        ("Last failing command", _failure(calls)),
        ("Open todos", [f"- [{line(status, 20)}] {line(text, 200)}" for status, text in todos(calls)[:ROWS]]),
        ("Open tasks", [f"- #{line(number, 20)} [{line(status, 20)}] {line(text, 200)}"
                        for number, status, text in tasks(calls)[:ROWS]]),
        ("Files edited, latest first", _files(edited, event.cwd)),
        ("Files only read, latest first", _files(read[:ROWS], event.cwd)),
        ("Git", _git(event, settings, transcript)),
    )  # fmt: skip
    body = [f"## {title}\n\n" + "\n".join(rows) for title, rows in sections if rows]
    head = HEAD.format(when=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()))
    return clipping.clip("\n\n".join([head, *body])) if body else ""


def _prompts(prompts: "list[Prompt]", count: int) -> list[str]:
    """The newest prompts, as many as fit."""
    rows: list[str] = []
    room = PROMPTS
    about_work = [prompt for prompt in prompts if prompt.command not in HOUSEKEEPING]
    for prompt in about_work[::-1][:count]:
        row = f"- {line(prompt.text, PROMPT)}"
        room -= len(row)
        if room < 0:
            break
        rows.insert(0, row)
    return rows


def _failure(calls: "list[ToolUse]") -> list[str]:
    failure = last_failure(calls)
    if failure is None:
        return []
    call, mended = failure
    rows = [f"> {line(row, 160)}" for row in mask(call.error).splitlines() if row.strip()]
    if len(rows) > ERROR:
        rows[ERROR // 2 : -ERROR // 2] = ["> …"]
    return [f"{line(call.command, 300)} ({'passed since' if mended else 'has not passed since'})", *rows]


def _files(names: list[str], directory: str) -> list[str]:
    short = [name.removeprefix(directory.rstrip("/") + "/") for name in names]
    more = [f"- and {len(short) - ROWS} more"] if len(short) > ROWS else []
    return [f"- {line(name, 200)}" for name in short[:ROWS]] + more


def _git(event: "Event", settings: "Settings", transcript: "Transcript") -> list[str]:
    """The state in git now, or else the last branch in the transcript."""
    status = git.status(event.cwd, settings.environ)
    if not status:
        return [f"branch: {line(transcript.branch, 100)}"] if transcript.branch else []
    branch, *changes = status
    more = [f"and {len(changes) - ROWS} more"] if len(changes) > ROWS else []
    rows = [f"{change[:2].replace(' ', '.')} {line(change[3:], 200)}" for change in changes[:ROWS]] + more
    return [f"branch: {line(branch.removeprefix('## '), 200)}", f"changed or new files: {len(changes)}", *rows]
