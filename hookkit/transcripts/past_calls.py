"""Tool calls of past sessions, from the transcripts of Claude Code, Codex, Gemini, Copilot and Qwen.

The formats belong to the agents and change without notice: every field is checked, and unknown lines are skipped.
"""

import os
from collections.abc import Iterator
from itertools import islice

from hookkit import registry
from hookkit.dialects import _reading
from hookkit.errors import EventError
from hookkit.system import files, jsons
from hookkit.transcripts.entries import blocks, dict_in, text_in

BUFFER = 256 << 10  # bytes read at once
LINE = 4 << 20  # bytes: a longer line holds images or dumps
WHOLE = 64 << 20  # bytes of a transcript that is one JSON document
SHELLS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash", "/usr/bin/zsh")
# Bytes of every line with a call, or with the directory of the calls behind it, in a transcript of each agent.
MARKS = {
    "claude": (b'"tool_use"',),
    "codex": (b"_call", b"session_meta", b"turn_context"),
    "gemini": (b"toolCalls", b'"projectHash"'),
    "qwen": (b'"functionCall"',),
    "copilot": (b'"tool.execution_start"', b'"session.start"'),
}
ALL_MARKS = tuple(mark for marks in MARKS.values() for mark in marks)
ENTRY = ("sessionId", "payload", "projectHash", "messages", "toolCalls", "data")  # one of these is in an entry's fields
HEAD = 50  # lines
# The directory with transcripts, below the home of the agent.
FOLDERS = {"claude": "projects", "codex": "sessions", "gemini": "tmp", "copilot": "session-state", "qwen": "projects"}
# Tools of other agents as tools of Claude Code, with the fields that name the same thing.
TOOLS = {
    **dict.fromkeys(
        ("shell", "shell_command", "exec_command", "local_shell", "container.exec", "run_shell_command"), "Bash"
    ),
    **dict.fromkeys(("read_file", "read_many_files"), "Read"),
    "write_file": "Write",
    "replace": "Edit",
    "edit": "Edit",
    **dict.fromkeys(("search_file_content", "grep_search"), "Grep"),
    "glob": "Glob",
    "list_directory": "LS",
    "web_fetch": "WebFetch",
    "google_web_search": "WebSearch",
    "save_memory": "Memory",
}
FIELDS = {"absolute_path": "file_path", "cmd": "command", "dir_path": "path"}
PATCHES = {"*** Update File: ": "Edit", "*** Add File: ": "Write", "*** Delete File: ": "Write"}


class PastCall:
    """One tool call as the agent made it; `at` is an ISO time, empty where the transcript has none."""

    __slots__ = ("agent", "at", "client", "cwd", "id", "input", "session", "tool")

    def __init__(self, agent: str, tool: str, tool_input: dict[str, object], *, cwd: str, session: str) -> None:
        self.agent = agent  # where the call was found: the name of an agent, or the ledger
        self.client = agent or "claude"  # the agent that made the call
        self.tool = tool
        self.input = tool_input
        self.cwd = cwd
        self.session = session
        self.at = ""
        self.id = ""


def folder(agent: str, environ: dict[str, str]) -> str:
    dialect = registry.find("dialects", agent)
    moved = environ.get(dialect.HOME_VARIABLE, "") if dialect.HOME_VARIABLE else ""
    return os.path.join(moved or os.path.join(files.home(environ), dialect.HOME), FOLDERS[agent])


def places(environ: dict[str, str]) -> list[str]:
    """The directories in which the agents keep their transcripts."""
    return [place for agent in FOLDERS if os.path.isdir(place := folder(agent, environ))]


def transcripts(place: str, since: float = 0) -> Iterator[str]:
    """The transcripts below a directory, those of sub-agents too; a file is itself."""
    if os.path.isfile(place):
        yield place
        return
    for here, folders, names in os.walk(place):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(here, name)
            is_gemini = name.endswith(".json") and os.path.basename(here) == "chats"
            if (name.endswith(".jsonl") or is_gemini) and _changed(path) >= since:
                yield path


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0


def is_transcript(path: str) -> bool:
    """Whether the start of a file looks like a session of an agent; raises OSError for an unreadable file."""
    with open(path, "rb") as file:
        head = [document(file.read(WHOLE))] if path.endswith(".json") else [*map(document, islice(file, HEAD))]
    return any(name in entry for entry in head for name in ENTRY)


def read(path: str, most: int = 0) -> Iterator[PastCall]:
    """The calls of one transcript, in their order, of at most `most` bytes; raises OSError for an unreadable file."""
    if path.endswith(".json"):
        yield from _gemini(document(files.read(path, WHOLE)))
        return
    state = {"cwd": _project_of(path), "session": os.path.basename(path).rpartition(".")[0]}
    marks = ALL_MARKS
    with open(path, "rb", BUFFER) as file:
        for line in file:
            if most and file.tell() > most:
                return
            if len(line) <= LINE and _is_wanted(line, marks):
                for call in _entry(document(line), state):
                    marks = MARKS[call.agent]  # the first call tells whose transcript this is
                    yield call


def _is_wanted(line: bytes, marks: tuple[bytes, ...]) -> bool:
    for mark in marks:  # noqa: SIM110 - twice as fast as any(): most lines are read for these marks alone
        if mark in line:
            return True
    return False


def _project_of(path: str) -> str:
    """Gemini keeps the project's path in a file beside its chats."""
    chats = os.path.dirname(path)
    try:
        kept = files.read(os.path.join(os.path.dirname(chats), ".project_root"), LINE)
    except OSError:
        return ""
    return kept.decode("utf-8", "replace").strip() if os.path.basename(chats) == "chats" else ""


def document(data: bytes) -> dict[str, object]:
    try:
        value = jsons.loads(data)
    except EventError:
        return {}
    return value if isinstance(value, dict) else {}


def _entry(entry: dict[str, object], state: dict[str, str]) -> Iterator[PastCall]:
    kind = text_in(entry, "type")
    if kind == "assistant":
        yield from _claude(entry)
        yield from _qwen(entry)
    elif kind == "session.start":
        data = dict_in(entry, "data")
        state["cwd"] = text_in(dict_in(data, "context"), "cwd")
        state["session"] = text_in(data, "sessionId") or state["session"]
    elif kind == "tool.execution_start":
        yield from _copilot(entry, state)
    elif kind in ("session_meta", "turn_context"):
        payload = dict_in(entry, "payload")
        state["cwd"] = text_in(payload, "cwd") or state["cwd"]
        state["session"] = text_in(payload, "id") or state["session"]
    elif kind == "response_item":
        yield from _codex(dict_in(entry, "payload"), text_in(entry, "timestamp"), state)
    elif "projectHash" in entry:
        state["session"] = text_in(entry, "sessionId") or state["session"]
    elif "toolCalls" in entry:
        yield from _gemini({"messages": [entry], "sessionId": state["session"]}, state["cwd"])


def _claude(entry: dict[str, object]) -> Iterator[PastCall]:
    for block in blocks(dict_in(entry, "message").get("content")):
        name = text_in(block, "name")
        if block.get("type") == "tool_use" and name:
            cwd, session = text_in(entry, "cwd"), text_in(entry, "sessionId")
            call = PastCall("claude", name, dict_in(block, "input"), cwd=cwd, session=session)
            call.at, call.id = text_in(entry, "timestamp")[:40], text_in(block, "id")
            yield call


def _qwen(entry: dict[str, object]) -> Iterator[PastCall]:
    for part in blocks(dict_in(entry, "message").get("parts")):
        used = dict_in(part, "functionCall")
        if text_in(used, "name"):
            call = _foreign("qwen", text_in(used, "name"), dict_in(used, "args"), text_in(entry, "cwd"))
            call.session = text_in(entry, "sessionId")
            call.at, call.id = text_in(entry, "timestamp")[:40], text_in(used, "id")
            yield call


def _copilot(entry: dict[str, object], state: dict[str, str]) -> Iterator[PastCall]:
    used = dict_in(entry, "data")
    if text_in(used, "toolName"):
        call = _foreign("copilot", text_in(used, "toolName"), dict_in(used, "arguments"), state["cwd"])
        call.session = state["session"]
        call.at, call.id = text_in(entry, "timestamp")[:40], text_in(used, "toolCallId")
        yield call


def _foreign(agent: str, name: str, given: dict[str, object], cwd: str) -> PastCall:
    """The call in hookkit's words, by the tables of the agent's dialect."""
    tool, names = registry.find("dialects", agent).TOOLS.get(name, (name, {}))
    tool_input, directory = _reading.translated(given, names)
    there = os.path.join(cwd, directory) if directory else cwd
    return PastCall(agent, tool, tool_input, cwd=there, session="")


def _codex(payload: dict[str, object], at: str, state: dict[str, str]) -> Iterator[PastCall]:
    kind, name = text_in(payload, "type"), text_in(payload, "name")
    given: dict[str, object] = {}
    if kind == "function_call":
        given = document(text_in(payload, "arguments").encode("utf-8", "replace"))
    elif kind == "custom_tool_call":
        given = {"input": text_in(payload, "input")}
    elif kind == "local_shell_call":
        name, given = "local_shell", dict_in(payload, "action")
    else:
        return
    for count, (tool, tool_input) in enumerate(_named(name, given)):
        workdir = text_in(given, "workdir") or text_in(given, "working_directory")
        cwd = os.path.join(state["cwd"], workdir) if workdir else state["cwd"]
        call = PastCall("codex", tool, tool_input, cwd=cwd, session=state["session"])
        call.at, call.id = at[:40], text_in(payload, "call_id") + f"/{count}" * (count > 0)  # the files of a patch
        yield call


def _gemini(document: dict[str, object], cwd: str = "") -> Iterator[PastCall]:
    session = text_in(document, "sessionId")
    for message in blocks(document.get("messages")):
        for used in blocks(message.get("toolCalls")):
            given = dict_in(used, "args")
            for tool, tool_input in _named(text_in(used, "name"), given):
                call = PastCall("gemini", tool, tool_input, cwd=text_in(given, "directory") or cwd, session=session)
                call.at = (text_in(used, "timestamp") or text_in(message, "timestamp"))[:40]
                call.id = text_in(used, "id")
                yield call


def _named(name: str, given: dict[str, object]) -> Iterator[tuple[str, dict[str, object]]]:
    """The call as a call of Claude Code's tools; a patch is an edit of each of its files."""
    patch = given.get("input") if name == "apply_patch" else None
    if isinstance(patch, str):
        for line in patch.split("\n"):
            head = next((head for head in PATCHES if line.startswith(head)), "")
            if head:
                yield PATCHES[head], {"file_path": line[len(head) :].strip()}
        return
    tool = TOOLS.get(name, name)
    if not tool:
        return
    if tool == "Bash":
        yield tool, {"command": command_line(given.get("command", given.get("cmd")))}
        return
    yield tool, {FIELDS.get(field, field): value for field, value in given.items()}


def command_line(value: object) -> str:
    """`["bash", "-lc", "ls"]` is `ls`; other lists are the words of one command."""
    if isinstance(value, str):
        return value
    words = [word for word in value if isinstance(word, str)] if isinstance(value, list) else []
    if len(words) == 3 and words[0] in SHELLS and words[1] in ("-c", "-lc"):  # noqa: PLR2004 - shell, option, line
        return words[2]
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
