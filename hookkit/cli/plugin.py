import os
from typing import Annotated

import typer

from hookkit.cli._console import report
from hookkit.cli._options import Output, Printed
from hookkit.wiring import plugin


def command(
    directory: Annotated[str, typer.Argument(metavar="DIR", help="A new or empty directory.")],
    output: Printed = Output.table,
) -> None:
    """Write a Claude Code plugin that wires hookkit, with a marketplace of its own.

    Exits 2 if the directory has files of another author.

    Example: hookkit plugin ./hookkit-plugin
    """
    made = plugin.write(os.path.abspath(directory))
    said = f"{len(made)} files. Try it: claude --plugin-dir {directory}"
    report(said, {"files": made}, as_json=output is Output.json, style="green")
