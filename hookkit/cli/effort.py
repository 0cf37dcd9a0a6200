import json
import os
from enum import Enum
from typing import Annotated

import typer

from hookkit.cli._effort import known, plain_row, said, title
from hookkit.cli._output import console, echo_json, short, stop
from hookkit.cli._work import SAID, Given, Meant, Number, Output, Printed, ago, cells, desk, fail, grid, say, text_given
from hookkit.errors import PatternError
from hookkit.ledger.allowance import Allowance
from hookkit.masking import line, mask
from hookkit.policy.pattern import parse
from hookkit.system import clipping
from hookkit.work import efforts
from hookkit.work.columns import listed

HELP = """Efforts: work that goes on across sessions until it is finished. Show them, and change them.

Without an ID the effort of this directory's project is meant: the agent's (AGENT_ID), or the latest.

Example: hookkit effort start fix --task tickets/42
"""
FILES = 50  # that a session is started with
NAMED = 100  # characters of a skill, a mode, a phase, a fact's name

command = typer.Typer(help=HELP, pretty_exceptions_enable=False)
command.__doc__ = HELP  # as every command has one


@command.callback(invoke_without_command=True)
def _help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@command.command("list")
def list_(
    every: Annotated[bool, typer.Option("--all", "-a", help="Also finished ones, and other projects'.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """List the active efforts of this project, the newest first.

    Example: hookkit effort list --all
    """
    with desk() as here:
        rows = efforts.efforts(here.work, "" if every else here.project)
    if output is Output.json:
        echo_json([plain_row(row) for row in rows])
        return
    if not rows:
        say("No efforts." if every else "No active efforts here. Start one: hookkit effort start NAME")
        return
    table = grid("ID", "EFFORT", "PHASE", "AGENT", "STATE", "SINCE", "TASK")
    for row in rows:
        state, since = row["lifecycle"], ago(row["finished"] or row["created"])
        table.add_row(*cells(row["id"], title(row), row["phase"], row["agent"], state, since, here.path(row["dir"])))
    console().print(table)


@command.command()
def show(number: Number = None, output: Printed = Output.table) -> None:
    """Show all that is known of an effort.

    Example: hookkit effort show
    """
    with desk() as here:
        effort = here.effort(number)
        rows = known(here, effort)
        sessions = efforts.sessions(here.work, effort["id"])
    if output is Output.json:
        echo_json({**plain_row(effort), "sessions": [{**row, "loaded": listed(row["loaded"])} for row in sessions]})
        return
    table = grid()
    table.show_header = False
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in rows:
        if text:
            table.add_row(*cells(name, text))
    console().print(table)


@command.command()
def start(
    skill: Annotated[str, typer.Argument(help="What is done, in a word: fix, review, brainstorm.")],
    task: Annotated[str, typer.Option("--task", "-t", metavar="DIR", help="The task's directory.")] = ".",
    mode: Annotated[str, typer.Option("--mode", "-m", help="How it is done, if that matters.")] = "",
    agent: Annotated[str | None, typer.Option("--agent", "-a", help="Whose it is, if not AGENT_ID's.")] = None,
) -> None:
    """Start an effort on a task; sessions of the agent in this project go on under it.

    Example: hookkit effort start fix --task tickets/42 --mode careful
    """
    directory = os.path.realpath(task)
    try:
        os.makedirs(directory, exist_ok=True)  # a task is a directory
    except OSError as error:
        stop(f"hookkit: {task}: {error.strerror}")
    with desk(agent) as here:
        number = efforts.begin(
            here.work, directory, here.project, _word(skill, "SKILL"), _word(mode, "--mode") if mode else ""
        )
        say(f"Effort {number}: {skill} on {here.path(directory)}")
        if here.settings.is_idle("track"):
            here.warn_off("sessions.enabled", "no session will belong to it")


@command.command()
def phase(name: Annotated[str, typer.Argument(help="Where the work is now.")], number: Meant = None) -> None:
    """Say where the work is now: planning, building, testing.

    Example: hookkit effort phase testing
    """
    with desk() as here:
        effort = here.effort(number)
        efforts.update(here.work, effort["id"], "phase", _word(name, "NAME"))
        say(f"Effort {effort['id']} is in phase {name}")
        here.warn_off("sessions.context", "sessions are not told")


@command.command(context_settings=SAID)
def log(text: Given = None, number: Meant = None) -> None:
    """Write a log entry; the count of calls since the last one begins anew.

    Example: hookkit effort log 'The parser reads quotes. Next: tests for nested ones.'
    """
    entry = text_given(text, "the entry")
    with desk() as here:
        effort = here.effort(number)
        efforts.log(here.work, effort["id"], entry)
        say(f"Logged for effort {effort['id']}")


@command.command(context_settings=SAID)
def inject(text: Given = None, number: Meant = None) -> None:
    """Leave a text for the agent: it is told with its next tool call or prompt, once.

    Example: hookkit effort inject 'The API changed: read docs/api.md again.'
    """
    left = text_given(text, "the text")
    with desk() as here:
        effort = here.effort(number)
        efforts.inject(here.work, effort["id"], left)
        say(f"Left for effort {effort['id']}, to be told with the next tool call or prompt")
        here.warn_off("sessions.injections", "nothing will be delivered")


@command.command(context_settings=SAID)
def dehydrate(text: Given = None, number: Meant = None) -> None:
    """Write down where the work stands, for the session after this one; at most 8,000 characters.

    Example: hookkit effort dehydrate < handover.md
    """
    kept = text_given(text, "the text")
    with desk() as here:
        effort = here.effort(number)
        efforts.update(here.work, effort["id"], "dehydrated", kept)
        instead = ", in place of what waited before" if effort["dehydrated"] else ""
        count = f"{clipping.length(kept):,} characters"
        say(f"Kept {count} for effort {effort['id']}{instead}; handed over when its next session starts")
        here.warn_off("sessions.dehydration", "nothing will be handed over")


@command.command()
def preload(
    paths: Annotated[list[str] | None, typer.Argument(metavar="FILE…", help="Added to those that are there.")] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Forget those that are there.")] = False,  # noqa: FBT002
    number: Meant = None,
) -> None:
    """Name files that every session of the effort starts with; without any, show them.

    Example: hookkit effort preload docs/api.md plan.md
    """
    missing = [path for path in paths or [] if not os.path.isfile(path)]
    if missing:
        stop(f"hookkit: {missing[0]} is no file")
    with desk() as here:
        effort = here.effort(number)
        known = [] if clear else listed(effort["preload"])
        kept = list(dict.fromkeys([*known, *(os.path.realpath(path) for path in paths or [])]))
        if len(kept) > FILES:
            stop(f"hookkit: {len(kept)} files, and {FILES} is the most. Start over with --clear.")
        if paths or clear:
            efforts.update(here.work, effort["id"], "preload", kept)
        say("\n".join(here.path(path) for path in kept) or f"Effort {effort['id']} preloads nothing")
        if kept:
            here.warn_off("sessions.preload", "no file will be read")


class Verdict(str, Enum):
    deny = "deny"
    ask = "ask"
    remove = "remove"


@command.command()
def guard(
    verdict: Annotated[Verdict, typer.Argument(help="What such calls get; remove takes a rule away.")],
    pattern: Annotated[str, typer.Argument(help="As in a rule: 'Bash(git push *)'.")],
    reason: Annotated[str, typer.Option("--reason", "-r", help="What the agent is told.")] = "",
    number: Meant = None,
) -> None:
    """Add a rule that holds for as long as the effort does; it can only make things stricter.

    Example: hookkit effort guard deny 'Bash(git push *)' --reason 'Not before the review.'
    """
    try:
        parse(pattern)
    except PatternError as error:
        stop(f"{error}\n  {error.source}\n  {' ' * error.at}^")
    with desk() as here:
        effort = here.effort(number)
        if verdict is Verdict.remove:
            is_gone = efforts.drop_guard(here.work, effort["id"], pattern)
            say(f"Removed {pattern}") if is_gone else fail(f"effort {effort['id']} has no rule {pattern}")
            return
        rule = {"type": verdict.value, "match": pattern, **({"reason": line(reason, 500)} if reason else {})}
        efforts.add_guard(here.work, effort["id"], rule)
        say(f"{verdict.value} {pattern}, until effort {effort['id']} is finished")
        here.warn_off("sessions.guards", "no call is held against it")


@command.command("set")
def set_(
    given: Annotated[str, typer.Argument(metavar="KEY=VALUE", help="The value is JSON, or a text; null removes it.")],
    number: Meant = None,
) -> None:
    """Keep a fact about the effort, for conditions and for whoever looks.

    Example: hookkit effort set ticket=42
    """
    name, equals, text = given.partition("=")
    name = name.strip()
    if not equals or not name.replace("_", "").replace("-", "").replace(".", "").isalnum() or len(name) > NAMED:
        stop(f"hookkit: expected KEY=VALUE, with letters, digits, _, - and . in KEY, not {short(mask(given), 80)!r}")
    if name == "guards":
        stop("hookkit: guards are rules. Add one: hookkit effort guard deny PATTERN")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    kept = Allowance().value(value, name)
    with desk() as here:
        effort = here.effort(number)
        efforts.set_fact(here.work, effort["id"], name, kept)
        say(f"{name} = {json.dumps(kept, ensure_ascii=False)}" if kept is not None else f"{name} is gone")


@command.command()
def finish(number: Number = None) -> None:
    """Finish an effort: no session will belong to it any more, and all that was said stays.

    Example: hookkit effort finish
    """
    with desk() as here:
        effort = here.effort(number)
        if effort["lifecycle"] == "finished":
            fail(f"effort {effort['id']} was finished {ago(effort['finished'])} ago")
        efforts.finish(here.work, effort["id"])
        say(f"Effort {effort['id']} is finished")


@command.command()
def messages(
    number: Number = None,
    kind: Annotated[str, typer.Option("--kind", "-k", help="log, dialogue, failure, injected, rehydrated.")] = "",
    last: Annotated[int, typer.Option("--last", "-n", min=1, help="How many of the newest.")] = 50,
    output: Printed = Output.table,
) -> None:
    """Show what was logged, asked, injected, handed over and what failed, the newest last.

    Example: hookkit effort messages --kind log
    """
    with desk() as here:
        rows = efforts.messages(here.work, here.effort(number)["id"], kind, last)
    if output is Output.json:
        echo_json(rows)
        return
    if not rows:
        say("No messages.")
        return
    table = grid("AGO", "KIND", "WHAT")
    for row in rows:
        table.add_row(*cells(ago(row["at"]), row["kind"], said(row["body"])))
    console().print(table)


def _word(text: str, what: str) -> str:
    """A name is one line, and not a long one."""
    name = line(text, NAMED + 1)
    if not name or len(name) > NAMED:
        stop(f"hookkit: {what} is a name of 1 to {NAMED} characters")
    return name
