from typing import Annotated

import typer

from hookkit.cli import _handlers
from hookkit.cli._options import Output, Printed, group

command = group(
    """Handlers of events: list those of every file, add and remove your own for this project or one session.

    Example: hookkit hook list
    """
)


@command.command("list")
def list_(
    everything: Annotated[bool, typer.Option("--all", help="Also rows of other projects and sessions.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """List the handlers that run here, in the order in which they run.

    Example: hookkit hook list -o json
    """
    _handlers.show(everything=everything, as_json=output is Output.json)


@command.command()
def add(  # noqa: PLR0913, PLR0917 - the options of a command
    event: Annotated[str, typer.Argument(metavar="EVENT", help="Such as PreToolUse.")],
    run: Annotated[str, typer.Option("--command", "-c", metavar="TEXT", help="A command for the shell.")] = "",
    url: Annotated[str, typer.Option("--url", metavar="URL", help="A webhook.")] = "",
    prompt: Annotated[str, typer.Option("--prompt", metavar="TEXT", help="A question to a model.")] = "",
    agent: Annotated[str, typer.Option("--agent", metavar="TEXT", help="A task for a checking agent.")] = "",
    function: Annotated[str, typer.Option("--function", metavar="NAME", help="package.module:function.")] = "",
    matcher: Annotated[str, typer.Option("--matcher", "-m", metavar="TEXT", help="Such as Bash*.")] = "",
    condition: Annotated[str, typer.Option("--if", metavar="PATTERN", help='Such as "Bash(git push *)".')] = "",
    name: Annotated[str, typer.Option("--name", "-n", metavar="NAME", help="For messages and for remove.")] = "",
    seconds: Annotated[float, typer.Option("--timeout", metavar="SECONDS", help="Its limit.")] = 0,
    once: Annotated[bool, typer.Option("--once", help="Once a session.")] = False,  # noqa: FBT002
    background: Annotated[bool, typer.Option("--async", help="Goes on past the reply.")] = False,  # noqa: FBT002
    parallel: Annotated[bool, typer.Option("--parallel", help="Side by side with its neighbours.")] = False,  # noqa: FBT002
    reject: Annotated[bool, typer.Option("--reject", help="A failure rejects the call.")] = False,  # noqa: FBT002
    session: Annotated[str, typer.Option("--session", metavar="ID", help="For this session alone.")] = "",
    output: Printed = Output.table,
) -> None:
    """Add a handler for this project, or for one session. No file of the project is changed.

    Exits 2 if the handler has a mistake, 1 if a handler here has the same name.

    Example: hookkit hook add PreToolUse --matcher Bash --command 'python3 check.py' --name check
    """
    kinds = {"command": ("command", run), "webhook": ("url", url), "prompt": ("prompt", prompt),
             "agent": ("prompt", agent), "inline": ("function", function)}  # fmt: skip
    row = {
        "event": event, "matcher": matcher, "if": condition, "name": name, "timeout_sec": seconds, "once": once,
        "async": background, "mode": "parallel" if parallel else "", "on_failure": "reject" if reject else "",
        "session": session,
    }  # fmt: skip
    tables = {kind: {field: text} for kind, (field, text) in kinds.items() if text}
    _handlers.add({**{key: value for key, value in row.items() if value}, **tables}, as_json=output is Output.json)


@command.command()
def remove(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name or id of a handler that was added.")],
    output: Printed = Output.table,
) -> None:
    """Remove a handler that `hookkit hook add` has added.

    Exits 1 if there is none of this name.

    Example: hookkit hook remove check
    """
    _handlers.remove(name, as_json=output is Output.json)
