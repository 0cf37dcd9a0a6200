"""All findings of some files: of each file, of each rule, and of rules compared with each other."""

import re

from hookkit.errors import PatternError
from hookkit.policy.base import RULES
from hookkit.policy.index import ANY, keys
from hookkit.policy.pattern import PATH, SUBJECTS, Pattern, parse
from hookkit.programs.options import parse as parse_words
from hookkit.programs.stages import matches_words
from hookkit.programs.words import glob, is_option
from hookkit.settings.checks import patterns
from hookkit.settings.documents.finding import ERROR, WARNING, Finding, WrittenRule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.settings.documents.finding import FileReport


STRICTER = {"allow": ("ask", "deny"), "ask": ("deny",), "deny": ()}
ANYTHING = "\2"  # stands for a star of the narrower pattern: only a star of the wider pattern matches it
MOST = 2_000  # rules compared with each other


def remarks(rules: list[WrittenRule]) -> "Iterator[Finding]":
    """At most one remark on each rule: the rule has no effect, or the rule is there twice."""
    parsed = [(rule, pattern) for rule in rules[:MOST] if (pattern := _parsed(rule)) is not None]
    index: dict[str, list[tuple[WrittenRule, Pattern]]] = {}
    for rule, pattern in parsed:
        for key in _keys(pattern):
            index.setdefault(key, []).append((rule, pattern))
    seen: dict[tuple[str, str, str, str], WrittenRule] = {}
    for rule, pattern in parsed:
        over = next((other for other, wider in _near(pattern, index) if _overrules(other, rule, wider, pattern)), None)
        first = seen.setdefault((rule.file, rule.verdict, rule.match.strip(), ",".join(sorted(rule.actors))), rule)
        if over is not None:
            message = f"{rule} has no effect: {over} {_at(over, rule)} covers it, and the stricter rule wins"
            yield _finding(rule, message, ERROR if over.file == rule.file else WARNING)
        elif first is not rule:
            yield _finding(rule, f"{rule} is already written {_at(first, rule)}", WARNING)


def _near(
    pattern: Pattern, index: "dict[str, list[tuple[WrittenRule, Pattern]]]"
) -> "Iterator[tuple[WrittenRule, Pattern]]":
    """The rules that could cover the pattern, from the index."""
    shelves = [shelf for shelf, _ in keys(pattern)]
    names = [ANY, *shelves, *_keys(pattern), *pattern.tools, *(f"{tool}:{ANY}" for tool in pattern.tools)]
    for name in dict.fromkeys(names):
        yield from index.get(name, ())


def _keys(pattern: Pattern) -> list[str]:
    """Keys with the second word of a command, so a thousand rules about git are not all compared with each other."""
    words = pattern.stages[0].words[1:2] if len(pattern.stages) == 1 else []
    is_plain = bool(words) and "*" not in words[0] and not is_option(words[0])
    return [f"{shelf} {words[0]}" if is_plain and ":" in shelf else shelf for shelf, _ in keys(pattern)]


def _parsed(rule: WrittenRule) -> Pattern | None:
    try:
        return parse(rule.match) if rule.verdict in STRICTER else None
    except PatternError:  # the reader of the file has reported it
        return None


def _overrules(other: WrittenRule, rule: WrittenRule, wider: Pattern, pattern: Pattern) -> bool:
    """Whether a stricter rule covers every call of the rule, for every actor of the rule."""
    if other.verdict not in STRICTER[rule.verdict] or other.spares:
        return False
    is_for_all = not other.actors or (bool(rule.actors) and set(rule.actors) <= set(other.actors))
    return is_for_all and covers(wider, pattern)


def _at(other: WrittenRule, rule: WrittenRule) -> str:
    line = other.element.where[0]
    return f"in line {line}" if other.file == rule.file else f"at {other.file}:{line}"


def _finding(rule: WrittenRule, message: str, severity: str) -> Finding:
    return Finding(rule.file, rule.element.where, message, "remove one of them", severity=severity, caret=True)


def covers(wider: Pattern, narrower: Pattern) -> bool:
    """Whether the wider pattern matches every call of the narrower pattern; False when in doubt."""
    if not all(any(glob(tool, other) for tool in wider.tools) for other in narrower.tools):
        return False
    if wider.field or narrower.field:
        same = wider.field == narrower.field
        return same and _covers_text(wider.argument or "*", narrower.argument or "*")
    if wider.argument is None or wider.argument == narrower.argument:
        return True
    if narrower.argument is None:
        return False
    if wider.stages or narrower.stages:
        return _covers_command(wider, narrower)
    kinds = {SUBJECTS.get(tool, ("", ""))[1] for tool in narrower.tools}
    is_covered = _covers_path if kinds == {PATH} else _covers_text
    return is_covered(wider.argument, narrower.argument)


def _spelled(narrower: str) -> str:
    return re.sub(r"\\\*|\*", lambda star: ANYTHING if star.group() == "*" else "*", narrower)


def _covers_text(wider: str, narrower: str) -> bool:
    return glob(wider, _spelled(narrower))


def _covers_command(wider: Pattern, narrower: Pattern) -> bool:
    """Matches the narrower pattern as if it were a command; only a star matches its stars."""
    if len(wider.stages) != 1 or len(narrower.stages) != 1:
        return False
    whole, part = wider.stages[0], narrower.stages[0]
    if not part.program or (part.open and not whole.open):
        return False
    if whole.words[1:] == ["*"]:
        return whole.program == part.program
    shape = parse_words([_spelled(word) for word in part.words])
    return not shape.values and matches_words(whole, shape, wide=True)  # an option may take the next word as its value


def _covers_path(wider: str, narrower: str) -> bool:
    wider, narrower = wider.replace("**", "*"), narrower.replace("**", "*")
    if "!" in (wider[:1], narrower[:1]):  # a negated pattern
        return False
    if "/" in wider or "~" in wider:
        return wider[:1] == narrower[:1] and _covers_text(wider, narrower)
    name = narrower.rpartition("/")[2]
    return ("*" not in name or name == narrower) and _covers_text(wider, name)


SHIPPED = {(rule["type"], rule["match"]) for rule in RULES}  # known to be meant as they are written


def review(reports: "list[FileReport]", *, together: bool) -> "list[Finding]":
    """`together` compares the rules of all files, for the layers of a project."""
    findings = [finding for report in reports for finding in report.findings]
    for rule in [rule for report in reports for rule in report.rules if (rule.verdict, rule.match) not in SHIPPED]:
        findings += patterns.remarks(rule)
    for rules in [[rule for report in reports for rule in report.rules]] if together else [r.rules for r in reports]:
        findings += remarks(rules)
    order = {report.file: number for number, report in enumerate(reports)}
    return sorted(findings, key=lambda each: (order[each.file], each.line, each.column, each.severity))
