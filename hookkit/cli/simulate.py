from typing import Annotated

import typer

from hookkit import cases
from hookkit.cli import _simulate
from hookkit.cli._call_line import check_tools
from hookkit.cli._console import stop
from hookkit.cli._options import Actor, Output, PrintedForCI
from hookkit.errors import ConfigError


def command(  # noqa: PLR0913, PLR0917 - the options of a command
    paths: Annotated[list[str] | None, typer.Argument(metavar="FILE", help="JSONL files of rows.")] = None,
    tool: Annotated[str, typer.Option(metavar="NAME", help="Play one call of this tool.")] = "",
    args: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The argument of the tool: text, or its whole input as JSON.")
    ] = None,
    actor: Actor = "",
    event: Annotated[str, typer.Option(metavar="NAME", help="An event's name, or a file (- for stdin).")] = "",
    conformance: Annotated[bool, typer.Option("--conformance", help="Play the shipped rows.")] = False,  # noqa: FBT002
    explain: Annotated[bool, typer.Option("--explain", help="Show each answer and its reason.")] = False,  # noqa: FBT002
    coverage: Annotated[bool, typer.Option("--coverage", help="List rules that no row exercised.")] = False,  # noqa: FBT002
    least: Annotated[float, typer.Option("--min-coverage", min=0, max=100, help="In percent; below is exit 1.")] = 0,
    everything: Annotated[bool, typer.Option("--all", help="Cover the shipped rules too.")] = False,  # noqa: FBT002
    output: PrintedForCI = Output.table,
) -> None:
    """Play events through the hooks, and compare the answers with the rows' expectations.

    One call shows every hook with its verdict, reason and time, and the reply.

    A row, one a line, is an event and its reply, a call and its verdict, or a
    pattern and whether it matches; a row without an expectation is only shown:

    {"id": "…", "hook": "run", "event": {…}, "reply": {…} or null}

    {"id": "…", "tool": "Bash", "args": "…", "actor": "…", "expect": "deny"}

    {"pattern": "Bash(rm *)", "tool": "Bash", "arg": "…", "match": true}

    Exits 1 if an answer differs or a hook fails, 2 if a file cannot be read.

    Example: hookkit simulate --tool Bash --args "git push --force" --actor agent:executor

    Example: hookkit simulate tests/*.jsonl --min-coverage 90 --output junit
    """
    is_one = bool(tool or event or args is not None)
    if is_one + bool(paths) + conformance != 1:
        stop("give FILE…, or --tool with --args, or --conformance: one of them")
    if actor and not is_one:
        stop("--actor goes with --tool: a row names its own actor")
    try:
        if is_one:
            check_tools(tool)
            _simulate.play_one(event or "PreToolUse", tool, args, actor, output)
        rows = cases.conformance() if conformance else [row for path in paths or () for row in cases.load(path)]
        wanted = least if coverage or least > 0 else None
        _simulate.play_rows(rows, output, least=wanted, everything=everything, explain=explain)
    except ConfigError as error:
        stop(error)
