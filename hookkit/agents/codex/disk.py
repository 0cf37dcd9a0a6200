"""What Codex keeps on disk: the trust of hooks and projects, its own rules about commands, its transcripts."""

import json
import os

from hookkit.agents._disk import HEAD, Native, toml_file
from hookkit.agents.transcripts import dict_in, text_in
from hookkit.agents.transcripts.past_calls import PastCall, document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.agents._disk import Checked, Remarks

RULES = "rules/hookkit.rules"
CANNOT = "a rule of Codex is about the first words of a command"
DECISIONS = {"deny": "forbidden", "ask": "prompt"}
FOLDER = "sessions"
MARKS = (b"_call", b"session_meta", b"turn_context")
SHELLS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash", "/usr/bin/zsh")
SHELL_TOOLS = ("shell", "shell_command", "exec_command", "local_shell", "container.exec")
PATCHES = {"*** Update File: ": "Edit", "*** Add File: ": "Write", "*** Delete File: ": "Write"}


def check(checked: "Checked") -> "Remarks":
    """Codex runs hooks that a person has trusted, in a trusted project only."""
    path = os.path.join(checked.home, "config.toml")
    config = toml_file(path)
    hooks = config.get("hooks")
    state = hooks.get("state") if isinstance(hooks, dict) else None
    fix = 'start codex, choose "Trust all and continue"'
    for file in checked.files:
        names = {file, os.path.realpath(file)}
        if not isinstance(state, dict) or not any(key.rsplit(":", 3)[0] in names for key in state):
            message = f"Codex has not trusted the hooks of {file}: it runs none of them, and says nothing"
            yield "trust.codex", "serious", message, fix, file
    projects = config.get("projects")
    project = projects.get(checked.project) if isinstance(projects, dict) else None
    is_trusted = isinstance(project, dict) and project.get("trust_level") == "trusted"
    if checked.inside and not is_trusted:
        message = f"Codex does not trust {checked.project}: it ignores the project's hooks"
        yield "trust.codex-project", "serious", message, "start codex there and trust the project", path


def native_rules(rows: list[Native]) -> str:
    return HEAD.format(agent="codex") + "".join(dict.fromkeys(map(_prefix_rule, rows)))


def is_native(row: Native) -> bool:
    return bool(row.words)


def _prefix_rule(row: Native) -> str:
    """A list and a text of Starlark are written as in JSON; Codex does not start with an empty reason."""
    words, why = json.dumps(row.words), json.dumps(row.reason or f"The policy of hookkit: {row.type} {row.match}")
    return f'prefix_rule(pattern = {words}, decision = "{DECISIONS[row.type]}", justification = {why})\n'


def calls(entry: dict[str, object], state: dict[str, str]) -> "Iterator[PastCall]":
    """A patch is an edit of each of its files."""
    payload = dict_in(entry, "payload")
    if entry.get("type") in ("session_meta", "turn_context"):
        state["cwd"] = text_in(payload, "cwd") or state["cwd"]
        state["session"] = text_in(payload, "id") or state["session"]
    if entry.get("type") != "response_item":
        return
    name, given = _call(payload)
    workdir = text_in(given, "workdir") or text_in(given, "working_directory")
    for count, (tool, tool_input) in enumerate(_as_claude_calls(name, given) if name else ()):
        yield PastCall(
            "codex", tool, tool_input, cwd=os.path.join(state["cwd"], workdir) if workdir else state["cwd"],
            session=state["session"], at=text_in(entry, "timestamp"),
            id_=text_in(payload, "call_id") + f"/{count}" * (count > 0),  # the files of a patch
        )  # fmt: skip


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
