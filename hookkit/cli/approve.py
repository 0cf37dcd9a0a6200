import getpass
import os
from enum import Enum
from typing import Annotated, Any, NoReturn

import typer
from rich.table import Table
from rich.text import Text

from hookkit.cli._output import console, echo_json, stop
from hookkit.gates import approvals
from hookkit.system import agents, files

STYLES = {approvals.OPEN: "bold yellow", approvals.APPROVED: "bold green", approvals.DENIED: "bold red"}


class Output(str, Enum):
    table = "table"
    json = "json"


def command(
    id_: Annotated[str, typer.Argument(metavar="[ID]", help="Without one, what is open is listed.")] = "",
    deny: Annotated[bool, typer.Option("--deny", help="Say no: the agent may stop, unapproved.")] = False,  # noqa: FBT002
    who: Annotated[str, typer.Option("--as", help="Who you are, as in human:rashid; by default your own name.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="List what is settled, too.")] = False,  # noqa: FBT002
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print.")] = Output.table,
) -> None:
    """Give the yes that a gate waits for, or list what is open.

    Exits 1 if there is no such approval, or if it is not yours to give.

    Example: hookkit approve

    Example: hookkit approve 1f0c9a2e --as human:rashid
    """
    environ = dict(os.environ)
    try:
        found = approvals.every(environ)
        if not id_:
            _list([each for each in found if everything or each["state"] == approvals.OPEN], output)
            return
        wanted = [each for each in found if each["id"] == id_]
        settled = _settle(wanted[0] if wanted else _refuse(f"no approval {id_}. See: hookkit approve"), who, deny=deny)
    except OSError as error:
        stop(f"{error.filename or files.state_dir(environ)}: {error.strerror or error}")
    if output is Output.json:
        echo_json(settled)
    else:
        console().print(_line(settled), soft_wrap=True)


def _settle(found: dict[str, Any], who: str, *, deny: bool) -> dict[str, Any]:
    """An agent must not give itself a yes; that is a fence, not a wall: the policy is the wall."""
    if agents.agent(os.environ):
        _refuse("an agent runs this, and only a person can approve: run it in a terminal of your own")
    by = named(who or _user())
    allowed = [named(name) for name in found["approvers"]]
    if allowed and by not in allowed:
        _refuse(f"{found['id']} is for {' or '.join(allowed)}, not for {by}: say who you are with --as")
    state = approvals.DENIED if deny else approvals.APPROVED
    if found["state"] == state:
        _refuse(f"{found['id']} was {state} by {found['by']} at {found['settled']}")
    return approvals.settle(dict(os.environ), found, state, by)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        stop("this user has no name: say who you are with --as")


def named(name: str) -> str:
    """A bare name is a person's."""
    return name if ":" in name else f"human:{name}"


def _refuse(said: str) -> NoReturn:
    console(stderr=True).print(said, style="red", markup=False, soft_wrap=True)
    raise typer.Exit(1)


def _list(found: list[dict[str, Any]], output: Output) -> None:
    if output is Output.json:
        echo_json(found)
        return
    out = console()
    if not found:
        out.print("Nothing waits for an approval.", style="green")
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("id", "state", "by", "since", "what"):
        table.add_column(name, overflow="fold", no_wrap=name == "id")
    for each in found:
        by = each["by"] or ", ".join(each["approvers"]) or "anybody"
        what = Text(each["about"]) + Text(f"\n{each['project']}", "dim")
        table.add_row(each["id"], Text(each["state"], STYLES.get(each["state"], "")), by, each["opened"], what)
    out.print(table)
    out.print(Text("Give one with: hookkit approve ID (or --deny)", "dim"))


def _line(settled: dict[str, Any]) -> Text:
    state = Text(settled["state"], STYLES[settled["state"]])
    return Text.assemble(settled["id"], " ", state, f" by {settled['by']}: {settled['about']}")
