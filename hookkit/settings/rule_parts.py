"""The parts of a rule that have a grammar of their own: patterns, conditions, regular expressions.

hookkit.toml and genesis.key share these checks. Each returns the offset of the mistake, a message and a fix.
"""

import re
import warnings

from hookkit.documents.finding import shown
from hookkit.errors import PatternError
from hookkit.policy import conditions
from hookkit.policy.pattern import parse
from hookkit.settings import tool_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.documents.finding import Fix

    Wrong = tuple[int, str, Fix]  # offset in the text, message, fix


def wrong_pattern(source: str) -> "Wrong | None":
    try:
        parse(source)
    except PatternError as error:
        text = error.source
        return error.at, f"{error}: {shown(source)}", lambda: mended(text)
    return None


def mended(source: str) -> str:
    """A guess at the intended pattern: the first small change that the parser accepts."""
    text = source.strip()
    if "||" in text:
        return "a rule is about one command or one pipeline: write two rules"
    swapped = text.replace("[", "(").replace("]", ")")
    guesses = [text + ")", swapped, swapped + ")", text.replace(")", ""), text.rstrip(")") + ")"]
    guesses.append(f"Bash{text}" if text.startswith("(") else f"Bash({text})")
    for guess in guesses:
        head, parenthesis, rest = guess.partition("(")
        right = "|".join(tool_names.misspelt(name) or name for name in head.split("|")) + parenthesis + rest
        try:
            parse(right)
        except PatternError:
            continue
        return f"did you mean {shown(right)}?"
    return "see docs/grammar.md"


def wrong_condition(source: str) -> "Wrong | None":
    try:
        conditions.parse(source)
    except PatternError as error:
        return error.at, f"condition: {error}: {shown(source)}", "see docs/gates.md"
    return None


def wrong_regex(source: str, replacement: str = "") -> str:
    """A message about a Python regular expression or its replacement, or an empty text.

    The expression itself never runs: even on an empty text it may take forever. Its groups are enough to check the
    replacement.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pattern = re.compile(source)
            names = {number: name for name, number in pattern.groupindex.items()}
            groups = (f"(?P<{names[number]}>)" if number in names else "()" for number in range(1, pattern.groups + 1))
            re.sub("".join(groups), replacement, "")
    except (re.error, IndexError, RecursionError, OverflowError) as error:
        return f"not a regular expression: {error}"
    return ""
