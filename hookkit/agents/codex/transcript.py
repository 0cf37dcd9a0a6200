"""The tool calls in a transcript of Codex CLI. A patch is an edit of each of its files."""

import os

from hookkit.agents.transcripts.entries import dict_in, text_in
from hookkit.agents.transcripts.past_calls import PastCall, document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


FOLDER = "sessions"
MARKS = (b"_call", b"session_meta", b"turn_context")
SHELLS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash", "/usr/bin/zsh")
SHELL_TOOLS = ("shell", "shell_command", "exec_command", "local_shell", "container.exec")
PATCHES = {"*** Update File: ": "Edit", "*** Add File: ": "Write", "*** Delete File: ": "Write"}


def calls(entry: dict[str, object], state: dict[str, str]) -> "Iterator[PastCall]":
    payload = dict_in(entry, "payload")
    if entry.get("type") in ("session_meta", "turn_context"):
        state["cwd"] = text_in(payload, "cwd") or state["cwd"]
        state["session"] = text_in(payload, "id") or state["session"]
    if entry.get("type") != "response_item":
        return
    name, given = _call(payload)
    workdir = text_in(given, "workdir") or text_in(given, "working_directory")
    for count, (tool, tool_input) in enumerate(_as_claude_calls(name, given) if name else ()):
        call = PastCall("codex", tool, tool_input, cwd=os.path.join(state["cwd"], workdir) if workdir else state["cwd"],
                        session=state["session"])  # fmt: skip
        call.at = text_in(entry, "timestamp")[:40]
        call.id = text_in(payload, "call_id") + f"/{count}" * (count > 0)  # the files of a patch
        yield call


def _call(payload: dict[str, object]) -> tuple[str, dict[str, object]]:
    """The name of the tool and its input; an empty name for an entry that is no call."""
    kind, name = text_in(payload, "type"), text_in(payload, "name")
    if kind == "function_call":
        return name, document(text_in(payload, "arguments").encode("utf-8", "replace"))
    if kind == "custom_tool_call":
        return name, {"input": text_in(payload, "input")}
    return ("local_shell", dict_in(payload, "action")) if kind == "local_shell_call" else ("", {})


def _as_claude_calls(name: str, given: dict[str, object]) -> "Iterator[tuple[str, dict[str, object]]]":
    """The call as calls of Claude Code's tools."""
    patch = given.get("input") if name == "apply_patch" else None
    if isinstance(patch, str):
        for line in patch.split("\n"):
            head = next((head for head in PATCHES if line.startswith(head)), "")
            if head:
                yield PATCHES[head], {"file_path": line[len(head) :].strip()}
    elif name in SHELL_TOOLS:
        yield "Bash", {"command": _command_line(given.get("command", given.get("cmd")))}
    else:
        yield name, given


def _command_line(value: object) -> str:
    """`["bash", "-lc", "ls"]` is `ls`; other lists are the words of one command."""
    if isinstance(value, str):
        return value
    words = [word for word in value if isinstance(word, str)] if isinstance(value, list) else []
    if len(words) == 3 and words[0] in SHELLS and words[1] in ("-c", "-lc"):  # noqa: PLR2004 - shell, option, line
        return words[2]
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
