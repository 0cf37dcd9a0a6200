import json
import os
from typing import Annotated, Any

import typer
from rich.console import Console

from hookkit.errors import ConfigError
from hookkit.redirect import sources
from hookkit.settings import layers
from hookkit.settings.keys import BY_NAME
from hookkit.system import files

WIDE = 80  # characters of a value that still fit a line


def command(
    directory: Annotated[str, typer.Argument(help="The project; by default the one you are in.")] = ".",
    revoke: Annotated[bool, typer.Option("--revoke", help="Take the trust back.")] = False,  # noqa: FBT002
) -> None:
    """Let a project's settings allow, rewrite and run things, and let `redirect` approve the project's own commands.

    The content of hookkit.toml and of the files that define commands (Makefile, package.json, …) is pinned: after a
    change of one byte the file is untrusted again. Until then hookkit.toml can only make things stricter.

    Example: hookkit trust
    """
    console = Console(highlight=False)
    environ = dict(os.environ)
    project = files.repository(os.path.abspath(directory))
    if revoke:
        _revoke(console, project, environ)
        return
    paths = [path for layer, path in layers.layers(project, environ) if layer in ("project", "local")]
    pins: dict[str, str | None] = {
        layers.trust_key(path): _pin(console, path) for path in paths if os.path.isfile(path)
    }
    pins |= _commands(console, project)
    if not pins:
        text = f"There is nothing to trust in {project}: no hookkit.toml, and no file that defines commands."
        console.print(text, style="red", markup=False)
        raise typer.Exit(2)
    layers.pin(environ, pins)
    console.print("Trusted. A change makes it a stranger's again.", style="green")


def _revoke(console: Console, project: str, environ: dict[str, str]) -> None:
    """Remove every pin inside the project."""
    inside = os.path.join(os.path.realpath(project), "")
    pins: dict[str, str | None] = {path: None for path in layers.trusted(environ) if path.startswith(inside)}
    if pins:
        layers.pin(environ, pins)
    console.print("Trust taken back." if pins else "Nothing here was trusted.", style="green")


def _commands(console: Console, project: str) -> dict[str, str | None]:
    """Show and pin the files that define the project's commands."""
    pins: dict[str, str | None] = {}
    for path, commands in sources.of_project(project).items():
        text = sources.content(path)
        said = ", ".join(commands) if text is not None else "cannot be trusted: too large, or not readable"
        console.print(f"{os.path.relpath(path, project)}  {said}".rstrip(), markup=False, style="yellow")
        if text is not None and sources.UNKNOWN not in commands:
            pins[layers.trust_key(path)] = layers.digest(text)
    return pins


def _pin(console: Console, path: str) -> str:
    """Show what is being trusted, and refuse what does not even hold together."""
    try:
        text = layers.text(path)
    except ConfigError as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None
    values, problems = layers.check(path, text)
    for problem in problems:
        console.print(str(problem), style="red", markup=False)
    if problems:
        raise typer.Exit(1)
    console.print(path, style="bold", markup=False)
    for name, value in values.items():
        console.print(_shown(name, value), markup=False, style="yellow" if BY_NAME[name].trust else "dim")
    return layers.digest(text)


def _shown(name: str, value: object) -> str:
    """A rule in a line, everything else as a file would have it."""
    if name != "rules" or not isinstance(value, list):
        text = json.dumps(value, ensure_ascii=False)
        return f"  {name} = {text if len(text) <= WIDE else json.dumps(value, ensure_ascii=False, indent=2)}"
    rules = (f"    {rule['type']} {rule.get('match', '*')}{_does(rule)}" for rule in value)
    return "\n".join([f"  {name}:", *rules])


def _does(rule: dict[str, Any]) -> str:
    """What a rule would run or write: what trust is about."""
    if rule["type"] == "command":
        return f", runs: {rule['run']}"
    if rule["type"] == "modify":
        return f", writes: {rule['with']!r} into {rule['field']}"
    config = rule.get("config")
    return f", with: {json.dumps(config, ensure_ascii=False)}" if config else ""
