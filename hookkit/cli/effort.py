from enum import Enum
from typing import Annotated

import typer

from hookkit.cli import _effort, _effort_views
from hookkit.cli._options import Output, Printed, PrintedBesideText, group
from hookkit.cli._work import FREE_TEXT, Number, Other, Words

command = group(
    """Efforts: work that continues across sessions until it is finished. Show them, and change them.

    Without an ID, the effort of this directory's project is meant: the agent's (AGENT_ID), or the latest.

    Example: hookkit effort start fix --task tickets/42
    """
)


class Strictness(str, Enum):
    deny = "deny"
    ask = "ask"
    remove = _effort.REMOVE


@command.command("list")
def list_(
    every: Annotated[bool, typer.Option("--all", "-a", help="Also finished efforts, and other projects'.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """List the active efforts of this project, the newest first.

    Example: hookkit effort list --all
    """
    _effort_views.show_list(everything=every, as_json=output is Output.json)


@command.command()
def show(number: Number = None, output: Printed = Output.table) -> None:
    """Show all facts of an effort.

    Example: hookkit effort show
    """
    _effort_views.show_one(number, as_json=output is Output.json)


@command.command()
def start(
    skill: Annotated[str, typer.Argument(help="The kind of work, in a word: fix, review, brainstorm.")],
    task: Annotated[str, typer.Option("--task", "-t", metavar="DIR", help="The directory of the task.")] = ".",
    mode: Annotated[str, typer.Option("--mode", "-m", metavar="NAME", help="The way of working, if it matters.")] = "",
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", metavar="ID", help="Its agent; by default AGENT_ID.")
    ] = None,
    output: Printed = Output.table,
) -> None:
    """Start an effort on a task; sessions of the agent in this project go on under it.

    The task is a directory; exits 2 if there is none.

    Example: hookkit effort start fix --task tickets/42 --mode careful
    """
    _effort.start(skill, task, mode, agent, as_json=output is Output.json)


@command.command()
def phase(
    name: Annotated[str, typer.Argument(help="The phase of the work.")],
    number: Other = None,
    output: Printed = Output.table,
) -> None:
    """Set the phase of the work: planning, building, testing.

    Example: hookkit effort phase testing
    """
    _effort.enter_phase(name, number, as_json=output is Output.json)


@command.command(context_settings=FREE_TEXT)
def log(text: Words = None, number: Other = None, output: PrintedBesideText = Output.table) -> None:
    """Write a log entry; the count of calls since the last entry starts again.

    Example: hookkit effort log 'The parser reads quotes. Next: tests for nested ones.'
    """
    _effort.log(text, number, as_json=output is Output.json)


@command.command()
def file(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="The kind of file: log, plan, debrief.")] = "log",
    number: Other = None,
    output: Printed = Output.table,
) -> None:
    """Create a file of the effort in the directory of its task, and print its path.

    The name starts with the number of the effort in its task: 1_BRAINSTORM_PLAN.md. An existing file stays as it is.

    Example: hookkit effort file plan
    """
    _effort.file(kind, number, as_json=output is Output.json)


@command.command(context_settings=FREE_TEXT)
def inject(text: Words = None, number: Other = None, output: PrintedBesideText = Output.table) -> None:
    """Leave a text for the agent, delivered once with its next tool call or prompt.

    Example: hookkit effort inject 'The API changed: read docs/api.md again.'
    """
    _effort.inject(text, number, as_json=output is Output.json)


@command.command(context_settings=FREE_TEXT)
def dehydrate(text: Words = None, number: Other = None, output: PrintedBesideText = Output.table) -> None:
    """Write down the state of the work for the next session; at most 8,000 characters.

    Example: hookkit effort dehydrate < handover.md
    """
    _effort.dehydrate(text, number, as_json=output is Output.json)


@command.command()
def preload(
    paths: Annotated[list[str] | None, typer.Argument(metavar="FILE", help="Added to the known files.")] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Forget the known files first.")] = False,  # noqa: FBT002
    number: Other = None,
    output: Printed = Output.table,
) -> None:
    """Name files that every session of the effort starts with; without a name, show them.

    Example: hookkit effort preload docs/api.md plan.md
    """
    _effort.preload(paths or [], number, clear=clear, as_json=output is Output.json)


@command.command()
def guard(
    verdict: Annotated[Strictness, typer.Argument(help="The answer to matching calls; remove deletes a rule.")],
    pattern: Annotated[str, typer.Argument(help="As in a rule: 'Bash(git push *)'.")],
    reason: Annotated[str, typer.Option("--reason", "-r", metavar="TEXT", help="The reason given to the agent.")] = "",
    number: Other = None,
    output: Printed = Output.table,
) -> None:
    """Add a rule that holds until the effort is finished; it can only make things stricter.

    Example: hookkit effort guard deny 'Bash(git push *)' --reason 'Not before the review.'
    """
    _effort.guard(verdict.value, pattern, reason, number, as_json=output is Output.json)


@command.command("set")
def set_(
    given: Annotated[str, typer.Argument(metavar="KEY=VALUE", help="The value is JSON, or a text; null removes it.")],
    number: Other = None,
    output: Printed = Output.table,
) -> None:
    """Keep a fact about the effort, for conditions of rules and for readers.

    Example: hookkit effort set ticket=42
    """
    _effort.set_fact(given, number, as_json=output is Output.json)


@command.command()
def finish(number: Number = None, output: Printed = Output.table) -> None:
    """Finish an effort: no later session belongs to it, and its messages stay.

    Example: hookkit effort finish
    """
    _effort.finish(number, as_json=output is Output.json)


@command.command()
def messages(
    number: Number = None,
    kind: Annotated[
        str, typer.Option("--kind", "-k", metavar="NAME", help="log, dialogue, failure, injected, rehydrated.")
    ] = "",
    last: Annotated[int, typer.Option("--last", "-n", min=1, help="How many of the newest.")] = 50,
    output: Printed = Output.table,
) -> None:
    """Show log entries, dialogues, injected texts, handovers and failures, the newest last.

    Example: hookkit effort messages --kind log
    """
    _effort_views.show_messages(number, kind, last, as_json=output is Output.json)
