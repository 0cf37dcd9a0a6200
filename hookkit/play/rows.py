"""Reading rows: a mistake in a row is reported with file and line before the first row plays."""

import contextlib
import json
import os
from typing import Any

import hookkit
from hookkit import registry
from hookkit.errors import ConfigError, PatternError
from hookkit.policy import pattern
from hookkit.settings.rule_rows import tool_mistake
from hookkit.system.suggestions import did_you_mean

MISSING = object()
EXPECTED = ("deny", "ask", "allow", "none", "quiet", "unsure", "stop")
COMMON = {"id", "class", "note", "files", "links", "cwd", "environ"}
# The form of a row, named by the key that only this form has: the keys it may hold, and the keys it must hold.
FORMS: dict[str, tuple[set[str], tuple[str, ...]]] = {
    "pattern": ({"pattern", "tool", "arg", "match", "unsure"}, ("tool", "arg")),
    "tool": ({"tool", "args", "actor", "expect", "hook"}, ("args",)),
    "command": ({"command", "actor", "expect", "hook"}, ()),
    "event": ({"hook", "event", "reply", "options"}, ()),
    "steps": ({"hook", "steps", "options"}, ()),
}
KEYS = COMMON.union(*(keys for keys, _ in FORMS.values()))
KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    **dict.fromkeys(("hook", "cwd", "pattern", "tool", "command", "actor", "expect"), ((str,), "text")),
    **dict.fromkeys(("arg", "args"), ((str, dict), "text or an object")),
    **dict.fromkeys(("event", "environ", "links", "files"), ((dict,), "an object")),
    **dict.fromkeys(("match", "unsure"), ((bool,), "true or false")),
    **dict.fromkeys(("steps", "options"), ((list,), "a list")),
}


class Case(dict[str, Any]):
    """A row with its place, so that every report about the row can name file and line."""

    file = ""
    line = 0


def load(path: str) -> list[Case]:
    """Every row of a file; the first bad line raises an error with its place."""
    rows = []
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("//"):
            row = _row(line, f"{path}:{number}")
            row.file, row.line = path, number
            rows.append(row)
    return rows


def incidents() -> list[Case]:
    """Public reports of damage done by agents: the calls as reported, to be played against your own settings."""
    package = os.path.dirname(hookkit.__file__)
    for path in (
        os.path.join(package, "incidents.jsonl"),
        os.path.join(package, "..", "tests", "cases", "incidents.jsonl"),
    ):
        if os.path.isfile(path):
            return load(os.path.normpath(path))
    raise ConfigError("the incidents are not installed")


def conformance() -> list[Case]:
    """The rows that hookkit itself must pass: in the package, or in the repository of a clone."""
    package = os.path.dirname(hookkit.__file__)
    for directory in (os.path.join(package, "conformance"), os.path.join(package, "..", "tests", "cases", "policy")):
        if os.path.isdir(directory):
            names = sorted(name for name in os.listdir(directory) if name.endswith(".jsonl"))
            rows = [row for name in names for row in load(os.path.normpath(os.path.join(directory, name)))]
            for row in rows:
                row.setdefault("files", {})  # play the shipped policy, not the settings of the working directory
                if "pattern" not in row:
                    row.setdefault("hook", "guard")  # they are about the policy alone
            return rows
    raise ConfigError("the conformance rows are not installed")


def _row(line: str, place: str) -> Case:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{place}: not JSON: {error}") from None
    if not isinstance(row, dict):
        raise ConfigError(f"{place}: a row is an object")
    mistake = _wrong_keys(row) or _wrong_values(row)
    if mistake:
        raise ConfigError(f"{place}: {mistake}")
    row.setdefault("id", place)
    return Case(row)


def _wrong_keys(row: dict[str, Any]) -> str:
    form = next((name for name in FORMS if name in row), "")
    known, needed = FORMS[form] if form else (KEYS, ())
    for key in sorted(set(row) - known - COMMON):
        hint = did_you_mean(key, sorted(known | COMMON), 0.6) or f"known are {', '.join(sorted(known | COMMON))}"
        return f"unknown key {key}: {hint}"
    if not form:
        return "a row needs an event, steps with one each, a command, a tool, or a pattern"
    missing = next((key for key in needed if key not in row), "")
    return f"a row with {form} needs {missing}" if missing else ""


def _wrong_values(row: dict[str, Any]) -> str:
    for key, value in row.items():
        types, expected = KINDS.get(key, ((object,), ""))
        if not isinstance(value, types):
            return f"{key} is {expected}"
    for key in ("files", "links", "environ"):
        if not all(isinstance(text, str) for text in row.get(key, {}).values()):
            return f"{key} has names and texts"
    if not all(isinstance(step, dict) and isinstance(step.get("event"), dict) for step in row.get("steps", ())):
        return "each of the steps needs an event"
    if row.get("expect", "none") not in EXPECTED:
        return f"expect is one of {', '.join(EXPECTED)}, not {row['expect']}"
    hook = row.get("hook", "run")
    if hook != "run" and not registry.exists("hooks", hook):
        return f"there is no hook {hook}; there are run, {', '.join(registry.names('hooks'))}"
    try:
        pattern.parse(row.get("pattern", "*"))
    except PatternError as error:
        return f"pattern: {error}: {row['pattern']}"
    return ""


def misspelt(row: Case) -> str:
    """A tool that hardly exists, in a pattern or in a call to judge, with the place of the row.

    No error: a row may be about just such a name, as the call of a pattern often is.
    """
    names = pattern.parse(row["pattern"]).tools if "pattern" in row else [row.get("tool", "")]
    mistake = tool_mistake(*names)
    return f"{row.file}:{row.line}: {mistake}" if mistake and row.file else ""


def input_of(tool: str, args: Any) -> dict[str, Any]:
    """The input of a tool: an object as given, a text as the field that patterns of the tool are about.

    A text that is the JSON of such an object is that object.
    """
    name = pattern.RENAMED.get(tool, tool)
    field = pattern.SUBJECTS.get(name, ("argument", ""))[0]
    if isinstance(args, str) and args.startswith('{"'):  # the input as it stands in a log
        with contextlib.suppress(ValueError):
            value = json.loads(args)
            args = value if isinstance(value, dict) and field in value else args
    return args if isinstance(args, dict) else {field: args}


def has_subject(tool: str) -> bool:
    """Whether patterns of the tool are about a field of its input, such as the command of Bash."""
    return pattern.RENAMED.get(tool, tool) in pattern.SUBJECTS
