"""The note that a session gets after a compaction: short, masked, the newest facts first."""

import time

from hookkit.masking import line, mask
from hookkit.system import clipping, git
from hookkit.transcripts import flow, reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.model import Event
    from hookkit.settings.layers import Settings
    from hookkit.transcripts.entries import Prompt, ToolUse
    from hookkit.transcripts.reader import Transcript

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
    found = reader.of(event) or reader.Transcript(0)
    calls = list(found.calls.values())
    edited = flow.latest(call.edited for call in calls)
    read = [name for name in flow.latest(call.file for call in calls if call.name == "Read") if name not in edited]
    sections = (
        ("Last prompts, oldest first", _prompts(found.prompts, settings["restore.prompts"])),
        ("Last failing command", _failure(calls)),
        ("Open todos", [f"- [{line(status, 20)}] {line(text, 200)}" for status, text in flow.todos(calls)[:ROWS]]),
        ("Open tasks", [f"- #{line(number, 20)} [{line(status, 20)}] {line(text, 200)}"
                        for number, status, text in flow.tasks(calls)[:ROWS]]),
        ("Files edited, latest first", _files(edited, event.cwd)),
        ("Files only read, latest first", _files(read[:ROWS], event.cwd)),
        ("Git", _git(event, settings, found)),
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
    found = flow.last_failure(calls)
    if found is None:
        return []
    call, mended = found
    rows = [f"> {line(row, 160)}" for row in mask(call.error).splitlines() if row.strip()]
    if len(rows) > ERROR:
        rows[ERROR // 2 : -ERROR // 2] = ["> …"]
    return [f"{line(call.command, 300)} ({'passed since' if mended else 'has not passed since'})", *rows]


def _files(names: list[str], directory: str) -> list[str]:
    short = [name.removeprefix(directory.rstrip("/") + "/") for name in names]
    more = [f"- and {len(short) - ROWS} more"] if len(short) > ROWS else []
    return [f"- {line(name, 200)}" for name in short[:ROWS]] + more


def _git(event: "Event", settings: "Settings", found: "Transcript") -> list[str]:
    """The state in git now, or else the last branch in the transcript."""
    status = git.status(event.cwd, settings.environ)
    if not status:
        return [f"branch: {line(found.branch, 100)}"] if found.branch else []
    branch, *changes = status
    more = [f"and {len(changes) - ROWS} more"] if len(changes) > ROWS else []
    rows = [f"{change[:2].replace(' ', '.')} {line(change[3:], 200)}" for change in changes[:ROWS]] + more
    return [f"branch: {line(branch.removeprefix('## '), 200)}", f"changed or new files: {len(changes)}", *rows]
