"""Efforts, which are jobs across sessions: start, phase, texts, files, rules, facts, finish."""

import json
import os
from typing import Annotated, Any

from hookkit.cli import _effort
from hookkit.cli._command import Argument, Option, Subcommands, formats, free_text
from hookkit.cli._console import Output, fail, short, stop, warn
from hookkit.cli._effort import Desk, Number, Other, Words, open_desk, text_from
from hookkit.cli._here import ago
from hookkit.cli.test_pattern import parsed
from hookkit.ledger.evidence import Allowance
from hookkit.system import clipping
from hookkit.system.masking import line, mask
from hookkit.work import efforts, skills
from hookkit.work.store import listed

FILES = 50  # the most that a session starts with
NAMED = 100  # characters of a skill, a mode, a phase, the name of a fact
REASON = 500  # characters of a rule's reason
REMOVE = "remove"

command = Subcommands(
    """Efforts: jobs that continue across sessions until they are finished. Show them, and change them.

    Without an ID, the effort of this directory's project is meant: the agent's (AGENT_ID), or the latest.

    Example: hookkit effort start fix --task tickets/42
    """
)
command.functions.update(_effort.COMMANDS)


@command.command()
def start(
    skill: Annotated[str, Argument(metavar="SKILL", help="The kind of work, in a word: fix, review, brainstorm.")],
    *,
    task: Annotated[str, Option("--task", "-t", metavar="DIR", help="The directory of the task.")] = ".",
    mode: Annotated[str, Option("--mode", "-m", metavar="NAME", help="The way of working, if it matters.")] = "",
    agent: Annotated[str | None, Option("--agent", "-a", metavar="ID", help="Its agent; by default AGENT_ID.")] = None,
) -> Output:
    """Start an effort on a task; sessions of the agent in this project continue under it.

    The task is a directory; exits 2 if there is none.

    Example: hookkit effort start fix --task tickets/42 --mode careful
    """
    directory = os.path.realpath(task)
    if not os.path.isdir(directory):
        stop(f"no directory {task}. Make it a task first: hookkit effort task new {task}")
    with open_desk(agent) as desk:
        number = efforts.begin(
            desk.work, directory, desk.project, _name(skill, "SKILL"), _name(mode, "--mode") if mode else ""
        )
        skills.prepare(desk.work, desk.settings, number)
        if desk.settings.is_idle("track"):
            desk.warn_off("track", "no session will belong to it")
        value = {"effort": number, "skill": skill, "mode": mode, "task": directory}
        return Output(value, f"Effort {number}: {skill} on {desk.path(directory)}")


@command.command()
def phase(
    name: Annotated[str, Argument(metavar="NAME", help="The phase of the work.")], *, number: Other = None
) -> Output:
    """Set the phase of the work: planning, building, testing.

    Example: hookkit effort phase testing
    """
    with open_desk() as desk:
        effort = desk.effort(number)
        efforts.update(desk.work, effort["id"], "phase", _name(name, "NAME"))
        desk.warn_off("prompts", "sessions are not told")
        return Output({"effort": effort["id"], "phase": name}, f"Effort {effort['id']} is in phase {name}")


@command.command()
@free_text
@formats("table", "json", short=False)
def log(text: Words = None, *, number: Other = None) -> Output:
    """Write a log entry; the count of calls since the last entry starts again.

    Example: hookkit effort log 'The parser reads quotes. Next: tests for nested ones.'
    """
    entry = text_from(text, "the entry")
    with open_desk() as desk:
        effort = desk.effort(number)
        efforts.log(desk.work, effort["id"], entry)
        path = _written(desk, effort, entry) if "log" in desk.settings["sessions.parts"] else ""
        where = f", and in {desk.path(path)}" if path else ""
        value = {"effort": effort["id"], "logged": entry, **({"file": path} if path else {})}
        return Output(value, f"Logged for effort {effort['id']}{where}")


def _written(desk: Desk, effort: dict[str, Any], entry: str) -> str:
    """The log file with the new entry; the database has the entry already, so a file that fails is only a warning."""
    try:
        path = skills.create_file(desk.work, effort, "log", skills.template(desk.settings, effort))
        skills.append_entry(path, entry)
    except OSError as error:
        warn(f"the log file was not written: {error.strerror or error}")
        return ""
    return path


@command.command()
def file(
    kind: Annotated[str, Argument(metavar="KIND", help="The kind of file: log, plan, debrief.")] = "log",
    *,
    number: Other = None,
) -> Output:
    """Create a file of the effort in the directory of its task, and print its path.

    The name starts with the number of the effort in its task: 1_BRAINSTORM_PLAN.md. An existing file stays as it is.

    Example: hookkit effort file plan
    """
    with open_desk() as desk:
        effort = desk.effort(number)
        given = skills.template(desk.settings, effort) if kind == "log" else ""
        path = skills.create_file(desk.work, effort, _name(kind, "KIND"), given)
        return Output({"effort": effort["id"], "kind": kind, "file": path}, desk.path(path))


@command.command()
@free_text
@formats("table", "json", short=False)
def inject(text: Words = None, *, number: Other = None) -> Output:
    """Leave a message for the agent, delivered once with its next tool call or prompt.

    Example: hookkit effort inject 'The API changed: read docs/api.md again.'
    """
    left = text_from(text, "the text")
    with open_desk() as desk:
        effort = desk.effort(number)
        efforts.inject(desk.work, effort["id"], left)
        desk.warn_off("messages", "nothing will be delivered")
        message = f"Left for effort {effort['id']}, to be told with the next tool call or prompt"
        return Output({"effort": effort["id"], "injected": left}, message)


@command.command()
@free_text
@formats("table", "json", short=False)
def dehydrate(text: Words = None, *, number: Other = None) -> Output:
    """Save notes on the work for the next session; at most 8,000 characters.

    Example: hookkit effort dehydrate < handover.md
    """
    notes = text_from(text, "the text")
    with open_desk() as desk:
        effort = desk.effort(number)
        efforts.update(desk.work, effort["id"], "dehydrated", notes)
        desk.warn_off("notes", "nothing will be handed over")
        instead = ", in place of what waited before" if effort["dehydrated"] else ""
        count = f"{clipping.length(notes):,} characters"
        message = f"Kept {count} for effort {effort['id']}{instead}; handed over when its next session starts"
        return Output({"effort": effort["id"], "dehydrated": notes}, message)


@command.command()
def preload(
    paths: Annotated[list[str] | None, Argument(metavar="FILE", help="Added to the known files.")] = None,
    *,
    clear: Annotated[bool, Option("--clear", help="Forget the known files first.")] = False,
    number: Other = None,
) -> Output:
    """Name files that every session of the effort starts with; without a name, show them.

    Example: hookkit effort preload docs/api.md plan.md
    """
    missing = [path for path in paths or () if not os.path.isfile(path)]
    if missing:
        stop(f"{missing[0]} is not a file")
    with open_desk() as desk:
        effort = desk.effort(number)
        known = [] if clear else listed(effort["preload"])
        files = list(dict.fromkeys([*known, *(os.path.realpath(path) for path in paths or ())]))
        if len(files) > FILES:
            stop(f"{len(files)} files, and {FILES} is the most. Start over with --clear.")
        if paths or clear:
            efforts.update(desk.work, effort["id"], "preload", files)
        if files:
            desk.warn_off("files", "no file will be read")
        message = "\n".join(desk.path(path) for path in files) or f"Effort {effort['id']} preloads nothing"
        return Output({"effort": effort["id"], "preload": files}, message)


@command.command()
def guard(
    verdict: Annotated[
        str,
        Argument(
            metavar="<deny|ask|remove>",
            choices=("deny", "ask", REMOVE),
            help="The answer to matching calls; remove deletes a rule.",
        ),
    ],
    pattern: Annotated[str, Argument(metavar="PATTERN", help="As in a rule: 'Bash(git push *)'.")],
    *,
    reason: Annotated[str, Option("--reason", "-r", metavar="TEXT", help="The reason given to the agent.")] = "",
    number: Other = None,
) -> Output:
    """Add a rule that applies until the effort is finished; it can only make things stricter.

    Example: hookkit effort guard deny 'Bash(git push *)' --reason 'Not before the review.'
    """
    parsed(pattern)
    with open_desk() as desk:
        effort = desk.effort(number)
        if verdict == REMOVE:
            if not efforts.drop_guard(desk.work, effort["id"], pattern):
                fail(f"effort {effort['id']} has no rule {pattern}")
            return Output({"effort": effort["id"], "removed": pattern}, f"Removed {pattern}")
        rule = {"type": verdict, "match": pattern, **({"reason": line(reason, REASON)} if reason else {})}
        efforts.add_guard(desk.work, effort["id"], rule)
        desk.warn_off("rules", "no call is held against it")
        return Output(
            {"effort": effort["id"], "rule": rule}, f"{verdict} {pattern}, until effort {effort['id']} is finished"
        )


@command.command("set")
def set_(
    given: Annotated[str, Argument(metavar="KEY=VALUE", help="The value is JSON, or a text; null removes it.")],
    *,
    number: Other = None,
) -> Output:
    """Keep a fact about the effort, for conditions of rules and for readers.

    Example: hookkit effort set ticket=42
    """
    name, equals, text = given.partition("=")
    name = name.strip()
    if not equals or not name.replace("_", "").replace("-", "").replace(".", "").isalnum() or len(name) > NAMED:
        stop(f"expected KEY=VALUE, with letters, digits, _, - and . in KEY, not {short(mask(given), 80)!r}")
    if name == "guards":
        stop("guards are rules. Add one: hookkit effort guard deny PATTERN")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    fact = Allowance().value(value, name)
    with open_desk() as desk:
        effort = desk.effort(number)
        efforts.set_fact(desk.work, effort["id"], name, fact)
        message = f"{name} = {json.dumps(fact, ensure_ascii=False)}" if fact is not None else f"{name} is gone"
        return Output({"effort": effort["id"], "key": name, "value": fact}, message)


@command.command()
def finish(number: Number = None) -> Output:
    """Finish an effort: no later session belongs to it, and its messages stay.

    Example: hookkit effort finish
    """
    with open_desk() as desk:
        effort = desk.effort(number)
        if effort["lifecycle"] == "finished":
            fail(f"effort {effort['id']} was finished {ago(effort['finished'])} ago")
        efforts.finish(desk.work, effort["id"])
        return Output({"effort": effort["id"]}, f"Effort {effort['id']} is finished")


def _name(text: str, argument: str) -> str:
    """A name is a single line, and a short one."""
    name = line(text, NAMED + 1)
    if not name or len(name) > NAMED:
        stop(f"{argument} is a name of 1 to {NAMED} characters")
    return name
