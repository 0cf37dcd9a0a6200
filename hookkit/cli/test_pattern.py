import os
from typing import Annotated

import typer
from rich.console import Console

from hookkit.errors import PatternError
from hookkit.policy import match, pattern
from hookkit.policy.call import Call
from hookkit.system import files


def command(
    source: Annotated[str, typer.Argument(metavar="PATTERN", help="As in a rule: 'Bash(git push *)'.")],
    tool: Annotated[str, typer.Argument(help="The tool's name: Bash, Write, WebFetch, mcp__github__get_me…")],
    argument: Annotated[str, typer.Argument(metavar="ARG", help="What it is called with: a command, a path, a url.")],
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show which command matched.")] = False,  # noqa: FBT002
) -> None:
    """Say whether a pattern is about a tool call: `match` or `no match`.

    Exits 0 for a match, 1 for none, 2 for a bad pattern.

    Example: hookkit test-pattern "Bash(rm -rf *)" Bash "cd x && sudo rm -fr /"
    """
    console = Console(highlight=False, soft_wrap=True)
    try:
        parsed = pattern.parse(source)
    except PatternError as error:
        Console(stderr=True, highlight=False, soft_wrap=True).print(caret(error), style="red", markup=False)
        raise typer.Exit(2) from None
    here = os.getcwd()
    name = pattern.RENAMED.get(tool, tool)
    field = pattern.SUBJECTS.get(name, ("argument", ""))[0]
    home = files.home(dict(os.environ))
    call = Call(name, {field: argument}, cwd=here, project=files.repository(here), home=home)
    found = match.matches(parsed, call)
    said = {match.YES: "match", match.NO: "no match", match.UNSURE: "match"}[found.yes]
    console.print(said, style="green" if found.yes == match.YES else "yellow" if found.yes else "")
    if found.yes == match.UNSURE:
        console.print(f"could not tell: {found.why}", style="yellow", markup=False)
    if verbose:
        _explain(console, call, found)
    raise typer.Exit(0 if found.yes else 1)


def caret(error: PatternError) -> str:
    return f"{error}\n  {error.source}\n  {' ' * error.at}^"


def _explain(console: Console, call: Call, found: match.Result) -> None:
    """Every command of the line; the one that matched is marked."""
    for each in call.commands:
        mark = "→" if each is found.command else " "
        via = f"  (through {', '.join(each.via)})" if each.via else ""
        console.print(f"{mark} {each}{via}", markup=False, style="bold" if each is found.command else "dim")
