from typing import Annotated

import typer

from hookkit.cli import _convert
from hookkit.cli._options import Output, Printed


def command(
    source: Annotated[str, typer.Argument(metavar="FROM", help="A file with hooks.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="hookkit, claude, codex or gemini; or a new file.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the file TO; a copy of it is kept.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Write the hooks of one file in another format: hookkit.toml, or the settings of an agent.

    Reads hookkit.toml, cocode's hooks.toml and hooks.json, Claude Code's
    settings.json, a plugin's hooks.json, a SKILL.md, and genesis.key.

    A name of a format prints the new file. Parts that cannot be carried over
    are listed on stderr, and the exit code is 1. A file without hooks exits
    with 1 too, a file of an unknown format with 2.

    Example: hookkit convert .claude/settings.json hookkit

    Example: hookkit convert hookkit.toml .gemini/settings.json
    """
    _convert.convert(source, target, force=force, as_json=output is Output.json)
