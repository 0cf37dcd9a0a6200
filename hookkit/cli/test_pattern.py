from enum import Enum
from typing import Annotated

import typer

from hookkit.cli import _pattern
from hookkit.cli._options import Output, Printed


class Meant(str, Enum):
    """The type of the rule that the pattern stands in; ask means the same as deny."""

    allow = "allow"
    deny = "deny"


def command(
    source: Annotated[str, typer.Argument(metavar="PATTERN", help="As in a rule: 'Bash(git push *)'.")],
    tool: Annotated[str, typer.Argument(help="The tool: Bash, Write, mcp__github__get_me…; else the pattern's own.")],
    argument: Annotated[
        str | None, typer.Argument(metavar="ARG", help="The argument of the tool: a command, a path, a url.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show which command matched.")] = False,  # noqa: FBT002
    meant: Annotated[Meant | None, typer.Option("--as", help="Show both meanings; this gives the exit code.")] = None,
    output: Printed = Output.table,
) -> None:
    """Say whether a pattern matches a tool call: `match` or `no match`.

    A match is a match for deny and ask rules; the answer says so if an allow rule would not match.

    Exits 0 for a match, 1 for none, 2 for a bad pattern.

    Example: hookkit test-pattern "Bash(rm -rf *)" "cd x && sudo rm -fr /"

    Example: hookkit test-pattern "Read(.env)" Bash "cat .env"
    """
    if argument is None:
        tool, argument = _pattern.tool_of(source), tool
    _pattern.try_(
        source, tool, argument, meant=meant.value if meant else "", verbose=verbose, as_json=output is Output.json
    )
