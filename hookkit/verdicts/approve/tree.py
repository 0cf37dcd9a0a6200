"""Whether the parts of a line beside its commands are plain: variables, tests, loops, functions."""

from hookkit.errors import Spoiled
from hookkit.shell.syntax import LITERAL, VARIABLE, Compound, Script, Simple, Word

# Variables for the language and the look of a program's output.
HARMLESS = ("LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "TZ", "NO_COLOR", "COLUMNS", "LINES", "TERM", "FORCE_COLOR")
REFUSED = ("function", "((", "coproc", "select")
# Variables without a secret. Others are shown only if the line itself has set them.
PUBLIC = frozenset(
    "? # ! $ 0 - PWD OLDPWD HOME USER LOGNAME SHELL LANG TERM HOSTNAME OSTYPE RANDOM SECONDS LINENO".split()
)
# Lower-case variables with an effect: zsh's own, and settings of npm.
SPECIAL = frozenset(
    "path cdpath fpath module_path aliases galiases saliases functions commands builtins options nameddirs dirstack"
    " mapfile histchars".split()
)
SETTINGS = ("npm_config_",)
NUMBERS = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")  # of `[[`: the shell computes both sides
MOVES = ("cd", "pushd", "popd", "command", "builtin")
DEEPEST = 30
LONGEST_NUMBER = 6  # digits of a number in `{1..9}`


class Tree:
    """The walk through a line. `own` are the variables that the line has set so far.

    `private` is the first other variable whose value the line uses: it may be a secret, and so may `${x@P}`.
    """

    def __init__(self) -> None:
        self.private = ""
        self.has_pipe = False
        self.own: set[str] = set()

    def check(self, script: Script, depth: int = 0) -> None:
        """Raise Spoiled for a part whose effect is more than to choose or repeat commands."""
        if depth > DEEPEST:
            raise Spoiled("the line is nested too deep")
        for pipeline, _ in script.items:
            self.has_pipe = self.has_pipe or len(pipeline.commands) > 1
            for command in pipeline.commands:
                if len(pipeline.commands) > 1 and command is pipeline.commands[-1]:
                    _no_move(command)
                if any(redirect.fd and not redirect.fd.isdigit() for redirect in command.redirects):
                    raise Spoiled("a redirection sets a variable")
                words = self._simple(command) if isinstance(command, Simple) else self._compound(command, depth)
                words += [word for redirect in command.redirects for word in (redirect.target, redirect.body) if word]
                for word in words:
                    self._word(word, depth)

    def _simple(self, command: Simple) -> list[Word]:
        for word in command.assignments:
            name = (word.parts[0].text if word.parts else "").partition("=")[0].rstrip("+")
            if not _is_free(name) and name not in HARMLESS:
                raise Spoiled(f"the variable {name} may change the effect of programs")
            if _has_code(word):
                raise Spoiled(f"the value of {name} may be computed a second time")
            if not command.words:  # `x=1 echo $x` shows another x
                self.own.add(name)
        return [*command.assignments, *command.words]

    def _compound(self, command: Compound, depth: int) -> list[Word]:
        if command.kind in REFUSED or (command.kind == "for" and command.text):
            raise Spoiled(f"a line with {command.kind} is not followed")
        if command.kind == "for" and not _is_free(command.name):
            raise Spoiled(f"the variable {command.name} may change the effect of programs")
        if command.kind in ("while", "until") and _is_constant(command.scripts[0]):
            raise Spoiled("the loop never ends")
        is_computed = command.kind == "for" and any(_has_code(word) for word in command.words)
        if is_computed or (command.kind == "[[" and _is_computed_twice(command.words)):
            raise Spoiled("a word of this line may be computed a second time")
        self.own.add(command.name)
        for script in command.scripts:
            self.check(script, depth + 1)
        return [*command.words, *(word for words in command.branches for word in words)]

    def _word(self, word: Word, depth: int) -> None:
        for part in word.parts:
            if part.kind == LITERAL and not part.quoted and ".." in part.text and _is_long(part.text):
                raise Spoiled("the line repeats too often")
            for script in part.scripts:
                self.check(script, depth + 1)
            if part.kind == "arithmetic":
                raise Spoiled("the line computes with numbers")
            if part.kind == VARIABLE and part.text not in PUBLIC and part.text not in self.own:
                self.private = self.private or part.text
            for inner in part.words:
                self._word(inner, depth + 1)


def _is_constant(script: Script) -> bool:
    """`while true`, `until false`, `while :`: nothing inside the loop can end it, but for a break."""
    commands = [command for pipeline, _ in script.items for command in pipeline.commands]
    return all(
        isinstance(command, Simple) and command.words[:1] != [] and command.words[0].text in (":", "true", "false")
        for command in commands
    )


def _is_long(text: str) -> bool:
    """`{1..100000}`: more words than anybody reads."""
    numbers = text.replace("{", " ").replace("}", " ").replace("..", " ").split()
    digits = [len(number) for number in numbers if number.lstrip("-").isdigit()]
    # The numbers of each range are the first and the last: two ranges side by side multiply.
    return any(length >= LONGEST_NUMBER for length in digits) or sum(digits[1::2]) > LONGEST_NUMBER


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


def _is_free(name: str) -> bool:
    """Whether a variable has no effect on shells and programs."""
    is_plain = name.isidentifier() and name.islower() and not name.endswith("_proxy")
    return is_plain and name not in SPECIAL and not name.startswith(SETTINGS)


def _has_code(word: Word) -> bool:
    return any("$(" in part.text or "`" in part.text for part in word.parts if part.kind == LITERAL)


def _is_computed_twice(words: "list[Word]") -> bool:
    """`[[ 1 -eq 'a[$(rm x)]' ]]`: the shell computes numbers and subscripts, also in the value of a variable."""
    texts = ["".join(part.text for part in word.parts) for word in words]
    for at, (word, text) in enumerate(zip(words, texts, strict=True)):
        if _has_code(word) or ("[" in text and text not in ("[[", "]]") and any(p.kind == LITERAL for p in word.parts)):
            return True
        beside = [words[place] for place in (at - 1, at + 1) if 0 <= place < len(words)]
        if text in NUMBERS and not all(_is_number(other) for other in beside):
            return True
        if text in ("-v", "-R") and any(part.kind != LITERAL for other in beside[-1:] for part in other.parts):
            return True
    return False


def _is_number(word: Word) -> bool:
    """A number, or a variable that is always a number: `$?`, `$#`, `${#x}`."""
    if len(word.parts) != 1:
        return False
    part = word.parts[0]
    return part.text.isdigit() if part.kind == LITERAL else part.kind == VARIABLE and part.text[:1] in ("?", "#")
