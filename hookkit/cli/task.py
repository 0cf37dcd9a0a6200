import os
from typing import Annotated, Any

import typer

from hookkit.cli._output import console, echo_json
from hookkit.cli._work import Output, Printed, ago, cells, desk, fail, grid, say
from hookkit.masking import line
from hookkit.work import efforts

HELP = """Tasks: directories that efforts are about. A task never ends; it is active while one of its efforts is.

Example: hookkit task list
"""
TITLE = 200

command = typer.Typer(help=HELP, pretty_exceptions_enable=False)
command.__doc__ = HELP  # as every command has one
Directory = Annotated[str, typer.Argument(metavar="DIR", help="The task's directory.")]


@command.callback(invoke_without_command=True)
def _help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@command.command("list")
def list_(output: Printed = Output.table) -> None:
    """List every task, the active ones first.

    Example: hookkit task list
    """
    with desk() as here:
        rows = [_row(row) for row in efforts.tasks(here.work)]
    if output is Output.json:
        echo_json(rows)
        return
    if not rows:
        say("No tasks. Make one: hookkit task new DIR")
        return
    table = grid("TASK", "TITLE", "STATE", "EFFORTS", "KEYWORDS")
    for row in rows:
        table.add_row(*cells(here.path(row["dir"]), row["title"], row["state"], row["efforts"], row["keywords"]))
    console().print(table)


@command.command()
def show(directory: Directory, output: Printed = Output.table) -> None:
    """Show a task and its efforts.

    Example: hookkit task show tickets/42
    """
    with desk() as here:
        path = os.path.realpath(directory)
        task = next((_row(row) for row in efforts.tasks(here.work) if row["dir"] == path), None)
        if task is None:
            fail(f"{directory} is no task. Make it one: hookkit task new {directory}")
        rows = [row for row in efforts.efforts(here.work) if row["task"] == task["id"]]
    if output is Output.json:
        echo_json({**task, "efforts": [{name: row[name] for name in SHOWN} for row in rows]})
        return
    say(f"{here.path(path)}  {task['title']}  {task['state']}")
    if task["keywords"]:
        say(f"keywords: {task['keywords']}")
    table = grid("ID", "EFFORT", "MODE", "PHASE", "AGENT", "STATE", "SINCE")
    for row in rows:
        since = ago(row["finished"] or row["created"])
        table.add_row(*cells(*(row[name] for name in ("id", "skill", "mode", "phase", "agent", "lifecycle")), since))
    if rows:
        console().print(table)


SHOWN = ("id", "ordinal", "skill", "mode", "phase", "agent", "lifecycle", "created", "finished")


@command.command()
def new(
    directory: Directory,
    title: Annotated[str, typer.Option("--title", "-t", help="What it is about.")] = "",
    keywords: Annotated[str, typer.Option("--keywords", "-k", help="Words to find it by.")] = "",
) -> None:
    """Make a directory a task, and the directory if there is none; for a task, give it another title or keywords.

    Example: hookkit task new tickets/42 --title 'Quotes in the parser' --keywords 'parser, quotes'
    """
    path = os.path.realpath(directory)
    with desk() as here:
        os.makedirs(path, exist_ok=True)
        number = efforts.task(here.work, path, efforts.project_of(path))
        given = [("title", line(title, TITLE)), ("keywords", line(keywords, TITLE))]
        efforts.describe_task(here.work, number, [(name, value) for name, value in given if value])
        say(f"Task {here.path(path)}. Begin: hookkit effort start NAME --task {directory}")


def _row(task: dict[str, Any]) -> dict[str, Any]:
    return {**task, "state": "active" if task["active"] else "dormant"}
