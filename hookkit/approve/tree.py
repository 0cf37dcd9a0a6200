"""Whether the parts of a line beside its commands are plain: variables, tests, loops, functions."""

from hookkit.approve.words import Spoiled
from hookkit.shell.syntax import LITERAL, Compound, Script, Simple, Word

# Variables for the language and the look of a program's output.
HARMLESS = ("LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "TZ", "NO_COLOR", "COLUMNS", "LINES", "TERM", "FORCE_COLOR")
REFUSED = ("function", "((", "coproc", "select")
DEEPEST = 30


def check(script: Script, depth: int = 0) -> None:
    """Raise Spoiled for a part whose effect is more than to choose or repeat commands."""
    if depth > DEEPEST:
        raise Spoiled("the line is nested too deep")
    for pipeline, _ in script.items:
        for command in pipeline.commands:
            words = _simple(command) if isinstance(command, Simple) else _compound(command, depth)
            words += [word for redirect in command.redirects for word in (redirect.target, redirect.body) if word]
            for word in words:
                _word(word, depth)


def _simple(command: Simple) -> list[Word]:
    for word in command.assignments:
        name = (word.parts[0].text if word.parts else "").partition("=")[0].rstrip("+")
        is_own = name.isidentifier() and name.islower() and not name.endswith("_proxy")
        if not is_own and name not in HARMLESS:
            raise Spoiled(f"the variable {name} may change the effect of programs")
    return [*command.assignments, *command.words]


def _compound(command: Compound, depth: int) -> list[Word]:
    if command.kind in REFUSED or (command.kind == "for" and command.text):
        raise Spoiled(f"a line with {command.kind} is not followed")
    if command.kind == "for" and (not command.name.islower() or command.name.endswith("_proxy")):
        raise Spoiled(f"the variable {command.name} may change the effect of programs")
    if command.kind == "[[" and any(_is_computed_twice(word) for word in command.words):
        raise Spoiled("a word of this test may be computed a second time")
    for script in command.scripts:
        check(script, depth + 1)
    return [*command.words, *(word for words in command.branches for word in words)]


def _is_computed_twice(word: Word) -> bool:
    """`[[ 1 -eq 'a[$(rm x)]' ]]`: the shell computes subscripts of a quoted word."""
    texts = [part.text for part in word.parts if part.kind == LITERAL]
    return any("$(" in text or "`" in text or "[" in text for text in texts if text not in ("[[", "]]"))


def _word(word: Word, depth: int) -> None:
    for part in word.parts:
        for script in part.scripts:
            check(script, depth + 1)
        if part.kind == "arithmetic":
            raise Spoiled("the line computes with numbers")
        for inner in part.words:
            _word(inner, depth + 1)
