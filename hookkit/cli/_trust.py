"""Trusting the settings of a project: the file is shown, then its content is pinned."""

import json
import os
from typing import Any

from hookkit.cli._console import console, fail, one_line, say, stop
from hookkit.errors import ConfigError
from hookkit.redirect import sources
from hookkit.settings import layers, reading, trust
from hookkit.settings.keys import BY_NAME
from hookkit.settings.mistakes import TRUSTED
from hookkit.system import agents, files

AGENT = "an agent runs this, and only a person can trust a project: run it in a terminal of your own"

WIDE = 80  # characters of a value that still fit a line


def change(directory: str, *, revoke: bool) -> None:
    environ = dict(os.environ)
    if not revoke and agents.agent(environ):
        fail(AGENT)
    project = files.repository(os.path.abspath(directory))
    environ = layers.load(project, environ).environ  # without a state directory inside the project
    if revoke:
        _revoke(project, environ)
        return
    paths = [path for layer, path in layers.layers(project, environ) if layer in layers.STRANGERS]
    pins: dict[str, str | None] = {trust.trust_key(path): _shown_digest(path) for path in paths if os.path.isfile(path)}
    pins |= _commands(project)
    if not pins:
        stop(f"there is nothing to trust in {project}: no hookkit.toml, and no file that defines commands")
    trust.pin(environ, pins)
    say("Trusted. After any change, hookkit asks you to trust it again.", "green")


def _revoke(project: str, environ: dict[str, str]) -> None:
    """Remove every pin inside the project."""
    inside = os.path.join(os.path.realpath(project), "")
    pins: dict[str, str | None] = {path: None for path in trust.trusted(environ) if path.startswith(inside)}
    if pins:
        trust.pin(environ, pins)
    say("Trust taken back." if pins else "Nothing here was trusted.", "green")


def _commands(project: str) -> dict[str, str | None]:
    """Show and pin the files that define the project's commands."""
    pins: dict[str, str | None] = {}
    for path, commands in sources.of_project(project).items():
        text = sources.content(path)
        said = ", ".join(commands) if text is not None else "cannot be trusted: too large, or not readable"
        say(f"{os.path.relpath(path, project)}  {said}".rstrip(), "yellow")
        if text is not None and sources.UNKNOWN not in commands:
            pins[trust.trust_key(path)] = trust.digest(text)
    return pins


def _shown_digest(path: str) -> str:
    """Show the settings to be trusted, and refuse a file with mistakes."""
    try:
        text = reading.text_of(path)
    except ConfigError as error:
        stop(error)
    file = reading.read(path, text, TRUSTED)
    if file.findings:
        fail("\n".join(str(finding) for finding in file.findings))
    say(path, "bold")
    out = console()
    for name, value in file.values.items():
        out.print(_setting(name, value), style="yellow" if BY_NAME[name].trust else "dim", soft_wrap=True)
    return trust.digest(text)


def _setting(name: str, value: object) -> str:
    """A rule in a line, another setting as in a file."""
    if name != "rules" or not isinstance(value, list):
        text = json.dumps(value, ensure_ascii=False)
        return f"  {name} = {text if len(text) <= WIDE else json.dumps(value, ensure_ascii=False, indent=2)}"
    rules = (one_line(f"    {rule['type']} {rule.get('match', '*')}{_effect(rule)}") for rule in value)
    return "\n".join([f"  {name}:", *rules])


def _effect(rule: dict[str, Any]) -> str:
    """The program that a rule would run, or the text for a modified field: here trust matters."""
    if rule["type"] == "command":
        return f", runs: {rule['run']}"
    if rule["type"] == "modify":
        return f", writes: {rule['with']!r} into {rule['field']}"
    config = rule.get("config")
    return f", with: {json.dumps(config, ensure_ascii=False)}" if config else ""
