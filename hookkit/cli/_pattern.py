"""Trying a pattern against a tool call."""

import os

import typer

from hookkit import cases
from hookkit.cli._console import Console, Text, console, stop
from hookkit.errors import PatternError
from hookkit.policy import match, pattern
from hookkit.policy.call import Call
from hookkit.system import files


def parsed(source: str) -> pattern.Pattern:
    """The pattern; a mistake ends the command, with a caret at its place."""
    try:
        return pattern.parse(source)
    except PatternError as error:
        stop(f"{error}\n  {error.source}\n  {' ' * error.at}^")


def try_(source: str, tool: str, argument: str, *, verbose: bool) -> None:
    wanted = parsed(source)
    here = os.getcwd()
    name = pattern.RENAMED.get(tool, tool)
    home = files.home(dict(os.environ))
    call = Call(name, cases.input_of(name, argument), cwd=here, project=files.repository(here), home=home)
    found = match.matches(wanted, call)
    out = console()
    style = {match.YES: "green", match.UNSURE: "yellow"}.get(found.yes, "")
    out.print("match" if found.yes else "no match", style=style)
    if found.yes == match.UNSURE:
        out.print(f"could not tell: {found.why}", style="yellow", soft_wrap=True)
    if verbose:
        _explain(out, call, found)
    raise typer.Exit(0 if found.yes else 1)


def _explain(out: Console, call: Call, found: match.Result) -> None:
    """Every command of the line; an arrow marks the match."""
    for command in call.commands:
        mark = "→" if command is found.command else " "
        via = f"  (through {', '.join(command.via)})" if command.via else ""
        out.print(Text(f"{mark} {command}{via}", "bold" if command is found.command else "dim"), soft_wrap=True)
