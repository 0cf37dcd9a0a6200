"""Whether the parts of a line beside its commands are plain: variables, tests, loops, functions."""

from hookkit.approve.words import Spoiled
from hookkit.shell.syntax import LITERAL, VARIABLE, Compound, Script, Simple, Word

# Variables for the language and the look of a program's output.
HARMLESS = ("LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "TZ", "NO_COLOR", "COLUMNS", "LINES", "TERM", "FORCE_COLOR")
REFUSED = ("function", "((", "coproc", "select")
# Variables without a secret. Others are shown only if the line itself has set them.
PUBLIC = frozenset(
    "? # ! $ 0 - PWD OLDPWD HOME USER LOGNAME SHELL LANG TERM HOSTNAME OSTYPE RANDOM SECONDS LINENO".split()
)
MOVES = ("cd", "pushd", "popd", "command", "builtin")
DEEPEST = 30


class Tree:
    """The walk through a line. `shown` are the variables whose values the line uses, `own` those that it sets."""

    def __init__(self) -> None:
        self.shown: dict[str, None] = {}
        self.own: set[str] = set()

    @property
    def private(self) -> str:
        """The first variable whose value may be a secret, or an empty text; `${x@P}` and the like count as private."""
        return next((name for name in self.shown if name not in PUBLIC and name not in self.own), "")

    def check(self, script: Script, depth: int = 0) -> None:
        """Raise Spoiled for a part whose effect is more than to choose or repeat commands."""
        if depth > DEEPEST:
            raise Spoiled("the line is nested too deep")
        for pipeline, _ in script.items:
            for command in pipeline.commands:
                if len(pipeline.commands) > 1 and command is pipeline.commands[-1]:
                    _no_move(command)
                words = self._simple(command) if isinstance(command, Simple) else self._compound(command, depth)
                words += [word for redirect in command.redirects for word in (redirect.target, redirect.body) if word]
                for word in words:
                    self._word(word, depth)

    def _simple(self, command: Simple) -> list[Word]:
        for word in command.assignments:
            name = (word.parts[0].text if word.parts else "").partition("=")[0].rstrip("+")
            is_own = name.isidentifier() and name.islower() and not name.endswith("_proxy")
            if not is_own and name not in HARMLESS:
                raise Spoiled(f"the variable {name} may change the effect of programs")
            self.own.add(name)
        return [*command.assignments, *command.words]

    def _compound(self, command: Compound, depth: int) -> list[Word]:
        if command.kind in REFUSED or (command.kind == "for" and command.text):
            raise Spoiled(f"a line with {command.kind} is not followed")
        if command.kind == "for" and (not command.name.islower() or command.name.endswith("_proxy")):
            raise Spoiled(f"the variable {command.name} may change the effect of programs")
        if command.kind == "[[" and any(_is_computed_twice(word) for word in command.words):
            raise Spoiled("a word of this test may be computed a second time")
        self.own.add(command.name)
        for script in command.scripts:
            self.check(script, depth + 1)
        return [*command.words, *(word for words in command.branches for word in words)]

    def _word(self, word: Word, depth: int) -> None:
        for part in word.parts:
            for script in part.scripts:
                self.check(script, depth + 1)
            if part.kind == "arithmetic":
                raise Spoiled("the line computes with numbers")
            if part.kind == VARIABLE:
                self.shown[part.text] = None
            for inner in part.words:
                self._word(inner, depth + 1)


def _no_move(last: "Simple | Compound") -> None:
    """The last command of a pipeline changes the directory of the commands behind it in zsh, and not in bash."""
    if isinstance(last, Simple):
        if last.words and last.words[0].text in MOVES:
            raise Spoiled("a pipeline changes the directory")
        return
    for script in last.scripts if last.kind != "(" else ():
        for pipeline, _ in script.items:
            for command in pipeline.commands:
                _no_move(command)


def _is_computed_twice(word: Word) -> bool:
    """`[[ 1 -eq 'a[$(rm x)]' ]]`: the shell computes subscripts of a quoted word."""
    texts = [part.text for part in word.parts if part.kind == LITERAL]
    return any("$(" in text or "`" in text or "[" in text for text in texts if text not in ("[[", "]]"))
