"""Trusting the settings of a project: the file is shown, then its content is pinned."""

import json
import os
from typing import Any

from hookkit.cli._console import console, fail, one_line, say, stop
from hookkit.errors import ConfigError
from hookkit.settings import layers
from hookkit.settings.keys import BY_NAME
from hookkit.system import files

WIDE = 80  # characters of a value that still fit a line


def change(directory: str, *, revoke: bool) -> None:
    environ = dict(os.environ)
    project = files.repository(os.path.abspath(directory))
    paths = [path for layer, path in layers.layers(project, environ) if layer in ("project", "local")]
    paths = [path for path in paths if os.path.isfile(path)]
    if not paths:
        stop(f"there is no hookkit.toml in {project}")
    known = layers.trusted(environ)
    had = [path for path in paths if layers.trust_key(path) in known]
    layers.pin(environ, {layers.trust_key(path): None if revoke else _shown_digest(path) for path in paths})
    if revoke:
        say("Trust taken back." if had else "Nothing here was trusted.", "green")
    else:
        say("Trusted. After any change, hookkit asks you to trust it again.", "green")


def _shown_digest(path: str) -> str:
    """Show the settings to be trusted, and refuse a file with mistakes."""
    try:
        text = layers.text(path)
    except ConfigError as error:
        stop(error)
    values, problems = layers.check(path, text)
    if problems:
        fail("\n".join(str(problem) for problem in problems))
    say(path, "bold")
    out = console()
    for name, value in values.items():
        out.print(_setting(name, value), style="yellow" if BY_NAME[name].trust else "dim", soft_wrap=True)
    return layers.digest(text)


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
