"""Our own hookkit.toml: what the schema says of it, with the exact place of each pattern."""

import re

from hookkit.checking import conditions
from hookkit.checking.form import text_of
from hookkit.checking.formats import LIKELY, NO, by_name
from hookkit.checking.patterns import remarks
from hookkit.checking.regexes import wrong_python
from hookkit.documents import toml_text
from hookkit.documents.finding import Finding, Problem, Report, Rule, did_you_mean, weigh
from hookkit.documents.node import Lines, Node
from hookkit.errors import PatternError
from hookkit.policy.pattern import parse
from hookkit.policy.rules import VERDICTS
from hookkit.settings.keys import BY_NAME
from hookkit.settings.mistakes import check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PLACED_BELOW = ("rules: regex: ", "rules: config.condition: ")  # with the character that is wrong


def claim(path: str, text: str) -> int:
    """TOML that nobody else claims."""
    return by_name(path, "*hookkit*.toml") or (
        LIKELY if path.endswith(".toml") or re.search(r"^\[{1,2}[\w.\"':-]+\]", text, re.MULTILINE) else NO
    )


def examine(path: str, text: str) -> Report:
    tree, unreadable = toml_text.read(path, text)
    if tree is None:
        return Report(path, [weigh(problem) for problem in unreadable])
    values, problems = check(path, text)
    rules = [*_rules(path, tree, Lines(text)), *_lists(path, tree, Lines(text))]
    findings = [_placed(problem, rules) for problem in problems if not problem.message.startswith(PLACED_BELOW)]
    return Report(path, [*findings, *_regexes(path, tree), *_conditions(path, tree, Lines(text))], rules, values)


def _rules(path: str, tree: Node, lines: Lines) -> "Iterator[Rule]":
    for row in _items(tree.get("rules")):
        node = row.get("match")
        exceptions = _items(row.get("unless"))
        if node is not None and isinstance(node.value, str):
            names = [str(name.plain()) for name in _items(row.get("actors"))]
            rule = Rule(text_of(row.get("type")), node, names, path, lines)
            rule.spares = bool(exceptions)
            yield rule
        yield from (Rule("unless", item, [], path, lines) for item in exceptions if isinstance(item.value, str))


def _lists(path: str, tree: Node, lines: Lines) -> "Iterator[Rule]":
    actors = tree.get("actors")
    for actor, lists in actors.value.items() if actors is not None and isinstance(actors.value, dict) else ():
        for verdict in VERDICTS:
            for node in _items(lists.get(verdict)):
                if isinstance(node.value, str):
                    yield Rule(verdict, node, [actor], path, lines)


def _items(node: Node | None) -> list[Node]:
    return node.value if node is not None and isinstance(node.value, list) else []


def _wrong(rule: Rule) -> PatternError | None:
    try:
        parse(rule.match)
    except PatternError as error:
        return error
    return None


def _placed(problem: Problem, rules: list[Rule]) -> Finding:
    """The schema knows the row; the pattern knows the character, and what was meant."""
    for rule in rules:
        error = _wrong(rule)
        if error is not None and problem.message.endswith(f": {error}: {rule.match}"):
            rules.remove(rule)
            (found,) = remarks(rule)
            return Finding(problem.file, (found.line, found.column), problem.message, found.fix, caret=True)
    found = weigh(problem)
    found.fix = found.fix or _hint(problem.message)
    return found


def _hint(message: str) -> str:
    """What was meant by a word that is none of those expected."""
    choice = re.search(r"expected one of (.+), not '(.+)'$", message)
    if choice:
        return did_you_mean(choice.group(2), choice.group(1).split(", "), 0.6)
    name, colon, rest = message.partition(": ")
    field = re.search(r"unknown field (\S+)$", rest)
    known = [known.lstrip("*") for known in BY_NAME[name].fields] if colon and name in BY_NAME else []
    return did_you_mean(field.group(1), known) if field else ""


def _regexes(path: str, tree: Node) -> "Iterator[Finding]":
    for row in _items(tree.get("rules")):
        regex = row.get("regex")
        wrong = wrong_python(text_of(regex), text_of(row.get("with"))) if regex is not None else ""
        if regex is not None and wrong:
            yield Finding(path, regex.where, f"rules: regex: {wrong}")


def _conditions(path: str, tree: Node, lines: Lines) -> "Iterator[Finding]":
    for row in _items(tree.get("rules")):
        config = row.get("config")
        node = config.get("condition") if config is not None else None
        if text_of(row.get("type")) != "approval_gate" or node is None:
            continue
        if isinstance(node.value, str):
            yield from conditions.remarks(path, node, lines)
        else:
            yield Finding(path, node.where, "rules: config.condition: expected text")
