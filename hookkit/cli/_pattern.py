"""Trying a pattern against a tool call."""

import os
from typing import Any

import typer

from hookkit import cases
from hookkit.cli._call_line import check_tools
from hookkit.cli._console import Console, Text, console, echo_json, stop
from hookkit.errors import PatternError
from hookkit.policy import match, pattern
from hookkit.policy.call import Call
from hookkit.policy.decide import decide
from hookkit.policy.rules import compile_rules
from hookkit.system import files

NARROW = "An allow rule with this pattern does not match: an allow has to name every word of the command."


def parsed(source: str) -> pattern.Pattern:
    """The pattern; a mistake ends the command, with a caret at its place."""
    try:
        return pattern.parse(source)
    except PatternError as error:
        stop(f"{error}\n  {error.source}\n  {' ' * error.at}^")


def tool_of(source: str) -> str:
    """The one tool that the pattern names."""
    tools = parsed(source).tools
    if len(tools) != 1:
        stop("the pattern names no single tool: give the tool before its argument")
    return str(tools[0])


def try_(source: str, tool: str, argument: str, *, meant: str, verbose: bool, as_json: bool) -> None:
    wanted = parsed(source)
    check_tools(*wanted.tools, tool)
    here = os.getcwd()
    name = pattern.RENAMED.get(tool, tool)
    home = files.home(dict(os.environ))
    call = Call(name, cases.input_of(name, argument), cwd=here, project=files.repository(here), home=home)
    found = match.matches(wanted, call)
    allows = _allows(source, call)
    if as_json:
        echo_json(_as_json(call, found, allows=allows))
    else:
        _show(call, found, allows=allows, meant=meant, verbose=verbose)
    raise typer.Exit(0 if (allows if meant == "allow" else found.yes) else 1)


def _allows(source: str, call: Call) -> bool:
    """Whether an allow rule with this pattern, alone, would allow the whole call."""
    policy = compile_rules({"policy.base": False, "rules": [{"type": "allow", "match": source}]})
    return decide(policy, call, "").verdict == "allow"


def _as_json(call: Call, found: match.Result, *, allows: bool) -> dict[str, Any]:
    commands = [{"command": str(each), "via": list(each.via), "match": each is found.command} for each in call.commands]
    return {
        "match": bool(found.yes),
        "unsure": found.yes == match.UNSURE,
        "why": found.why or None,
        "allows": allows,
        "commands": commands,
    }


def _show(call: Call, found: match.Result, *, allows: bool, meant: str, verbose: bool) -> None:
    out = console()
    style = {match.YES: "green", match.UNSURE: "yellow"}.get(found.yes, "")
    if meant:
        _both(out, found, allows=allows, meant=meant)
    else:
        out.print("match" if found.yes else "no match", style=style)
    if found.yes == match.UNSURE:
        out.print(f"could not tell: {found.why}", style="yellow", soft_wrap=True)
    elif found.yes and not allows and not meant:
        out.print(NARROW, style="yellow", soft_wrap=True)
    if verbose:
        _explain(out, call, found)


def _both(out: Console, found: match.Result, *, allows: bool, meant: str) -> None:
    """The two meanings of a pattern; an arrow marks the one that was asked for."""
    wide = "could not tell" if found.yes == match.UNSURE else "match" if found.yes else "no match"
    for names, said, about in (
        ("deny", wide, "deny and ask: one command of the line is enough, further options do not save it"),
        ("allow", "match" if allows else "no match", "allow: every command of the line, with these words only"),
    ):
        mark = "→" if meant == names else " "
        out.print(Text(f"{mark} {said:14} {about}", "bold" if meant == names else "dim"), soft_wrap=True)


def _explain(out: Console, call: Call, found: match.Result) -> None:
    """Every command of the line; an arrow marks the match."""
    for command in call.commands:
        mark = "→" if command is found.command else " "
        via = f"  (through {', '.join(command.via)})" if command.via else ""
        out.print(Text(f"{mark} {command}{via}", "bold" if command is found.command else "dim"), soft_wrap=True)
