"""Writing a Claude Code plugin."""

import os
from typing import Annotated

from hookkit.agents.claude import plugin
from hookkit.cli._command import Argument
from hookkit.cli._console import Output


def command(directory: Annotated[str, Argument(metavar="DIR", help="A new or empty directory.")]) -> Output:
    """Write a Claude Code plugin that connects hookkit, with a marketplace of its own.

    Exits 2 if the directory has files of another author.

    Example: hookkit plugin ./hookkit-plugin
    """
    made = plugin.write(os.path.abspath(directory))
    return Output({"files": made}, f"{len(made)} files. Try it: claude --plugin-dir {directory}", style="green")
