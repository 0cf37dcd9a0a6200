from typing import Annotated

import typer

from hookkit.cli import _validate
from hookkit.cli._options import Output, PrintedForGitHub

FILES = "By default every layer, and the project's .claude/settings*.json."


def command(
    paths: Annotated[list[str] | None, typer.Argument(metavar="FILE", help=FILES)] = None,
    output: PrintedForGitHub = Output.table,
    strict: Annotated[bool, typer.Option("--strict", help="A warning counts as a mistake.")] = False,  # noqa: FBT002
) -> None:
    """Check files of rules and hooks: every mistake at once, each with its place and a way out.

    Reads hookkit.toml, genesis.key, cocode's hooks.toml, a SKILL.md, and Claude Code's settings.json and hooks.json.
    Exits 0 if there is no mistake, 1 if there is one, 2 if a file cannot be read.

    Example: hookkit validate hookkit.toml .claude/settings.json --output github
    """
    _validate.check(paths or [], output, strict=strict)
