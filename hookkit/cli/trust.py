import json
import os
from typing import Annotated, Any

import typer
from rich.console import Console

from hookkit.errors import ConfigError
from hookkit.settings import layers, reading, trust
from hookkit.settings.keys import BY_NAME
from hookkit.settings.mistakes import TRUSTED
from hookkit.system import agents, files

AGENT = "An agent runs this, and only a person can trust a project: run it in a terminal of your own."
WIDE = 80  # characters of a value that still fit a line


def command(
    directory: Annotated[str, typer.Argument(help="The project; by default the one you are in.")] = ".",
    revoke: Annotated[bool, typer.Option("--revoke", help="Take the trust back.")] = False,  # noqa: FBT002
) -> None:
    """Let a project's own files allow, rewrite and run things, as they are now.

    Its content is pinned: changed by one byte, the file is a stranger's again. Until then it can only make things
    stricter.

    Example: hookkit trust
    """
    console = Console(highlight=False)
    environ = dict(os.environ)
    if not revoke and agents.agent(environ):
        console.print(AGENT, style="red", markup=False)
        raise typer.Exit(1)
    project = files.repository(os.path.abspath(directory))
    environ = layers.load(project, environ).environ  # without a state directory inside the project
    paths = [path for layer, path in layers.layers(project, environ) if layer in layers.STRANGERS]
    paths = [path for path in paths if os.path.isfile(path)]
    if not paths:
        console.print(f"There is no hookkit.toml in {project}.", style="red")
        raise typer.Exit(2)
    known = trust.trusted(environ)
    had = [path for path in paths if trust.trust_key(path) in known]
    trust.pin(environ, {trust.trust_key(path): None if revoke else _pin(console, path) for path in paths})
    if revoke:
        console.print("Trust taken back." if had else "Nothing here was trusted.", style="green")
    else:
        console.print("Trusted. A change makes it a stranger's again.", style="green")


def _pin(console: Console, path: str) -> str:
    """Show what is being trusted, and refuse what does not even hold together."""
    try:
        text = reading.text_of(path)
    except ConfigError as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None
    file = reading.read(path, text, TRUSTED)
    for finding in file.findings:
        console.print(str(finding), style="red", markup=False)
    if file.findings:
        raise typer.Exit(1)
    console.print(path, style="bold", markup=False)
    for name, value in file.values.items():
        console.print(_shown(name, value), markup=False, style="yellow" if BY_NAME[name].trust else "dim")
    return trust.digest(text)


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
