"""hookkit.toml for `validate`: the loader's own findings, with the place of each rule and warnings about conditions."""

import json
import os
import re

from hookkit.checking import conditions
from hookkit.checking.formats import LIKELY, NO, by_name
from hookkit.documents.checker import text_of
from hookkit.documents.element import Element, LineIndex
from hookkit.documents.finding import WARNING, Finding
from hookkit.documents.report import FileReport, WrittenRule
from hookkit.policy.base import RULES
from hookkit.policy.pattern import parse
from hookkit.policy.rules import VERDICTS, spread
from hookkit.programs import own
from hookkit.programs.words import glob
from hookkit.settings import budget, layers, sources, trust
from hookkit.settings.mistakes import OWN, TRUSTED
from hookkit.settings.rule_parts import wrong_condition
from hookkit.settings.toml_file import TomlFile
from hookkit.system import time_limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

NOTHING = Element({}, (1, 1))
CHECK_SECONDS = 60  # the default of gate.check_seconds


def claim(path: str, text: str) -> int:
    """Any TOML that no other format claims."""
    return by_name(path, "*hookkit*.toml") or (
        LIKELY if path.endswith(".toml") or re.search(r"^\[{1,2}[\w.\"':-]+\]", text, re.MULTILINE) else NO
    )


def examine(path: str, text: str) -> FileReport:
    file = TomlFile(path, text, TRUSTED if _is_a_projects(path) else OWN)
    if file.document.problem is not None:
        return FileReport(path, file.findings)
    tree, lines = file.document.tree, file.document.lines
    rules = [*_rules(path, tree, lines), *_lists(path, tree, lines)]
    findings = [*file.findings, *_conditions(path, tree, lines), *_limits(path, text, file), *_times(path, tree)]
    findings += [*_older(path, tree, file), *_unruled(path, tree, file), *_variables(path, tree)]
    return FileReport(path, findings, rules, file.values)


def _is_a_projects(path: str) -> bool:
    """Whether the loader would read this file as a project's: then some settings have no effect."""
    own = [os.path.realpath(own) for _, own in layers.layers("", dict(os.environ))]
    return os.path.basename(path) in ("hookkit.toml", "hookkit.local.toml") and os.path.realpath(path) not in own


def _limits(path: str, text: str, file: TomlFile) -> "Iterator[Finding]":
    """A project's large file is right, but ignored without trust."""
    over = budget.of_text(text) or budget.of_data(file.document.data)
    if over and _is_a_projects(path) and not trust.is_trusted(path, text, dict(os.environ)):
        yield Finding(path, (1, 1), f"{over}: hookkit ignores it", "run hookkit trust", severity=WARNING)


def _times(path: str, tree: Element) -> "Iterator[Finding]":
    """All programs of an event have one deadline, below the limit of the client."""
    gate = tree.get("gate") or NOTHING
    each = (gate.get("check_seconds") or Element(CHECK_SECONDS, (1, 1))).value
    checks = (gate.get("checks") or NOTHING).items()
    total = sum(each for _ in checks if isinstance(each, int))
    for row in tree.find(("rules",)).items():
        limit = row.get("timeout")
        if text_of(row.get("type")) != "command" or limit is None or not isinstance(limit.value, int):
            continue
        moment = text_of((row.get("config") or NOTHING).get("event")) or "PreToolUse"
        most = time_limits.total(moment, {})
        total += limit.value if moment == "Stop" else 0
        if limit.value > most:
            said = f"timeout: {limit.value} s is over the {most:g} s that all programs of a {moment} have together"
            yield Finding(path, limit.where, said, f"write {most:g} or less", severity=WARNING)
    yield from _handler_times(path, tree)
    longest = time_limits.total("Stop", {})
    if total > longest:
        where = (gate.get("checks") or tree).where
        said = f"the checks of a Stop may take {total} s, and have {longest:g} s together: the last ones may not run"
        yield Finding(path, where, said, "lower gate.check_seconds, or run fewer checks", severity=WARNING)


def _handler_times(path: str, tree: Element) -> "Iterator[Finding]":
    for row in tree.find(("hooks",)).items():
        limit, event = row.get("timeout_sec"), text_of(row.get("event"))
        most = time_limits.total(event, {})
        is_late = limit is not None and isinstance(limit.value, (int, float)) and limit.value > most
        if limit is not None and is_late and not (row.get("async") or NOTHING).value:
            said = f"timeout_sec: {limit.value:g} s is over the {most:g} s that all handlers of a {event} usually have"
            fix = "run hookkit init after this change: it gives the hook of your agent a longer limit"
            yield Finding(path, limit.where, said, fix, severity=WARNING)


def _older(path: str, tree: Element, file: TomlFile) -> "Iterator[Finding]":
    """`[[wrappers]]` and `[[approvals]]` work, and have a newer spelling."""
    for name, record in (("wrappers", own.from_wrapper), ("approvals", own.from_approval)):
        key = "name" if name == "wrappers" else "program"
        for row in file.values.get(name, ()):
            element = next(item for item in tree.find((name,)).items() if text_of(item.get(key)) == row[key])
            columns = ", ".join(f"{column} = {json.dumps(value)}" for column, value in record(row).items())
            said = f"[[{name}]] is now [[programs]], which every feature reads"
            yield Finding(path, element.where, said, f"write [[programs]] with {columns}", severity=WARNING)


def _unruled(path: str, tree: Element, file: TomlFile) -> "Iterator[Finding]":
    """An effect of an own program that no rule is about would be known, and asked about by nobody."""
    rows = file.values.get("programs", [])
    rules = [*RULES, *(rule for row in file.values.get("rules", ()) for rule in spread(row))]
    patterns = [parse(rule["match"]) for rule in rules if "match" in rule]
    for number, kind, object_ in own.effects(rows):
        if kind == "Rewrite" or any(kind in each.effects and glob(each.argument or "*", object_) for each in patterns):
            continue
        said = f"no rule is about {kind}({object_}), so hookkit never asks about it"
        fix = f'write remote, data or machine, or add a rule with match = "{kind}({object_})"'
        written = [row for row in tree.find(("programs",)).items() if text_of(row.get("name")) == rows[number]["name"]]
        yield Finding(path, written[-1].where, said, fix, severity=WARNING)


def _variables(path: str, tree: Element) -> "Iterator[Finding]":
    """Variables in the headers of a webhook that the row does not allow."""
    for row in tree.find(("hooks",)).items():
        body = row.get("webhook") or NOTHING
        yield from unlisted_variables(path, body)


def unlisted_variables(path: str, body: Element) -> "Iterator[Finding]":
    headers, allowed = body.get("headers"), body.get("allowed_env")
    if headers is None:
        return
    names = sources.unlisted(headers.plain(), allowed.plain() if allowed is not None else None)
    if names:
        said, fix = sources.says_unlisted(names), sources.how_to_list(names)
        yield Finding(path, headers.where, f"headers: {said}", fix, severity=WARNING)


def _rules(path: str, tree: Element, lines: LineIndex) -> "Iterator[WrittenRule]":
    for row in tree.find(("rules",)).items():
        match = row.get("match") or NOTHING
        exceptions = (row.get("unless") or NOTHING).items()
        for element in [match] if isinstance(match.value, str) else match.items():
            if not isinstance(element.value, str):
                continue
            names = [str(name.value) for name in (row.get("actors") or NOTHING).items()]
            rule = WrittenRule(text_of(row.get("type")), element, names, path, lines)
            rule.spares = bool(exceptions)
            yield rule
        yield from (WrittenRule("unless", item, [], path, lines) for item in exceptions if isinstance(item.value, str))


def _lists(path: str, tree: Element, lines: LineIndex) -> "Iterator[WrittenRule]":
    actors = (tree.get("actors") or NOTHING).value
    for actor, lists in actors.items() if isinstance(actors, dict) else ():
        for verdict in VERDICTS:
            for element in (lists.get(verdict) or NOTHING).items():
                if isinstance(element.value, str):
                    yield WrittenRule(verdict, element, [actor], path, lines)


def _conditions(path: str, tree: Element, lines: LineIndex) -> "Iterator[Finding]":
    for row in tree.find(("rules",)).items():
        element = (row.get("config") or NOTHING).get("condition")
        is_gate = text_of(row.get("type")) == "approval_gate" and isinstance(element, Element)
        if is_gate and element is not None and wrong_condition(text_of(element)) is None:
            yield from conditions.remarks(path, element, lines)
