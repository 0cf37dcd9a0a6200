from typing import Annotated

import typer

from hookkit.checking.formats.claude_settings import MODES
from hookkit.cli import _why_views
from hookkit.cli._call_line import WithCallLine, call_from, check_tools
from hookkit.cli._console import stop
from hookkit.cli._options import Actor, Output, Printed

KIND = WithCallLine


def command(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="COMMAND", help="A command line, quoted or not; or a tool and its argument."),
    ] = None,
    tool: Annotated[str, typer.Option(metavar="NAME", help="The tool of the call; by default Bash.")] = "",
    actor: Actor = "",
    mode: Annotated[
        str, typer.Option(metavar="<default|auto|plan|…>", help="The client's permission mode; else from its settings.")
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="Show every near miss.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Explain the answer of `hookkit run` to a call: its commands, the rules about each, and the deciding rule.

    A rule that nearly matched is shown with the failed condition. No command and no program of yours is run.

    Options stand before the command line. Exits 0, 1 if a hook fails, 2 if the settings cannot be read.

    Example: hookkit why "cd build && sudo sh -c 'rm -rf *'"

    Example: hookkit why --actor agent:executor git push --force

    Example: hookkit why Read .env
    """
    if not words and not tool:
        stop('give a command line, or a tool and its argument. Example: hookkit why "git push --force"')
    check_tools(tool)
    if mode and mode not in MODES:
        stop(f"--mode takes {', '.join(MODES)}, not {mode!r}")
    tool, args = call_from(words or [], tool)
    _why_views.explain(tool, args, actor, mode, everything=everything, in_json=output is Output.json)
