"""Trusting the settings of a project: the file is shown, then its content is pinned."""

import json
import os
from typing import Any

from hookkit.cli._console import console, fail, one_line, report, stop
from hookkit.engine import foreign
from hookkit.errors import ConfigError
from hookkit.redirect import sources
from hookkit.settings import hook_files, hook_rows, layers, reading, trust
from hookkit.settings.keys import BY_NAME
from hookkit.settings.mistakes import TRUSTED
from hookkit.system import agents, files

AGENT = "an agent runs this, and only a person can trust a project: run it in a terminal of your own"
DONE = "Trusted. After any change, hookkit asks you to trust it again."
WIDE = 80  # characters of a value that still fit a line
HARMLESS = ("pass_context", "parse_result", "status_message")  # fields of a handler that a person need not judge

Row = dict[str, Any]


def change(directory: str, *, revoke: bool, as_json: bool) -> None:
    environ = dict(os.environ)
    if not revoke and agents.agent(environ):
        fail(AGENT)
    project = files.repository(os.path.abspath(directory))
    environ = layers.load(project, environ).environ  # without a state directory inside the project
    if revoke:
        _revoke(project, environ, as_json=as_json)
        return
    paths = [path for layer, path in layers.layers(project, environ) if layer in layers.STRANGERS]
    found = {path: _checked(path) for path in paths if os.path.isfile(path)}
    commands = sources.of_project(project)
    hooks = _hook_files(project, found)
    if not as_json:
        for path, (_, values) in found.items():
            _show(path, values)
        for path, (_, rows) in hooks.items():
            _show_hooks(path, rows)
        _show_commands(commands, project)
    pins: dict[str, str | None] = {
        trust.trust_key(path): digest for path, (digest, _) in [*found.items(), *hooks.items()]
    }
    pins |= _command_pins(commands)
    if not pins:
        fail(f"there is nothing to trust in {project}: no hookkit.toml, and no file that defines commands")
    trust.pin(environ, pins)
    shown = [{"file": path, "settings": values} for path, (_, values) in found.items()]
    told = {path: [_told(row) for row in rows] for path, (_, rows) in hooks.items()}
    value = {"trusted": True, "files": shown, "hooks": told, "commands": commands}
    report(DONE, value, as_json=as_json, style="green")


def _revoke(project: str, environ: dict[str, str], *, as_json: bool) -> None:
    """Remove every pin inside the project."""
    inside = os.path.join(os.path.realpath(project), "")
    had = [path for path in trust.trusted(environ) if path.startswith(inside)]
    if had:
        trust.pin(environ, dict.fromkeys(had))
    message = "Trust taken back." if had else "Nothing here was trusted."
    report(message, {"trusted": False, "revoked": had}, as_json=as_json, style="green")


def _hook_files(project: str, found: dict[str, tuple[str, Row]]) -> dict[str, tuple[str, list[Row]]]:
    """Files behind the project's handlers, and Claude Code's settings and skills, whose hooks other agents get.

    Each has the digest of its content, and the handlers that this content runs.
    """
    settings = foreign.of_project(project)
    written = [(path, row) for path, (_, values) in found.items() for row in values.get("hooks", ())]
    rows = [hook_rows.normal(row, "project", path) for path, row in written]
    behind: dict[str, list[Row]] = {}
    for row in [*rows, *(row for rows in settings.values() for row in rows)]:
        for path in foreign.named_files([row], project):
            behind.setdefault(path, []).append(row)
    made = {path: (trust.digest(_text(path)), rows) for path, rows in settings.items()}
    for path, rows in behind.items():
        text = hook_files.content(path)
        if text is None:
            fail(f"{path}: cannot be trusted: too large, or not readable")
        made.setdefault(path, (trust.digest(text), rows))
    return made


def _command_pins(commands: dict[str, list[str]]) -> dict[str, str | None]:
    """Pins of the files that define the project's commands, as far as they can be read whole."""
    texts = {path: sources.content(path) for path, found in commands.items() if sources.UNKNOWN not in found}
    return {trust.trust_key(path): trust.digest(text) for path, text in texts.items() if text is not None}


def _show_commands(commands: dict[str, list[str]], project: str) -> None:
    out = console()
    for path, found in commands.items():
        is_whole = sources.content(path) is not None
        said = ", ".join(found) if is_whole else "cannot be trusted: too large, or not readable"
        out.print(f"{os.path.relpath(path, project)}  {said}".rstrip(), style="yellow", soft_wrap=True)


def _checked(path: str) -> tuple[str, dict[str, Any]]:
    """The digest and the settings of a file; a file with mistakes is refused."""
    text = _text(path)
    file = reading.read(path, text, TRUSTED)
    if file.findings:
        fail("\n".join(str(finding) for finding in file.findings))
    return trust.digest(text), file.values


def _text(path: str) -> str:
    try:
        return reading.text_of(path)
    except ConfigError as error:
        stop(error)


def _show_hooks(path: str, rows: list[Row]) -> None:
    out = console()
    out.print(one_line(path), style="bold", soft_wrap=True)
    for row in rows:
        out.print(one_line(_handler(row)), style="yellow", soft_wrap=True)
    if not rows:
        out.print("  no hooks for other agents", style="dim")


def _handler(row: Row) -> str:
    """A handler in a line, never shortened: a person trusts the whole command."""
    main = hook_rows.MAIN[row["kind"]]
    does = row["body"][main]
    more = {name: value for name, value in row["body"].items() if name not in (main, *HARMLESS)}
    said = does if isinstance(does, str) else json.dumps(does, ensure_ascii=False)
    return f"  {row['event']} {row['if'] or row['matcher'] or '*'}, {row['kind']}: {said}{_with(more)}"


def _told(row: Row) -> Row:
    return {name: row[name] for name in ("event", "matcher", "if", "kind", "body")}


def _show(path: str, values: dict[str, Any]) -> None:
    out = console()
    out.print(path, style="bold", soft_wrap=True)
    for name, value in values.items():
        out.print(_setting(name, value), style="yellow" if BY_NAME[name].trust else "dim", soft_wrap=True)


def _setting(name: str, value: object) -> str:
    """A rule in a line, another setting as in a file."""
    if name != "rules" or not isinstance(value, list):
        text = json.dumps(value, ensure_ascii=False)
        return f"  {name} = {text if len(text) <= WIDE else json.dumps(value, ensure_ascii=False, indent=2)}"
    rules = (one_line(f"    {rule['type']} {_patterns(rule)}{_effect(rule)}") for rule in value)
    return "\n".join([f"  {name}:", *rules])


def _patterns(rule: dict[str, Any]) -> str:
    match = rule.get("match", "*")
    return match if isinstance(match, str) else ", ".join(match)


def _effect(rule: dict[str, Any]) -> str:
    """The program that a rule would run, or the text for a modified field: here trust matters."""
    if rule["type"] == "command":
        return f", runs: {rule['run']}"
    if rule["type"] == "modify":
        return f", writes: {rule['with']!r} into {rule['field']}"
    return _with(rule.get("config"))


def _with(more: object) -> str:
    return f", with: {json.dumps(more, ensure_ascii=False)}" if more else ""
