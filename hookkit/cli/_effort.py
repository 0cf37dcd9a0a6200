"""Changing efforts: start, phase, texts, files, rules, facts, finish."""

import json
import os

from hookkit.cli._console import fail, say, short, stop
from hookkit.cli._pattern import parsed
from hookkit.cli._work import ago, desk, text_from
from hookkit.ledger.allowance import Allowance
from hookkit.masking import line, mask
from hookkit.system import clipping
from hookkit.work import efforts
from hookkit.work.columns import listed

FILES = 50  # the most that a session starts with
NAMED = 100  # characters of a skill, a mode, a phase, the name of a fact
REASON = 500  # characters of a rule's reason
REMOVE = "remove"


def start(skill: str, task: str, mode: str, agent: str | None) -> None:
    directory = os.path.realpath(task)
    try:
        os.makedirs(directory, exist_ok=True)  # a task is a directory
    except OSError as error:
        stop(f"{task}: {error.strerror}")
    with desk(agent) as here:
        number = efforts.begin(
            here.work, directory, here.project, _name(skill, "SKILL"), _name(mode, "--mode") if mode else ""
        )
        say(f"Effort {number}: {skill} on {here.path(directory)}")
        if here.settings.is_idle("track"):
            here.warn_off("sessions.enabled", "no session will belong to it")


def enter_phase(name: str, number: int | None) -> None:
    with desk() as here:
        effort = here.effort(number)
        efforts.update(here.work, effort["id"], "phase", _name(name, "NAME"))
        say(f"Effort {effort['id']} is in phase {name}")
        here.warn_off("sessions.context", "sessions are not told")


def log(words: list[str] | None, number: int | None) -> None:
    entry = text_from(words, "the entry")
    with desk() as here:
        effort = here.effort(number)
        efforts.log(here.work, effort["id"], entry)
        say(f"Logged for effort {effort['id']}")


def inject(words: list[str] | None, number: int | None) -> None:
    left = text_from(words, "the text")
    with desk() as here:
        effort = here.effort(number)
        efforts.inject(here.work, effort["id"], left)
        say(f"Left for effort {effort['id']}, to be told with the next tool call or prompt")
        here.warn_off("sessions.injections", "nothing will be delivered")


def dehydrate(words: list[str] | None, number: int | None) -> None:
    kept = text_from(words, "the text")
    with desk() as here:
        effort = here.effort(number)
        efforts.update(here.work, effort["id"], "dehydrated", kept)
        instead = ", in place of what waited before" if effort["dehydrated"] else ""
        count = f"{clipping.length(kept):,} characters"
        say(f"Kept {count} for effort {effort['id']}{instead}; handed over when its next session starts")
        here.warn_off("sessions.dehydration", "nothing will be handed over")


def preload(paths: list[str], number: int | None, *, clear: bool) -> None:
    missing = [path for path in paths if not os.path.isfile(path)]
    if missing:
        stop(f"{missing[0]} is not a file")
    with desk() as here:
        effort = here.effort(number)
        known = [] if clear else listed(effort["preload"])
        kept = list(dict.fromkeys([*known, *(os.path.realpath(path) for path in paths)]))
        if len(kept) > FILES:
            stop(f"{len(kept)} files, and {FILES} is the most. Start over with --clear.")
        if paths or clear:
            efforts.update(here.work, effort["id"], "preload", kept)
        say("\n".join(here.path(path) for path in kept) or f"Effort {effort['id']} preloads nothing")
        if kept:
            here.warn_off("sessions.preload", "no file will be read")


def guard(verdict: str, pattern: str, reason: str, number: int | None) -> None:
    parsed(pattern)
    with desk() as here:
        effort = here.effort(number)
        if verdict == REMOVE:
            is_gone = efforts.drop_guard(here.work, effort["id"], pattern)
            say(f"Removed {pattern}") if is_gone else fail(f"effort {effort['id']} has no rule {pattern}")
            return
        rule = {"type": verdict, "match": pattern, **({"reason": line(reason, REASON)} if reason else {})}
        efforts.add_guard(here.work, effort["id"], rule)
        say(f"{verdict} {pattern}, until effort {effort['id']} is finished")
        here.warn_off("sessions.guards", "no call is held against it")


def set_fact(given: str, number: int | None) -> None:
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
    kept = Allowance().value(value, name)
    with desk() as here:
        effort = here.effort(number)
        efforts.set_fact(here.work, effort["id"], name, kept)
        say(f"{name} = {json.dumps(kept, ensure_ascii=False)}" if kept is not None else f"{name} is gone")


def finish(number: int | None) -> None:
    with desk() as here:
        effort = here.effort(number)
        if effort["lifecycle"] == "finished":
            fail(f"effort {effort['id']} was finished {ago(effort['finished'])} ago")
        efforts.finish(here.work, effort["id"])
        say(f"Effort {effort['id']} is finished")


def _name(text: str, argument: str) -> str:
    """A name is a single line, and a short one."""
    name = line(text, NAMED + 1)
    if not name or len(name) > NAMED:
        stop(f"{argument} is a name of 1 to {NAMED} characters")
    return name
