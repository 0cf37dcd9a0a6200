"""Tool calls of past sessions, from the transcripts of Claude Code, Codex and Gemini.

The formats belong to the agents and change without notice: every field is checked, and unknown lines are skipped.
"""

import os
from collections.abc import Iterator

from hookkit.errors import EventError
from hookkit.system import files, jsons
from hookkit.transcripts.entries import blocks, dict_in, text_in

LINE = 4 << 20  # bytes: a longer line holds images or dumps
WHOLE = 64 << 20  # bytes of a transcript that is one JSON document
SHELLS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash", "/usr/bin/zsh")
MARKS = (b'"tool_use"', b"function_call", b"tool_call", b"shell_call", b"toolCalls", b"session_meta", b"turn_context")
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

    __slots__ = ("agent", "at", "cwd", "id", "input", "session", "tool")

    def __init__(self, agent: str, tool: str, tool_input: dict[str, object], *, cwd: str, session: str) -> None:
        self.agent = agent
        self.tool = tool
        self.input = tool_input
        self.cwd = cwd
        self.session = session
        self.at = ""
        self.id = ""


def places(environ: dict[str, str]) -> list[str]:
    """The directories in which the agents keep their transcripts."""
    home = files.home(environ)
    claude = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    codex = environ.get("CODEX_HOME") or os.path.join(home, ".codex")
    found = [os.path.join(claude, "projects"), os.path.join(codex, "sessions"), os.path.join(home, ".gemini", "tmp")]
    return [place for place in found if os.path.isdir(place)]


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


def read(path: str) -> Iterator[PastCall]:
    """The calls of one transcript, in their order; raises OSError for an unreadable file."""
    if path.endswith(".json"):
        yield from _gemini(_document(files.read(path, WHOLE)))
        return
    state = {"cwd": "", "session": os.path.basename(path).rpartition(".")[0]}
    with open(path, "rb") as file:
        for line in file:
            if len(line) > LINE or not any(mark in line for mark in MARKS):
                continue
            entry = _document(line)
            yield from _entry(entry, state)


def _document(data: bytes) -> dict[str, object]:
    try:
        value = jsons.loads(data)
    except EventError:
        return {}
    return value if isinstance(value, dict) else {}


def _entry(entry: dict[str, object], state: dict[str, str]) -> Iterator[PastCall]:
    kind = text_in(entry, "type")
    if kind == "assistant":
        yield from _claude(entry)
    elif kind in ("session_meta", "turn_context"):
        payload = dict_in(entry, "payload")
        state["cwd"] = text_in(payload, "cwd") or state["cwd"]
        state["session"] = text_in(payload, "id") or state["session"]
    elif kind == "response_item":
        yield from _codex(dict_in(entry, "payload"), text_in(entry, "timestamp"), state)
    elif "toolCalls" in entry:
        yield from _gemini({"messages": [entry], "sessionId": state["session"]})


def _claude(entry: dict[str, object]) -> Iterator[PastCall]:
    for block in blocks(dict_in(entry, "message").get("content")):
        name = text_in(block, "name")
        if block.get("type") == "tool_use" and name:
            cwd, session = text_in(entry, "cwd"), text_in(entry, "sessionId")
            call = PastCall("claude", name, dict_in(block, "input"), cwd=cwd, session=session)
            call.at, call.id = text_in(entry, "timestamp")[:40], text_in(block, "id")
            yield call


def _codex(payload: dict[str, object], at: str, state: dict[str, str]) -> Iterator[PastCall]:
    kind, name = text_in(payload, "type"), text_in(payload, "name")
    given: dict[str, object] = {}
    if kind == "function_call":
        given = _document(text_in(payload, "arguments").encode("utf-8", "replace"))
    elif kind == "custom_tool_call":
        given = {"input": text_in(payload, "input")}
    elif kind == "local_shell_call":
        name, given = "local_shell", dict_in(payload, "action")
    else:
        return
    for tool, tool_input in _named(name, given):
        workdir = text_in(given, "workdir") or text_in(given, "working_directory")
        cwd = os.path.join(state["cwd"], workdir) if workdir else state["cwd"]
        call = PastCall("codex", tool, tool_input, cwd=cwd, session=state["session"])
        call.at, call.id = at[:40], text_in(payload, "call_id")
        yield call


def _gemini(document: dict[str, object]) -> Iterator[PastCall]:
    session = text_in(document, "sessionId")
    for message in blocks(document.get("messages")):
        for used in blocks(message.get("toolCalls")):
            given = dict_in(used, "args")
            for tool, tool_input in _named(text_in(used, "name"), given):
                call = PastCall("gemini", tool, tool_input, cwd=text_in(given, "directory"), session=session)
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
