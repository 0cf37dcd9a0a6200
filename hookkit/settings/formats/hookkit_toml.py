"""hookkit.toml for `validate`: the loader's own findings, the place of each rule, settings without an effect.

The JSON Schema of the file, for editors, is made from the table of settings.
"""

import json
import os
import re

from hookkit.policy.base import RULES
from hookkit.policy.pattern import parse
from hookkit.policy.rules import VERDICTS, spread
from hookkit.programs import compiling
from hookkit.programs.words import glob
from hookkit.settings import hook_rows, layers, sources, trust
from hookkit.settings.documents.finding import ERROR, WARNING, Element, FileReport, Finding, LineIndex, WrittenRule
from hookkit.settings.documents.kinds import KINDS, text_of
from hookkit.settings.formats import LIKELY, NO, SURE, by_name
from hookkit.settings.keys import KEYS, Key
from hookkit.settings.mistakes import OWN, TRUSTED, data_excess, text_excess
from hookkit.settings.reading import TomlFile
from hookkit.settings.rule_rows import wrong_condition
from hookkit.system import user_programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookkit.settings.documents.kinds import Fields

NOTHING = Element({}, (1, 1))
DRAFT = "http://json-schema.org/draft-07/schema#"
CHECK_SECONDS = 60  # the default of gate.check_seconds


def claim(path: str, text: str) -> int:
    """Any TOML that no other format claims, and the file of `hookkit hook add` in hookkit's own directory."""
    if path.endswith("/hookkit/hooks.toml"):
        return SURE
    is_likely = path.endswith(".toml") or re.search(r"^\[{1,2}[\w.\"':-]+\]", text, re.MULTILINE)
    return by_name(path, "*hookkit*.toml") or (LIKELY if is_likely else NO)


def examine(path: str, text: str) -> FileReport:
    file = TomlFile(path, text, TRUSTED if _is_a_projects(path) else OWN)
    if file.document.problem is not None:
        return FileReport(path, file.findings)
    tree, lines = file.document.tree, file.document.lines
    rules = [*_rules(path, tree, lines), *_lists(path, tree, lines)]
    findings = [*file.findings, *_conditions(path, tree, lines), *_limits(path, text, file), *_times(path, tree)]
    findings += [*_older(path, tree, file), *_unruled(path, tree, file), *_handlers(path, tree)]
    findings += _idle(path, tree, file)
    return FileReport(path, findings, rules, file.values)


def _is_a_projects(path: str) -> bool:
    """Whether the loader would read this file as a project's: then some settings have no effect."""
    own = [os.path.realpath(own) for _, own in layers.layers("", dict(os.environ))]
    return os.path.basename(path) in ("hookkit.toml", "hookkit.local.toml") and os.path.realpath(path) not in own


def _limits(path: str, text: str, file: TomlFile) -> "Iterator[Finding]":
    """A project's large file is right, but ignored without trust."""
    over = text_excess(text) or data_excess(file.document.data)
    if over and _is_a_projects(path) and not trust.is_trusted(path, text, dict(os.environ)):
        yield Finding(path, (1, 1), f"{over}: hookkit ignores it", "run hookkit trust", severity=WARNING)


def _times(path: str, tree: Element) -> "Iterator[Finding]":
    """All programs of an event have one deadline, below the limit of the client."""
    gate = tree.get("gate") or NOTHING
    seconds = (gate.get("check_seconds") or Element(CHECK_SECONDS, (1, 1))).value
    checks = (gate.get("checks") or NOTHING).items()
    total = sum(seconds for _ in checks if isinstance(seconds, int))
    for row in tree.find(("rules",)).items():
        limit = row.get("timeout")
        if text_of(row.get("type")) != "command" or limit is None or not isinstance(limit.value, int):
            continue
        moment = text_of((row.get("config") or NOTHING).get("event")) or "PreToolUse"
        most = user_programs.time_limit(moment, {})
        total += limit.value if moment == "Stop" else 0
        if limit.value > most:
            message = f"timeout: {limit.value} s is over the {most:g} s that all programs of a {moment} have together"
            yield Finding(path, limit.where, message, f"write {most:g} or less", severity=WARNING)
    yield from _handler_times(path, tree)
    longest = user_programs.time_limit("Stop", {})
    if total > longest:
        where = (gate.get("checks") or tree).where
        message = f"the checks of a Stop may take {total} s, and have {longest:g} s together: the last ones may not run"
        yield Finding(path, where, message, "lower gate.check_seconds, or run fewer checks", severity=WARNING)


def _handler_times(path: str, tree: Element) -> "Iterator[Finding]":
    longest = user_programs.usable(user_programs.LONGEST_LIMIT)
    for row in tree.find(("hooks",)).items():
        name, limit = _limit(row)
        event, seconds = text_of(row.get("event")), limit.value
        usual = user_programs.time_limit(event, {})
        if (row.get("async") or NOTHING).value or not isinstance(seconds, (int, float)) or seconds <= usual:
            continue
        most, when = (longest, "can have") if seconds > longest else (usual, "usually have")
        message = f"{name}: {seconds:g} s is over the {most:g} s that all handlers of a {event} {when}"
        fix = "run hookkit init after this change: it gives the hook of your agent a longer limit"
        fix = f"write {longest:g} or less" if seconds > longest else fix
        yield Finding(path, limit.where, message, fix, severity=WARNING)


def _limit(row: Element) -> tuple[str, Element]:
    """The time limit of a handler, written beside its event or in its table."""
    tables = (row.get(name) or NOTHING for name in hook_rows.SPELLED)
    within = (("timeout", table.get("timeout")) for table in tables)
    given = (("timeout_sec", row.get("timeout_sec")), *within)
    return next(((name, limit) for name, limit in given if limit is not None), ("", NOTHING))


def _older(path: str, tree: Element, file: TomlFile) -> "Iterator[Finding]":
    """`[[wrappers]]` and `[[approvals]]` work, and have a newer spelling."""
    for name, record in (("wrappers", compiling.from_wrapper), ("approvals", compiling.from_approval)):
        key = "name" if name == "wrappers" else "program"
        for row in file.values.get(name, ()):
            element = next(item for item in tree.find((name,)).items() if text_of(item.get(key)) == row[key])
            columns = ", ".join(f"{column} = {json.dumps(value)}" for column, value in record(row).items())
            message = f"[[{name}]] is now [[programs]], which every feature reads"
            yield Finding(path, element.where, message, f"write [[programs]] with {columns}", severity=WARNING)


def _unruled(path: str, tree: Element, file: TomlFile) -> "Iterator[Finding]":
    """An effect of an own program that no rule is about would be known, and asked about by nobody."""
    rows = file.values.get("programs", [])
    rules = [*RULES, *(rule for row in file.values.get("rules", ()) for rule in spread(row))]
    patterns = [parse(rule["match"]) for rule in rules if "match" in rule]
    for number, kind, object_ in compiling.effects(rows):
        if kind == "Rewrite" or any(
            kind in pattern.effects and glob(pattern.argument or "*", object_) for pattern in patterns
        ):
            continue
        message = f"no rule is about {kind}({object_}), so hookkit never asks about it"
        fix = f'write remote, data or machine, or add a rule with match = "{kind}({object_})"'
        written = [row for row in tree.find(("programs",)).items() if text_of(row.get("name")) == rows[number]["name"]]
        yield Finding(path, written[-1].where, message, fix, severity=WARNING)


def _idle(path: str, tree: Element, file: TomlFile) -> "Iterator[Finding]":
    """Settings without an effect beside the others of this file and of its layers."""
    loaded = layers.load(os.path.dirname(os.path.abspath(path)), dict(os.environ))
    loaded.values = {**loaded.values, **file.values}
    names = [name for name in file.values if path != layers.MANAGED or name != "hooks"]
    for name, why, fix in sources.idle(loaded, names):
        where = tree.find(tuple(name.split("."))).where
        yield Finding(path, where, sources.says_idle(name, why), fix, severity=WARNING)


def _handlers(path: str, tree: Element) -> "Iterator[Finding]":
    """Variables in the headers of a webhook that the row does not allow, and fields that never count."""
    for row in tree.find(("hooks",)).items():
        yield from unlisted_variables(path, row.get("webhook") or NOTHING)
        fields = {name: row.get(name) for name in ("matcher", "tool_matcher", "if", "on_failure", "async")}
        asked = {name: element.value for name, element in fields.items() if element is not None}
        asked = {name: value for name, value in asked.items() if isinstance(value, (str, bool))}
        for name, why, fix in sources.of_handler(text_of(row.get("event")), asked):
            severity = WARNING if name == "on_failure" else ERROR
            yield Finding(path, (fields[name] or NOTHING).where, f"{name}: {why}", fix, severity=severity)


def unlisted_variables(path: str, body: Element) -> "Iterator[Finding]":
    headers, allowed = body.get("headers"), body.get("allowed_env")
    if headers is None:
        return
    names = sources.unlisted(headers.plain(), allowed.plain() if allowed is not None else None)
    if names:
        message, fix = sources.says_unlisted(names), sources.how_to_list(names)
        yield Finding(path, headers.where, f"headers: {message}", fix, severity=WARNING)


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
            yield from sources.of_condition(path, element, lines)


# -- the JSON Schema --


def schema() -> "dict[str, Any]":
    """Tables inside tables, as the dots in the names of the settings say."""
    root: dict[str, Any] = {
        "$schema": DRAFT, "title": "hookkit.toml", "type": "object", "additionalProperties": False, "properties": {},
    }  # fmt: skip
    for key in KEYS:
        *tables, name = key.name.split(".")
        here = root
        for table in tables:
            new = {"type": "object", "additionalProperties": False, "properties": {}}
            here = here["properties"].setdefault(table, new)
        here["properties"][name] = _setting_schema(key)
    return root


def _setting_schema(key: Key) -> "dict[str, Any]":
    shape = dict(KINDS[key.kind].schema)
    if key.options:
        choice = {"enum": [*key.options]}
        shape = {"type": "array", "items": choice} if key.kind == "choices" else choice
    if key.kind == "rows" and key.fields:
        shape["items"] = _row_schema(key.fields)
    about = key.about + (" (in a project's file: needs trust)" if key.trust else "")
    default = [*key.default] if isinstance(key.default, tuple) else key.default
    return {**shape, "description": about, "default": default}


def _row_schema(fields: "Fields") -> "dict[str, Any]":
    known = {name.lstrip("*"): dict(KINDS[kind].schema) for name, kind in fields.items()}
    required = [name[1:] for name in fields if name[0] == "*"]
    return {"type": "object", "additionalProperties": False, "properties": known, "required": required}
