"""Trying a pattern against a tool call."""

import os
from typing import Annotated, Any

from hookkit.cli._command import Argument, Option
from hookkit.cli._console import Output, stop
from hookkit.cli._view import Wide
from hookkit.errors import PatternError
from hookkit.play.rows import input_of
from hookkit.policy import index, match, pattern
from hookkit.policy.call import Call
from hookkit.policy.judge import decide
from hookkit.settings.rule_rows import tool_mistake
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.rules import Rule

NARROW = "An allow rule with this pattern does not match: an allow has to name every word of the command."


def command(
    source: Annotated[str, Argument(metavar="PATTERN", help="As in a rule: 'Bash(git push *)'.")],
    tool: Annotated[
        str, Argument(metavar="TOOL", help="The tool: Bash, Write, mcp__github__get_me…; else the pattern's own.")
    ],
    argument: Annotated[
        str | None, Argument(metavar="ARG", help="The argument of the tool: a command, a path, a url.")
    ] = None,
    *,
    verbose: Annotated[bool, Option("--verbose", "-v", help="Show which command matched.")] = False,
    meant: Annotated[
        str, Option("--as", choices=("allow", "deny"), help="Show both meanings; this gives the exit code.")
    ] = "",
) -> Output:
    """Say whether a pattern matches a tool call: `match` or `no match`.

    A match is a match for deny and ask rules; the answer says so if an allow rule would not match.

    Exits 0 for a match, 1 for none, 2 for a bad pattern.

    Example: hookkit test-pattern "Bash(rm -rf *)" "cd x && sudo rm -fr /"

    Example: hookkit test-pattern "Read(.env)" Bash "cat .env"
    """
    if argument is None:
        tool, argument = tool_of(source), tool
    return _try(source, tool, argument, meant=meant, verbose=verbose)


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


def _try(source: str, tool: str, argument: str, *, meant: str, verbose: bool) -> Output:
    wanted = parsed(source)
    if mistake := tool_mistake(*wanted.tools, tool):
        stop(mistake)
    here = os.getcwd()
    name = pattern.RENAMED.get(tool, tool)
    home = files.home(dict(os.environ))
    call = Call(name, input_of(name, argument), cwd=here, project=files.repository(here), home=home)
    result = match.matches(wanted, call)
    allows = _allows(source, call)
    view = _view(call, result, allows=allows, meant=meant, verbose=verbose)
    code = 0 if (allows if meant == "allow" else result.yes) else 1
    return Output(_as_json(call, result, allows=allows), view, code)


def _allows(source: str, call: Call) -> bool:
    """Whether an allow rule with this pattern, alone, would allow the whole call."""
    rule: Rule = {"type": "allow", "match": source}
    # The parts of a policy that `decide` reads. To compile a whole one looks at every program of the catalogue.
    policy: Any = {"rules": [rule], "index": index.build([parsed(source)]), "unattended": False, "default": "none"}
    return decide(policy, call, "").verdict == "allow"


def _as_json(call: Call, result: match.Result, *, allows: bool) -> dict[str, Any]:
    commands = [
        {"command": str(command), "via": list(command.via), "match": command is result.command}
        for command in call.commands
    ]
    return {
        "match": bool(result.yes),
        "unsure": result.yes == match.UNSURE,
        "why": result.why or None,
        "allows": allows,
        "commands": commands,
    }


def _view(call: Call, result: match.Result, *, allows: bool, meant: str, verbose: bool) -> list[Wide]:
    style = {match.YES: "green", match.UNSURE: "yellow"}.get(result.yes, "")
    lines = _both(result, allows=allows, meant=meant) if meant else [Wide("match" if result.yes else "no match", style)]
    if result.yes == match.UNSURE:
        lines.append(Wide(f"cannot analyse: {result.why}", "yellow"))
    elif result.yes and not allows and not meant:
        lines.append(Wide(NARROW, "yellow"))
    return lines + (_commands(call, result) if verbose else [])


def _both(verdict: match.Result, *, allows: bool, meant: str) -> list[Wide]:
    """The two meanings of a pattern; an arrow marks the one that was asked for."""
    wide = "cannot analyse" if verdict.yes == match.UNSURE else "match" if verdict.yes else "no match"
    rows = (
        ("deny", wide, "deny and ask: one command of the line is enough, further options do not save it"),
        ("allow", "match" if allows else "no match", "allow: every command of the line, with these words only"),
    )
    return [
        Wide(f"{'→' if meant == name else ' '} {result:14} {about}", "bold" if meant == name else "dim")
        for name, result, about in rows
    ]


def _commands(call: Call, result: match.Result) -> list[Wide]:
    """Every command of the line; an arrow marks the match."""
    lines = []
    for command in call.commands:
        is_match = command is result.command
        via = f"  (through {', '.join(command.via)})" if command.via else ""
        lines.append(Wide(f"{'→' if is_match else ' '} {command}{via}", "bold" if is_match else "dim"))
    return lines
