"""Rules among each other: what another rule leaves nothing of, and what is said twice."""

import re

from hookkit.documents.finding import ERROR, WARNING, Finding, Rule
from hookkit.errors import PatternError
from hookkit.policy.index import ANY, keys
from hookkit.policy.pattern import PATH, SUBJECTS, Pattern, glob, matches_words, parse
from hookkit.shell.programs import is_option, sort_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

STRICTER = {"allow": ("ask", "deny"), "ask": ("deny",), "deny": ()}
ANYTHING = "\2"  # what a star of the narrower pattern may stand for: only a star of the wider one takes it
MOST = 2_000  # rules of a file that are held against each other


def remarks(rules: list[Rule]) -> "Iterator[Finding]":
    """Of each rule at most one thing: that it has no effect, or that it stands there already."""
    parsed = [(rule, pattern) for rule in rules[:MOST] if (pattern := _parsed(rule)) is not None]
    index: dict[str, list[tuple[Rule, Pattern]]] = {}
    for rule, pattern in parsed:
        for key in _keys(pattern):
            index.setdefault(key, []).append((rule, pattern))
    seen: dict[tuple[str, str, str, str], Rule] = {}
    for rule, pattern in parsed:
        over = next((other for other, wider in _near(pattern, index) if _overrules(other, rule, wider, pattern)), None)
        first = seen.setdefault((rule.file, rule.verdict, rule.match.strip(), ",".join(sorted(rule.actors))), rule)
        if over is not None:
            said = f"{rule} never has an effect: {over} {_at(over, rule)} covers it, and the stricter wins"
            yield _finding(rule, said, ERROR if over.file == rule.file else WARNING)
        elif first is not rule:
            yield _finding(rule, f"{rule} stands {_at(first, rule)} already", WARNING)


def _near(pattern: Pattern, index: "dict[str, list[tuple[Rule, Pattern]]]") -> "Iterator[tuple[Rule, Pattern]]":
    """Those rules that could cover the pattern, by what they are about."""
    shelves = [shelf for shelf, _ in keys(pattern)]
    names = [ANY, *shelves, *_keys(pattern), *pattern.tools, *(f"{tool}:{ANY}" for tool in pattern.tools)]
    for name in dict.fromkeys(names):
        yield from index.get(name, ())


def _keys(pattern: Pattern) -> list[str]:
    """By the second word of a command too: a thousand rules about git are not held against each other."""
    words = pattern.stages[0].words[1:2] if len(pattern.stages) == 1 else []
    is_plain = bool(words) and "*" not in words[0] and not is_option(words[0])
    return [f"{shelf} {words[0]}" if is_plain and ":" in shelf else shelf for shelf, _ in keys(pattern)]


def _parsed(rule: Rule) -> Pattern | None:
    try:
        return parse(rule.match) if rule.verdict in STRICTER else None
    except PatternError:  # said elsewhere
        return None


def _overrules(other: Rule, rule: Rule, wider: Pattern, pattern: Pattern) -> bool:
    """A stricter rule about all of it, for everybody that the rule is about."""
    if other.verdict not in STRICTER[rule.verdict] or other.spares:
        return False
    is_for_all = not other.actors or (bool(rule.actors) and set(rule.actors) <= set(other.actors))
    return is_for_all and covers(wider, pattern)


def _at(other: Rule, rule: Rule) -> str:
    line = other.node.where[0]
    return f"in line {line}" if other.file == rule.file else f"at {other.file}:{line}"


def _finding(rule: Rule, said: str, severity: str) -> Finding:
    return Finding(rule.file, rule.node.where, said, "take one of them away", severity=severity, caret=True)


def covers(wider: Pattern, narrower: Pattern) -> bool:
    """Whether the one is about every call that the other is about; when in doubt it is not."""
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
    """The narrower pattern is taken for a command: its stars for words that only a star takes."""
    if len(wider.stages) != 1 or len(narrower.stages) != 1:
        return False
    whole, part = wider.stages[0], narrower.stages[0]
    if not part.program or (part.open and not whole.open):
        return False
    if whole.words[1:] == ["*"]:
        return whole.program == part.program
    shape = sort_words([_spelled(word) for word in part.words])
    return not shape.values and matches_words(whole, shape, wide=True)  # a value may be one, or a word by itself


def _covers_path(wider: str, narrower: str) -> bool:
    wider, narrower = wider.replace("**", "*"), narrower.replace("**", "*")
    if "!" in (wider[:1], narrower[:1]):  # everything but something
        return False
    if "/" in wider or "~" in wider:
        return wider[:1] == narrower[:1] and _covers_text(wider, narrower)
    name = narrower.rpartition("/")[2]
    return ("*" not in name or name == narrower) and _covers_text(wider, name)
