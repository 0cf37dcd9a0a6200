"""The fast exit: a line of plain commands that no rule is about needs no engine.

Most calls of an agent are plain: `ls -la`, `git status`, `cd api && grep -n 'class A' src/a.py | head -20`. True
promises that the engine would not answer; in any doubt the engine looks. `watch` makes the tables.
"""

import os

from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,@%+=")
LONGEST, MOST = 2_000, 60  # characters and words: a longer line is not worth a look
# Programs that only show files named by their words, and run nothing.
READERS = frozenset(
    "cat head tail wc grep egrep fgrep ls sort uniq cut tr nl tac rev diff cmp file stat du df basename dirname echo "
    "realpath readlink pwd date which md5sum sha256sum true sed".split()
)
GREPS = ("grep", "egrep", "fgrep")
GIT = ("add", "diff", "log", "show", "status")  # with any texts behind them
RESERVED = frozenset(
    "if then else elif fi for while until do done case esac select function time coproc".split()
)  # fmt: skip
# Builtins that change what later commands mean.
BUILTINS = frozenset(
    "alias unalias hash set shift unset read printf getopts let test export declare typeset local readonly enable "
    "shopt pushd popd exit return break continue bind command builtin umask ulimit".split()
)
# Long options of grep that neither name a file nor bring a pattern.
LONG = frozenset(
    "--include --exclude --exclude-dir --color --colour --line-number --ignore-case --recursive --count --invert-match "
    "--files-with-matches --word-regexp --max-count --context --after-context --before-context --only-matching "
    "--extended-regexp --fixed-strings --perl-regexp --no-filename --with-filename --no-messages --quiet".split()
)
MOVES = 4  # directories in which a command may run
LINES = frozenset("0123456789,p$")  # sed -n '1,20p'
QUIET = "/dev/null"
BREAKS = " \t\n;|&"  # between words


def is_quiet(line: str, watch: "dict[str, Any] | None", cwd: str, home: str) -> bool:
    """Whether no rule can be about this line in this directory."""
    if watch is None or len(line) > LONGEST or "\0" in line:
        return False
    if seconds(watch["programs"], line.partition(" ")[0]) is None:
        return False  # the first program alone needs the engine, like every `python …`
    commands = _split(line)
    if commands is None or sum(len(words) for words, _ in commands) > MOST:
        return False
    look = Look(watch, cwd, home)
    alone = len(commands) == 1
    return all(look.is_quiet(words, alone=alone, fed=fed) for words, fed in commands) and not look.is_amid()


def seconds(programs: dict[str, str], name: str) -> list[str] | None:
    """The words behind a program that ask for the engine; None: any words do."""
    shelf = programs.get(name[:1], "")
    start = shelf.find(f"\n{name} ") + len(name) + 2
    if start < len(name) + 2:
        return []
    words = shelf[start : shelf.find("\n", start)]
    return None if words == "*" else words.split()


def _split(line: str) -> list[tuple[list[str], bool]] | None:
    """The commands of a list or a pipeline, and whether a pipe feeds them; None for what needs a real scanner."""
    commands: list[tuple[list[str], bool]] = []
    words: list[str] = []
    fed = False
    word: str | None = None
    at, size = 0, len(line)
    while at < size:
        char = line[at]
        if char in PLAIN:
            start = at
            while at < size and line[at] in PLAIN:
                at += 1
            word = (word or "") + line[start:at]
        elif char in "'\"":
            end = line.find(char, at + 1)
            text = line[at + 1 : end]
            if end < 0 or (char == '"' and any(special in text for special in "$`\\!")):
                return None
            word = (word or "") + text
            at = end + 1
        elif char == ">":
            end = _behind_redirect(line, at)
            if end < 0 or not (word is None or (word in ("1", "2") and (at == 1 or line[at - 2] in BREAKS))):
                return None
            word, at = None, end
        else:
            if word is not None:
                words.append(word)
                word = None
            if char in " \t":
                at += 1
                continue
            double = line[at : at + 2]
            if (char not in "|;\n" and double != "&&") or double in ("|&", ";;", ";&") or not words:
                return None
            commands.append((words, fed))
            words, fed = [], char == "|" and double != "||"
            at += 2 if double in ("&&", "||") else 1
    if word is not None:
        words.append(word)
    return [*commands, (words, fed)] if words else None


def _behind_redirect(line: str, at: int) -> int:
    """The place behind `>&1`, `>/dev/null` or `> /dev/null`; -1 for another redirection."""
    if line.startswith("&1", at + 1):
        end = at + 3
    else:
        start = at + 2 if line.startswith(" ", at + 1) else at + 1
        end = start + len(QUIET) if line.startswith(QUIET, start) else len(line) + 1
    return end if end == len(line) or line[end : end + 1] in tuple(BREAKS) else -1


class Look:
    """The directories in which the next command may run, and the tables."""

    def __init__(self, watch: "dict[str, Any]", cwd: str, home: str) -> None:
        self.programs: dict[str, str] = watch["programs"]
        self.marks: list[str] | None = watch["marks"]
        self.goals: tuple[str, ...] = tuple(watch["goals"])
        self.own: tuple[str, ...] = tuple(watch["own"])
        self.verbs = frozenset(watch["verbs"])
        self.places = [cwd]
        self.home = home.casefold()
        self.real = files.memory()

    def is_quiet(self, words: list[str], *, alone: bool, fed: bool) -> bool:
        name = words[0].rpartition("/")[2]
        if "=" in words[0] or not PLAIN.issuperset(words[0]) or name != name.lower() or name.endswith(".exe"):
            return False
        if name in RESERVED or (name in BUILTINS and not alone) or (fed and name not in READERS):
            return False
        asking = seconds(self.programs, name)
        if asking is None or any(word in asking for word in words[1:]):
            return False
        heads = tuple(word[:-1] for word in asking if word.endswith("*"))
        if heads and any(word.startswith(heads) for word in words[1:]):
            return False
        if name == "cd":
            return self._move(words)
        if name in READERS:
            return self._reads(name, words)
        if any(map(self._is_telling, words[1:])):
            return False
        later = [word.rpartition("/")[2] for word in words[1:]]
        if any(word in READERS or seconds(self.programs, word) != [] for word in later):
            return False  # an unknown program may run the words behind it
        if not all(map(PLAIN.issuperset, words)) and not (name == "git" and words[1:2] and words[1] in GIT):
            return False
        return not any(self._is_watched(word) for word in words[1:] if "/" in word or "." in word)

    def _is_telling(self, word: str) -> bool:
        """`delete`, `apps:destroy`, `delete-app`, an address: words that say what a program without a record does."""
        return (
            word in self.verbs
            or (":" in word and ("//" in word or word.rpartition(":")[2] in self.verbs or word[:2] in ("gi", "gh")))
            or ("-" in word and word.partition("-")[0] in self.verbs)
            or word[:4] in ("git+", "git@")
        )

    def _move(self, words: list[str]) -> bool:
        """`cd x`; the next command may run here as well as there, since the directory may be missing."""
        if len(words) != 2 or words[1][:1] == "-" or not PLAIN.issuperset(words[1]):  # noqa: PLR2004
            return False
        there = [os.path.normpath(os.path.join(place, words[1])) for place in self.places]
        self.places = list(dict.fromkeys([*self.places, *there]))
        return len(self.places) <= MOVES

    def _reads(self, name: str, words: list[str]) -> bool:
        rest = words[1:]
        if name == "echo":
            return True
        if name == "sed":
            if rest[:1] != ["-n"] or len(rest) < 2 or not LINES.issuperset(rest[1]):  # noqa: PLR2004
                return False
            rest = rest[2:]
            if any(word[:1] == "-" for word in rest):
                return False  # another script
        if "--" in rest:
            return False
        if name in GREPS:
            return self._greps(rest)
        if name == "sort" and any(word[:1] == "-" and ("o" in word or word[:2] == "--") for word in rest):
            return False  # -o writes a file, --compress-program runs a program
        if name == "uniq" and len([word for word in rest if word[:1] != "-"]) > 1:
            return False  # the second file is written
        return not any(self._is_watched(word) for word in rest)

    def _greps(self, words: list[str]) -> bool:
        """The first word that is no option is a text to look for."""
        options = [word for word in words if word[:1] == "-"]
        if "-" in options or any(word[:2] != "--" and ("e" in word or "f" in word) for word in options):
            return False
        named = [word for word in words if word[:1] != "-"][1:]
        if any(word[:2] == "--" and word.partition("=")[0] not in LONG for word in options):
            return False
        if any(map(self._is_watched, options)):
            return False
        deep = any(
            word.startswith(("--r", "--d")) or (word[:2] != "--" and not {*"rRa"}.isdisjoint(word)) for word in options
        )
        if deep and any(self._holds_goal(word) for word in named or ["."]):
            return False
        return not any(map(self._is_watched, named))

    def _is_watched(self, word: str) -> bool:
        """Whether a rule may be about the file of this name; a word with a pattern may be any file."""
        if self.marks is None:
            return True
        if not word or not {*"*?["}.isdisjoint(word):
            return bool(word)
        if word[:1] == "-":
            value = word.partition("=")[2] or word[2:]
            return bool(value) and (self._is_marked(word) or self._is_watched(value.lstrip("-")))
        return any(
            self._is_marked(path) or self._is_high(path) for place in self.places for path in self._names(place, word)
        )

    def is_amid(self) -> bool:
        """Whether a command may run among files that rules are about: there every word may be one of them."""
        return any(self._is_marked(f"{name}/") for place in self.places for name in {*self._names(place, "")})

    def _is_marked(self, path: str) -> bool:
        folded = path.casefold()
        if folded.startswith(self.goals) or (
            folded.startswith(self.home) and folded.startswith(self.own, len(self.home))
        ):
            return True
        for mark in self.marks or ():  # noqa: SIM110 - twice as fast as any(): the words of most lines end here
            if mark in folded:
                return True
        return False

    def _is_high(self, path: str) -> bool:
        """The home, or a directory around it."""
        return f"{self.home}/".startswith(f"{path.casefold().rstrip('/')}/")

    def _holds_goal(self, word: str) -> bool:
        """Whether files of a rule lie below this directory."""
        paths = {f"{path.casefold().rstrip('/')}/" for place in self.places for path in self._names(place, word)}
        goals = [*self.goals, *(self.home + goal for goal in self.own)]
        return any(goal.startswith(path) for path in paths for goal in goals)

    def _names(self, place: str, word: str) -> list[str]:
        """A file's name as written, and as it really is."""
        path = os.path.join(place, word)
        plain = os.path.normpath(path)
        above, _, name = plain.rpartition("/")
        try:
            real = files.real(above or "/", self.real)
            whole = os.path.realpath(plain) if os.path.islink(plain) else f"{real}/{name}"
        except (OSError, ValueError):  # /proc of another user, or half a character
            return ["/"]  # as high as can be: the engine looks
        return [plain] if path == plain == whole else [path, plain, whole]
