"""Changing efforts: start, phase, texts, files, rules, facts, finish."""

import json
import os
from typing import Any

from hookkit.cli._console import fail, report, short, stop, warn
from hookkit.cli._pattern import parsed
from hookkit.cli._work import Desk, ago, desk, text_from
from hookkit.ledger.allowance import Allowance
from hookkit.masking import line, mask
from hookkit.system import clipping
from hookkit.work import artefacts, efforts, skills
from hookkit.work.columns import listed

FILES = 50  # the most that a session starts with
NAMED = 100  # characters of a skill, a mode, a phase, the name of a fact
REASON = 500  # characters of a rule's reason
REMOVE = "remove"


def start(skill: str, task: str, mode: str, agent: str | None, *, as_json: bool) -> None:
    directory = os.path.realpath(task)
    if not os.path.isdir(directory):
        stop(f"no directory {task}. Make it a task first: hookkit task new {task}")
    with desk(agent) as here:
        number = efforts.begin(
            here.work, directory, here.project, _name(skill, "SKILL"), _name(mode, "--mode") if mode else ""
        )
        skills.prepare(here.work, here.settings, number)
        value = {"effort": number, "skill": skill, "mode": mode, "task": directory}
        report(f"Effort {number}: {skill} on {here.path(directory)}", value, as_json=as_json)
        if here.settings.is_idle("track"):
            here.warn_off("sessions.enabled", "no session will belong to it")


def enter_phase(name: str, number: int | None, *, as_json: bool) -> None:
    with desk() as here:
        effort = here.effort(number)
        efforts.update(here.work, effort["id"], "phase", _name(name, "NAME"))
        value = {"effort": effort["id"], "phase": name}
        report(f"Effort {effort['id']} is in phase {name}", value, as_json=as_json)
        here.warn_off("sessions.context", "sessions are not told")


def log(words: list[str] | None, number: int | None, *, as_json: bool) -> None:
    entry = text_from(words, "the entry")
    with desk() as here:
        effort = here.effort(number)
        efforts.log(here.work, effort["id"], entry)
        path = _written(here, effort, entry) if here.settings["sessions.artefacts"] else ""
        where = f", and in {here.path(path)}" if path else ""
        value = {"effort": effort["id"], "logged": entry, **({"file": path} if path else {})}
        report(f"Logged for effort {effort['id']}{where}", value, as_json=as_json)


def _written(here: Desk, effort: dict[str, Any], entry: str) -> str:
    """The log file with the new entry; the database has the entry already, so a file that fails is only a warning."""
    try:
        path = artefacts.create(here.work, effort, "log", skills.template(here.settings, effort))
        artefacts.append(path, entry)
    except OSError as error:
        warn(f"the log file was not written: {error.strerror or error}")
        return ""
    return path


def file(kind: str, number: int | None, *, as_json: bool) -> None:
    with desk() as here:
        effort = here.effort(number)
        given = skills.template(here.settings, effort) if kind == "log" else ""
        path = artefacts.create(here.work, effort, _name(kind, "KIND"), given)
        report(here.path(path), {"effort": effort["id"], "kind": kind, "file": path}, as_json=as_json)


def inject(words: list[str] | None, number: int | None, *, as_json: bool) -> None:
    left = text_from(words, "the text")
    with desk() as here:
        effort = here.effort(number)
        efforts.inject(here.work, effort["id"], left)
        message = f"Left for effort {effort['id']}, to be told with the next tool call or prompt"
        report(message, {"effort": effort["id"], "injected": left}, as_json=as_json)
        here.warn_off("sessions.injections", "nothing will be delivered")


def dehydrate(words: list[str] | None, number: int | None, *, as_json: bool) -> None:
    kept = text_from(words, "the text")
    with desk() as here:
        effort = here.effort(number)
        efforts.update(here.work, effort["id"], "dehydrated", kept)
        instead = ", in place of what waited before" if effort["dehydrated"] else ""
        count = f"{clipping.length(kept):,} characters"
        message = f"Kept {count} for effort {effort['id']}{instead}; handed over when its next session starts"
        report(message, {"effort": effort["id"], "dehydrated": kept}, as_json=as_json)
        here.warn_off("sessions.dehydration", "nothing will be handed over")


def preload(paths: list[str], number: int | None, *, clear: bool, as_json: bool) -> None:
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
        message = "\n".join(here.path(path) for path in kept) or f"Effort {effort['id']} preloads nothing"
        report(message, {"effort": effort["id"], "preload": kept}, as_json=as_json)
        if kept:
            here.warn_off("sessions.preload", "no file will be read")


def guard(verdict: str, pattern: str, reason: str, number: int | None, *, as_json: bool) -> None:
    parsed(pattern)
    with desk() as here:
        effort = here.effort(number)
        if verdict == REMOVE:
            if not efforts.drop_guard(here.work, effort["id"], pattern):
                fail(f"effort {effort['id']} has no rule {pattern}")
            report(f"Removed {pattern}", {"effort": effort["id"], "removed": pattern}, as_json=as_json)
            return
        rule = {"type": verdict, "match": pattern, **({"reason": line(reason, REASON)} if reason else {})}
        efforts.add_guard(here.work, effort["id"], rule)
        message = f"{verdict} {pattern}, until effort {effort['id']} is finished"
        report(message, {"effort": effort["id"], "rule": rule}, as_json=as_json)
        here.warn_off("sessions.guards", "no call is held against it")


def set_fact(given: str, number: int | None, *, as_json: bool) -> None:
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
        message = f"{name} = {json.dumps(kept, ensure_ascii=False)}" if kept is not None else f"{name} is gone"
        report(message, {"effort": effort["id"], "key": name, "value": kept}, as_json=as_json)


def finish(number: int | None, *, as_json: bool) -> None:
    with desk() as here:
        effort = here.effort(number)
        if effort["lifecycle"] == "finished":
            fail(f"effort {effort['id']} was finished {ago(effort['finished'])} ago")
        efforts.finish(here.work, effort["id"])
        report(f"Effort {effort['id']} is finished", {"effort": effort["id"]}, as_json=as_json)


def _name(text: str, argument: str) -> str:
    """A name is a single line, and a short one."""
    name = line(text, NAMED + 1)
    if not name or len(name) > NAMED:
        stop(f"{argument} is a name of 1 to {NAMED} characters")
    return name
