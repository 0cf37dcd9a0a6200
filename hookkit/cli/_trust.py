"""Trusting the settings of a project: the file is shown, then its content is pinned."""

import json
import os
from typing import Any

from hookkit.cli._console import console, fail, one_line, report, stop
from hookkit.errors import ConfigError
from hookkit.settings import layers
from hookkit.settings.keys import BY_NAME
from hookkit.system import files

TRUSTED = "Trusted. After any change, hookkit asks you to trust it again."
WIDE = 80  # characters of a value that still fit a line


def change(directory: str, *, revoke: bool, as_json: bool) -> None:
    environ = dict(os.environ)
    project = files.repository(os.path.abspath(directory))
    paths = [path for layer, path in layers.layers(project, environ) if layer in ("project", "local")]
    paths = [path for path in paths if os.path.isfile(path)]
    if not paths:
        fail(f"there is no hookkit.toml in {project}")
    known = layers.trusted(environ)
    had = [path for path in paths if layers.trust_key(path) in known]
    if revoke:
        layers.pin(environ, {layers.trust_key(path): None for path in paths})
        message = "Trust taken back." if had else "Nothing here was trusted."
        report(message, {"trusted": False, "revoked": had}, as_json=as_json, style="green")
        return
    found = {path: _checked(path) for path in paths}
    for path, (_, values) in found.items() if not as_json else ():
        _show(path, values)
    layers.pin(environ, {layers.trust_key(path): digest for path, (digest, _) in found.items()})
    shown = [{"file": path, "settings": values} for path, (_, values) in found.items()]
    report(TRUSTED, {"trusted": True, "files": shown}, as_json=as_json, style="green")


def _checked(path: str) -> tuple[str, dict[str, Any]]:
    """The digest and the settings of a file; a file with mistakes is refused."""
    try:
        text = layers.text(path)
    except ConfigError as error:
        stop(error)
    values, problems = layers.check(path, text)
    if problems:
        fail("\n".join(str(problem) for problem in problems))
    return layers.digest(text), values


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
