from typing import Annotated

import typer

from hookkit.cli import _trial


def command(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="-- claude …", help="The command that starts the agent.")
    ] = None,
) -> None:
    """Start Claude Code with hookkit for this one session; no settings file is changed.

    Exits with the code of Claude Code, or 2 if it cannot be started.

    Example: hookkit trial -- claude
    """
    raise typer.Exit(_trial.run(words or ["claude"]))
