"""An event of another agent in hookkit's words: names of events, tools and fields, and back for a rewrite."""

import os

from hookkit import registry
from hookkit.agents.claude import placed
from hookkit.errors import EventError
from hookkit.model import Event
from hookkit.system import jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    Tools = Mapping[str, tuple[str, dict[str, str]]]


# Meanings of a tool's field that are no plain rename.
DIRECTORY = "@directory"  # the command runs there
COMMANDS = "@commands"  # several command lines, each in a shell of its own
PATCH = "@patch"  # a patch with the names of several files
PATHS = "@paths"  # a list of paths, or of objects with a path
ACTION = "@action"  # the name of an action of an editor: no command line, although its name says so

# Fields of tools that several agents share.
FILE = {"path": "file_path", "absolute_path": "file_path", "filePath": "file_path"}
TEXTS = {"old_str": "old_string", "new_str": "new_string", "oldString": "old_string", "newString": "new_string",
         "old_text": "old_string", "new_text": "new_string", "file_text": "content"}  # fmt: skip
SHELL = {"cmd": "command", "dir_path": DIRECTORY, "directory": DIRECTORY, "workdir": DIRECTORY}
EDITOR = {**FILE, **TEXTS, "command": ACTION, "input": PATCH, "patch": PATCH}

PATCH_HEADS = (
    ("*** Add File: ", "files"),
    ("*** Update File: ", "files"),
    ("*** Move to: ", "files"),
    ("*** Delete File: ", "deleted"),
)
PATCH_TOOL = "apply_patch"
MOST_FILES = 1_000  # of a patch
HIDDEN = ("user_email", "userId", "env")  # personal data and variables of the environment stay out of the ledger


class Origin:
    """The agent's own names, for the reply."""

    __slots__ = ("event", "fields", "tool", "tool_input", "unattended")

    def __init__(self, event: str, tool: str, tool_input: "dict[str, object]", fields: dict[str, str]) -> None:
        self.event = event
        self.tool = tool
        self.tool_input = tool_input
        self.fields = fields  # {the agent's field: hookkit's field}
        self.unattended = False  # whether the settings say that no person can answer


def json_object(value: object) -> "dict[str, object]":
    if not isinstance(value, dict):
        raise EventError("an event is a JSON object")
    return value


def text(value: "dict[str, object]", *names: str) -> str:
    """The first of these fields that is a text, or a list of texts; an empty text if there is none."""
    for name in names:
        item = value.get(name)
        item = item[0] if isinstance(item, list) and item else item
        if isinstance(item, str) and item:
            return item
    return ""


def renamed(value: "dict[str, object]", names: "Mapping[str, str]") -> "dict[str, object]":
    """The fields under hookkit's names, without personal data."""
    return {names.get(name, name): item for name, item in value.items() if name not in HIDDEN}


def event(name: str, native: str, fields: "dict[str, object]", *, project: str, here: str, usual: str = "") -> Event:
    """`fields` has hookkit's names, but the agent's tool and the agent's input; the agent's tables translate them."""
    return by_tables(registry.find("agents", name), native, fields, project=project, here=here, usual=usual)


def by_tables(
    agent: "ModuleType", native: str, fields: "dict[str, object]", *, project: str, here: str, usual: str
) -> Event:
    name = agent.EVENTS.get(native, native) or usual
    tool = fields.get("tool_name")
    tool = tool if isinstance(tool, str) else ""
    own = _input(fields.get("tool_input"), tool, agent.TOOLS)
    origin = Origin(native, tool, own, {})
    directory = ""
    if tool:
        fields["tool_name"], origin.fields = agent.TOOLS.get(tool, (tool, {}))
        fields["tool_input"], directory = translated(own, origin.fields)
        if any(_is_patch(text) for text in own.values()):
            fields["tool_name"] = PATCH_TOOL
    parsed = Event(name, {**fields, "hook_event_name": name})
    parsed.agent, parsed.origin = agent.NAME, origin
    parsed = placed(parsed, project, here)
    if directory and "\0" not in directory:
        parsed.cwd = os.path.normpath(os.path.join(parsed.cwd, directory))
    return parsed


def _input(value: object, tool: str, tools: "Tools") -> "dict[str, object]":
    """The tool's input as an object: some agents send it as a text with JSON."""
    if isinstance(value, str):
        try:
            read = jsons.loads(value.encode("utf-8", "surrogatepass"))
        except (EventError, UnicodeEncodeError):
            read = None
        is_shell = tools.get(tool, ("", {}))[0] == "Bash"
        value = read if isinstance(read, dict) else {"command" if is_shell else "input": value}
    return value if isinstance(value, dict) else {}


def translated(own: "dict[str, object]", names: "Mapping[str, str]") -> "tuple[dict[str, object], str]":
    """The input with hookkit's fields, and the directory that the tool works in."""
    fields: dict[str, object] = {}
    directory = ""
    for field, value in own.items():
        meaning = names.get(field, field)
        if meaning == ACTION:
            continue
        if meaning == DIRECTORY:
            directory = value if isinstance(value, str) else directory
        elif meaning == COMMANDS:
            _put(fields, "command", one_line(value))
        elif meaning == PATHS:
            _put(fields, "file_path", _paths(value))
        elif meaning == PATCH or _is_patch(value):
            fields.update(_touched(value))
        else:
            _put(fields, meaning, value)
    return fields, directory


def _put(fields: "dict[str, object]", field: str, value: object) -> None:
    """Two fields of the agent with one meaning are both looked at: the agent alone knows which of them counts."""
    old = fields.get(field)
    if field not in fields or old == value:
        fields[field] = value
    elif field == "command" and isinstance(old, str) and isinstance(value, str):
        fields[field] = f"{old}\n{value}"
    else:
        fields[field] = [*(old if isinstance(old, list) else [old]), *(value if isinstance(value, list) else [value])]


def one_line(value: object) -> object:
    """Several command lines as one; each in a subshell, since a `cd` in one of them does not move the others."""
    lines = [value] if isinstance(value, str) else value
    if not isinstance(lines, list):
        return value
    texts = [text for text in map(_command, lines) if text]
    return texts[0] if len(texts) == 1 else "\n".join(f"(\n{text}\n)" for text in texts)


def _command(item: object) -> str:
    """A command line as text, or as an object with a program and its arguments."""
    if isinstance(item, dict):
        words = [item.get("command"), *(item["args"] if isinstance(item.get("args"), list) else ())]
        return " ".join(word for word in words if isinstance(word, str))
    return item if isinstance(item, str) else ""


def _paths(value: object) -> object:
    items = value if isinstance(value, list) else [value]
    paths = [item.get("path") if isinstance(item, dict) else item for item in items]
    return paths[0] if len(paths) == 1 else paths


def _is_patch(value: object) -> bool:
    return isinstance(value, str) and value.lstrip().startswith("*** Begin Patch")


def _touched(patch: object) -> "dict[str, object]":
    """The files of a patch; a patch that names none keeps its text, so that rules about texts see it."""
    paths: dict[str, list[str]] = {"files": [], "deleted": []}
    for line in patch.splitlines() if isinstance(patch, str) else ():
        for head, field in PATCH_HEADS:
            if line.lstrip().startswith(head) and len(paths[field]) < MOST_FILES:
                paths[field].append(line.lstrip()[len(head) :].strip())
    return {"patch": patch, **{field: names for field, names in paths.items() if names}}


def restored(event: Event, new: "dict[str, object]") -> "dict[str, object] | None":
    """The changed input in the agent's own fields; None where a change has no field of the agent."""
    origin: Origin = event.origin
    result = dict(origin.tool_input)
    for field in event.tool_input.keys() - new.keys():
        result.pop(_agents_field(field, origin) or "", None)
    for field, value in new.items():
        if field in event.tool_input and event.tool_input[field] == value:
            continue
        own = _agents_field(field, origin)
        if own is None:
            return None
        result[own] = [value] if origin.fields.get(own) == COMMANDS else value
    return result


def _agents_field(field: str, origin: Origin) -> "str | None":
    """The agent's name of a field; None where several fields, or a field with a meaning of its own, stand for it."""
    special = {"command": COMMANDS, "file_path": PATHS}.get(field, "")
    names = [own for own in origin.tool_input if origin.fields.get(own, own) in (field, special)]
    if len(names) > 1 or field in ("files", "deleted", "patch"):
        return None
    own = names[0] if names else next((own for own, ours in origin.fields.items() if ours == field), field)
    return own if origin.fields.get(own, own) in (field, COMMANDS) else None


def plain(
    agent: str,
    value: object,
    environ: "Mapping[str, str]",
    usual: str,
    here: str,
    *variables: str,
    names: "Mapping[str, str] | None" = None,
) -> Event:
    """An event whose fields have Claude Code's names, but for `names`; `variables` hold the project's directory."""
    fields = renamed(json_object(value), names or {})
    project = next((environ[name] for name in variables if environ.get(name)), "")
    return event(agent, text(fields, "hook_event_name"), fields, project=project, here=here, usual=usual)
