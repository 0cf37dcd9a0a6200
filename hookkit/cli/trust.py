import os
from typing import Annotated

import typer
from rich.console import Console

from hookkit import files, jsons, settings
from hookkit.errors import ConfigError
from hookkit.schema import BY_NAME


def command(
    directory: Annotated[str, typer.Argument(help="The project; by default the one you are in.")] = ".",
    revoke: Annotated[bool, typer.Option("--revoke", help="Take the trust back.")] = False,  # noqa: FBT002
) -> None:
    """Let a project's own hookkit.toml rewrite commands, as it is now.

    Its content is pinned: changed by one byte, the file is a stranger's again. Until then it can only make things
    stricter.

    Example: hookkit trust
    """
    console = Console(highlight=False)
    environ = dict(os.environ)
    project = files.repository(os.path.abspath(directory))
    paths = [path for layer, path in settings.layers(project, environ) if layer in ("project", "local")]
    paths = [path for path in paths if os.path.isfile(path)]
    if not paths:
        console.print(f"There is no hookkit.toml in {project}.", style="red")
        raise typer.Exit(2)
    pins = settings.trusted(environ)
    for path in paths:
        real = settings.trust_key(path)
        pins.pop(real, None)
        if not revoke:
            pins[real] = _pin(console, path)
    files.private_dir(files.state_dir(environ))
    files.write(settings.trust_file(environ), jsons.dumps(pins).encode())
    console.print("Trust taken back." if revoke else "Trusted. A change makes it a stranger's again.", style="green")


def _pin(console: Console, path: str) -> str:
    """Show what is being trusted, and refuse what does not even hold together."""
    try:
        text = settings.text(path)
    except ConfigError as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None
    values, problems = settings.check(path, text)
    for problem in problems:
        console.print(str(problem), style="red", markup=False)
    if problems:
        raise typer.Exit(1)
    console.print(path, style="bold", markup=False)
    for name, value in values.items():
        console.print(f"  {name} = {value!r}", markup=False, style="yellow" if BY_NAME[name].trust else "dim")
    return settings.digest(text)
