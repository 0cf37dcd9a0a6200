from typing import Annotated

import typer

from hookkit.cli import _resume
from hookkit.cli._options import Output, Printed
from hookkit.cli._work import Number


def command(
    number: Number = None,
    program: Annotated[
        str, typer.Option("--program", "-p", metavar="NAME", help="The agent's command line program.")
    ] = "claude",
    output: Printed = Output.table,
) -> None:
    """Print the command that goes on with an effort in a new session, after its context was full.

    Example: hookkit resume, or to start at once: eval "$(hookkit resume)"
    """
    _resume.show(number, program, as_json=output is Output.json)
