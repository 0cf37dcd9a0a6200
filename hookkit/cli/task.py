from typing import Annotated

import typer

from hookkit.cli import _task
from hookkit.cli._options import Output, Printed, group

command = group(
    """Tasks: the directories that efforts work on. A task never ends; it is active while an effort works on it.

    Example: hookkit task list
    """
)
Directory = Annotated[str, typer.Argument(metavar="DIR", help="The directory of the task.")]


@command.command("list")
def list_(output: Printed = Output.table) -> None:
    """List every task, the active ones first.

    Example: hookkit task list
    """
    _task.show_list(as_json=output is Output.json)


@command.command()
def show(directory: Directory, output: Printed = Output.table) -> None:
    """Show a task and its efforts.

    Example: hookkit task show tickets/42
    """
    _task.show_one(directory, as_json=output is Output.json)


@command.command()
def new(
    directory: Directory,
    title: Annotated[str, typer.Option("--title", "-t", metavar="TEXT", help="A title for the list of tasks.")] = "",
    keywords: Annotated[str, typer.Option("--keywords", "-k", metavar="TEXT", help="Words to find it by.")] = "",
    output: Printed = Output.table,
) -> None:
    """Make a directory a task, creating it if needed; a known task gets the new title or keywords.

    Example: hookkit task new tickets/42 --title 'Quotes in the parser' --keywords 'parser, quotes'
    """
    _task.make(directory, title, keywords, as_json=output is Output.json)
