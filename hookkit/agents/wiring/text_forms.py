"""The other forms of settings files: TOML, YAML, scripts, and programs of hookkit's own.

Of each form, three functions as in hookkit/agents/wiring/json_forms.py, by the name of the form in `FORMS`.
"""

import json
import os
import re

from hookkit import agents
from hookkit.agents.wiring.launcher import Wanted, Wired, is_ours
from hookkit.errors import ConfigError
from hookkit.settings.checks import client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

    from hookkit.settings.documents.toml_text import TomlDocument

HOOKS = "hooks"
START = "# hookkit: `hookkit init` writes these lines, `hookkit uninit` removes them.\n"
END = "# end of hookkit\n"
SCRIPT = "#!/bin/sh\n# Written by hookkit init; `hookkit uninit` removes it.\n"
COMMAND = re.compile(r"^const COMMAND = (\[.*\])$", re.MULTILINE)
CLOSED = re.compile(r"^const FAIL_CLOSED = .*$", re.MULTILINE)
MARK = re.compile(r"// hookkit for \w+\.")  # starts every program of hookkit's own


# rows: TOML with a [[hooks]] row for each handler. Our rows stand at the end; every other byte stays the same.
# The agent's `ROW` is the text of a row, its `EVENT` the field with the name of the event, its `CLOSED` a line of the
# row that refuses a call if the command fails.


def wire_rows(agent: "ModuleType", path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    """Replace our rows by the wanted ones, in their place if the file has any."""
    old = [entry for entry in row_entries(agent, path, text) if entry.is_ours]
    if [(entry.event, entry.command) for entry in old] == [(entry.event, entry.command) for entry in wanted]:
        return text
    text = strip_rows(agent, path, text, "")
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    new = text + gap + newline.join(_row(agent, entry).replace("\n", newline) for entry in wanted)
    _document(path, new)
    return new


def _row(agent: "ModuleType", wanted: Wanted) -> str:
    command = json.dumps(wanted.command, ensure_ascii=False)  # a TOML string escapes the same characters as JSON
    row = agent.ROW.format(event=wanted.event, command=command, timeout=wanted.timeout)
    return str(row + getattr(agent, "CLOSED", "")) if wanted.is_closed else str(row)


def strip_rows(agent: "ModuleType", path: str, text: str, _original: str) -> str:
    lines = text.splitlines(keepends=True)
    mine = [entry for entry in row_entries(agent, path, text) if entry.is_ours]
    for entry in reversed(mine):
        start = entry.place[0] - 1
        end = start + 1
        while end < len(lines) and _belongs(lines[end]):
            end += 1
        while start and not lines[start - 1].strip():
            start -= 1
        if end < len(lines) and start and not lines[end].strip():
            end += 1
            lines[start:end] = ["\n"] if end < len(lines) else []
        else:
            del lines[start:end]
    new = "".join(lines)
    left = len(_document(path, new).data.get(HOOKS, ()))
    if left != len(_document(path, text).data.get(HOOKS, ())) - len(mine):
        raise ConfigError(f"{path}: hookkit cannot take its rows out of this file; remove its [[hooks]] rows by hand")
    return new


def _belongs(line: str) -> bool:
    """Whether a line still belongs to our row: a value, or a table below the row."""
    start = line.strip()
    return bool(start) and start[0] != "#" and (start[0] != "[" or start.startswith(f"[{HOOKS}."))


def row_entries(agent: "ModuleType", path: str, text: str) -> list[Wired]:
    document = _document(path, text)
    rows = document.data.get(HOOKS, [])
    if not isinstance(rows, list):
        raise ConfigError(f"{path}: hooks: expected rows, [[hooks]]")
    wired = []
    for number, row in enumerate(rows):
        if isinstance(row, dict):
            inner = row.get("shell")
            fields = {**row, **inner} if isinstance(inner, dict) else row
            where = document.tree.find((HOOKS, number)).where
            event, matcher = (str(row.get(name, "")) for name in (agent.EVENT, "matcher"))
            wired.append(Wired(event, fields, matcher, (HOOKS, number), where))
    return wired


def _document(path: str, text: str) -> "TomlDocument":
    from hookkit.settings.documents.toml_text import TomlDocument  # late: few agents have such a file

    document = TomlDocument(path, text)
    if document.problem is not None:
        raise ConfigError(str(document.problem))
    return document


# yaml: YAML with the agent's other settings. hookkit's lines stand at the end, between two comments.
# A file that has hooks already is not changed: hookkit cannot keep the comments and the layout of YAML.


def wire_yaml(agent: "ModuleType", path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    rest = strip_yaml(agent, path, text, "")
    lines = [f"{HOOKS}:\n"]
    for row in wanted:
        lines += [f"  {row.event}:\n", f"    - command: {json.dumps(row.command)}\n", f"      timeout: {row.timeout}\n"]
    if HOOKS in _loaded(path, rest):
        raise ConfigError(f"{path}: it has `{HOOKS}:` already; add these lines to it yourself:\n{''.join(lines[1:])}")
    gap = "\n" if rest and not rest.endswith("\n") else ""
    new = f"{rest}{gap}{START}{''.join(lines)}{END}"
    _loaded(path, new)
    return new


def strip_yaml(_agent: "ModuleType", _path: str, text: str, _original: str) -> str:
    before, start, more = text.partition(START)
    _, end, after = more.partition(END)
    return before + after if start and end else text


def yaml_entries(_agent: "ModuleType", path: str, text: str) -> list[Wired]:
    hooks = _loaded(path, text).get(HOOKS)
    rows = []
    for event, listed in hooks.items() if isinstance(hooks, dict) else ():
        for number, row in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(row, dict):
                rows.append(Wired(event, row, str(row.get("matcher", "")), (HOOKS, event, number)))
    return rows


def _loaded(path: str, text: str) -> "dict[str, Any]":
    from hookkit.settings.documents import yaml_text  # late: few agents have such a file

    element, findings = yaml_text.read(path, text)
    if findings:
        raise ConfigError(str(findings[0]))
    value = element.plain() if element is not None else None
    if value is not None and not isinstance(value, dict):
        raise ConfigError(f"{path}:1:1: expected a table")
    return value or {}


# scripts: a directory with an executable file for each event. A file of another author is never replaced.


def wire_script(agent: "ModuleType", path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    """The file of an event."""
    if text and not is_ours(text):
        title = agent.TITLE.partition(" ")[0]
        raise ConfigError(f"{path}:1:1: this hook is not from hookkit; {title} runs one program for each event")
    return f"{SCRIPT}{wanted[0].command}\n"


def strip_script(_agent: "ModuleType", _path: str, text: str, _original: str) -> str:
    return "" if is_ours(text) else text


def script_entries(_agent: "ModuleType", path: str, text: str) -> list[Wired]:
    event = path.rpartition("/")[2]
    return [Wired(event, {"command": text}, "")] if text.strip() else []


# plugin: a program of hookkit's own, from the agent's folder, with the launcher's path filled in.


def wire_plugin(agent: "ModuleType", path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    source = _source(agent)
    if text and not text.startswith(_mark(source)):
        raise ConfigError(f"{path}:1:1: this file is not from hookkit")
    return _filled(source, wanted)


def strip_plugin(agent: "ModuleType", _path: str, text: str, _original: str) -> str:
    return "" if text.startswith(_mark(_source(agent))) else text


def plugin_entries(agent: "ModuleType", _path: str, text: str) -> list[Wired]:
    """The same handler for all events of the agent."""
    line = COMMAND.search(text) if text.startswith(_mark(_source(agent))) else None
    if line is None:
        return []
    first, *words = json.loads(line.group(1))
    return [Wired(event, {"command": first, "args": words}, "") for event in agent.WIRED]


def _source(agent: "ModuleType") -> str:
    with open(os.path.join(os.path.dirname(agents.__file__), agent.PLUGIN), encoding="utf-8") as file:
        return file.read()


def _mark(source: str) -> str:
    start = MARK.match(source)
    return start[0] if start is not None else source


def _filled(source: str, wanted: "Sequence[Wanted]") -> str:
    programs = client.programs(wanted[0].command, None)
    words = next(words for words in programs if client.is_program("".join(client.script(words)[:1])))
    is_closed = any(row.is_closed for row in wanted)
    call = [word for word in words if word not in ("--on-error", "deny")]
    call += ["--on-error", "deny"] if is_closed else []
    source = COMMAND.sub(lambda _: f"const COMMAND = {json.dumps(call)}", source, count=1)
    return CLOSED.sub(f"const FAIL_CLOSED = {json.dumps(is_closed)}", source, count=1)


FORMS = {
    "rows": (wire_rows, strip_rows, row_entries),
    "yaml": (wire_yaml, strip_yaml, yaml_entries),
    "scripts": (wire_script, strip_script, script_entries),
    "plugin": (wire_plugin, strip_plugin, plugin_entries),
}
