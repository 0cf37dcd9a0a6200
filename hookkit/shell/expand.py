"""What a word becomes before a program sees it, as far as that can be told without running anything.

UNKNOWN stands for text that only a running shell knows; no command line can hold that character itself.
"""

from hookkit.errors import ShellError
from hookkit.shell.syntax import ARRAY, COMMAND, LITERAL, PROCESS, VARIABLE, Part, Script, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

UNKNOWN = "\0"
ROOM = 300_000  # characters that the words of a line may become in all
BRACES = 64  # words that one word may become
BLANKS = " \t\n"

Chunk = tuple[str, bool]  # text, and whether it was quoted


class Shell:
    """What a shell knows at one point of a line."""

    __slots__ = ("directory", "functions", "home", "positional", "project", "stack", "variables")

    def __init__(self, directory: str | None, home: str, project: str = "") -> None:
        self.directory = directory
        self.home = home
        self.project = project
        self.variables: dict[str, list[str]] = {"HOME": [home or UNKNOWN], "PWD": [directory or UNKNOWN]}
        self.variables["IFS"] = [BLANKS]
        self.positional: list[str] | None = None
        self.stack: tuple[str | None, ...] = ()  # of pushd
        self.functions: dict[str, list[Script]] = {}

    def copy(self) -> "Shell":
        """A subshell: it starts with all of this and gives nothing back."""
        other = Shell(self.directory, self.home, self.project)
        other.variables = dict(self.variables)
        other.positional = self.positional
        other.stack = self.stack
        other.functions = dict(self.functions)
        return other

    def top(self) -> str:
        """The root of the repository around the current directory, as far as the caller told us."""
        around = f"{self.directory or UNKNOWN}/"
        return self.project if self.project and around.startswith(f"{self.project}/") else UNKNOWN


class Expander:
    """`output` tells what a command substitution prints, where that is certain."""

    def __init__(self, shell: Shell, output: "Callable[[Script], str | None]", room: list[int] | None = None) -> None:
        self.shell = shell
        self.output = output
        self.room = room or [ROOM]  # shared by all expansions of a line

    def fields(self, word: Word) -> list[str]:
        """The arguments that the word becomes: none, one or many."""
        found: list[str] = []
        for parts in braces(word.parts):
            found += self.split(parts)
        self.room[0] -= sum(len(field) + 1 for field in found)
        if self.room[0] < 0:
            raise ShellError("it expands to more than anyone writes", 0)
        return found

    def text(self, word: Word) -> str:
        """The word as one text: an assignment's value, a redirection's target."""
        pieces = [text for part in word.parts for text, _ in self.values(part)[:1]]
        return self.tilde("".join(pieces), word.parts)

    def split(self, parts: list[Part]) -> list[str]:
        """Unquoted expansions break at blanks; what is written out or quoted does not."""
        fields: list[str] = []
        current: str | None = None
        for part in parts:
            for number, (text, whole) in enumerate(self.values(part)):
                pieces = [text] if whole else self.pieces(text)
                for place, piece in enumerate(pieces):
                    if number or place:  # the next element of an array, or behind a blank
                        fields += [] if current is None else [current]
                        current = None
                    if piece or whole:
                        current = (current or "") + piece
        fields += [] if current is None else [current]
        if fields:
            fields[0] = self.tilde(fields[0], parts)
        return fields

    def pieces(self, text: str) -> list[str]:
        separators = self.shell.variables["IFS"][0]
        for char in separators:
            text = text.replace(char, "\n")
        return text.split("\n")

    def tilde(self, text: str, parts: list[Part]) -> str:
        plain = bool(parts) and parts[0].kind == LITERAL and not parts[0].quoted
        if plain and self.shell.home and (text == "~" or text.startswith("~/")):
            return self.shell.home + text[1:]
        return text

    def values(self, part: Part) -> list[Chunk]:
        """What a part stands for; several texts where it is a whole array."""
        if part.kind == LITERAL:
            return [(part.text, True)]
        if part.kind == COMMAND:
            said = self.output(part.scripts[0]) if len(part.scripts) == 1 else None
            return [(UNKNOWN if said is None else said.rstrip("\n"), part.quoted or said is None)]
        if part.kind == VARIABLE:
            return [(text, part.quoted or UNKNOWN in text) for text in self.variable(part)]
        if part.kind == PROCESS:
            return [(f"/dev/fd/{UNKNOWN}", True)]
        return [] if part.kind == ARRAY else [(UNKNOWN, True)]

    def variable(self, part: Part) -> list[str]:
        name, rest = _name(part.text)
        known = self.lookup(name)
        if rest in ("[@]", "[*]") or (not rest and name in ("@", "*")):
            joined = part.quoted and "*" in (rest[1:2] or name)
            return [UNKNOWN] if known is None else [" ".join(known)] if joined else known
        if rest[:1] == "[" and rest[1:-1].isdigit():
            at = int(rest[1:-1])
            return [UNKNOWN] if known is None else known[at : at + 1] or [""]
        if not rest:
            return [UNKNOWN] if known is None else known[:1] or [""]
        for operator in (":-", ":=", "-", "="):
            if rest.startswith(operator):
                empty = known is None or not known or not known[0]
                fallback = rest[len(operator) :].strip("\"'")
                constant = not part.scripts and "$" not in fallback
                return known[:1] if known and not empty else [fallback if constant else UNKNOWN]
        return [UNKNOWN]

    def lookup(self, name: str) -> list[str] | None:
        """The values of a variable, or None where nobody knows them."""
        if name in ("@", "*"):
            return self.shell.positional
        if name.isdigit() and name != "0":
            given = self.shell.positional
            at = int(name) - 1
            return None if given is None else given[at : at + 1]
        return self.shell.variables.get(name)


def _name(text: str) -> tuple[str, str]:
    """The name in `${name…}` and what follows it."""
    if text[:1] in "@*?$!#-" or text[:1].isdigit():
        digits = 1
        while text[:1].isdigit() and text[digits : digits + 1].isdigit():
            digits += 1
        return text[:digits], text[digits:]
    end = 0
    while end < len(text) and text[end].isascii() and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return text[:end], text[end:]


def braces(parts: list[Part]) -> list[list[Part]]:
    """`{a,b}` written out, over quotes and expansions too; one that would become too many words stays as it is."""
    pending = [parts]
    done: list[list[Part]] = []
    while pending:
        word = pending.pop()
        split = _brace(word)
        if split is None or len(pending) + len(done) + len(split) > BRACES:
            done.append(word)
        else:
            pending += reversed(split)
    return done


def _brace(parts: list[Part]) -> list[list[Part]] | None:
    """The alternatives of the first brace in the word that has any."""
    opens: list[tuple[int, int, list[tuple[int, int]]]] = []  # where each open brace is, and its commas
    for number, part in enumerate(parts):
        if part.kind != LITERAL or part.quoted or ("{" not in part.text and not opens):
            continue
        for at, char in enumerate(part.text):
            if char == "{":
                opens.append((number, at, []))
            elif char == "," and opens:
                opens[-1][2].append((number, at))
            elif char == "}" and opens:
                start = opens.pop()
                if start[2]:
                    return _alternatives(parts, start[:2], start[2], (number, at))
    return None


def _alternatives(
    parts: list[Part], start: tuple[int, int], commas: list[tuple[int, int]], end: tuple[int, int]
) -> list[list[Part]]:
    head = _slice(parts, (0, 0), start)
    tail = _slice(parts, (end[0], end[1] + 1), (len(parts), 0))
    bounds = [start, *commas, end]
    middles = [_slice(parts, (low[0], low[1] + 1), high) for low, high in zip(bounds, bounds[1:], strict=False)]  # noqa: RUF007 - itertools is not loaded
    return [[*head, *middle, *tail] for middle in middles]


def _slice(parts: list[Part], start: tuple[int, int], end: tuple[int, int]) -> list[Part]:
    """The parts between two places in them."""
    found = []
    for number in range(start[0], min(end[0] + 1, len(parts))):
        part = parts[number]
        low = start[1] if number == start[0] else 0
        high = end[1] if number == end[0] else len(part.text)
        if (low, high) == (0, len(part.text)):
            if number < end[0] or high:
                found.append(part)
        elif low < high:
            found.append(Part(LITERAL, part.text[low:high], quoted=part.quoted))
    return found
