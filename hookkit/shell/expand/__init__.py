"""Words → arguments: variables, braces, globs, assignments. A part that cannot be known stays a mark (UNKNOWN)."""

from hookkit.programs.words import starred
from hookkit.shell.state import BLANKS, UNKNOWN, UNSET, Shell
from hookkit.shell.syntax import ARRAY, COMMAND, LITERAL, PROCESS, VARIABLE, Part, Script, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.shell.state import Budget


Chunk = tuple[str, bool]  # text, and whether the text stays a single word


class Expander:
    """`output` runs a command line inside a word and returns its output, `process` the name of a `<(…)` pipe.

    `again` gets each text expanded by bash a second time.
    """

    __slots__ = ("again", "budget", "output", "process", "shell")

    def __init__(
        self,
        shell: Shell,
        budget: "Budget",
        output: "Callable[[Script], str]",
        again: "Callable[[str], None]",
        process: "Callable[[Part], str]",
    ) -> None:
        self.shell = shell
        self.budget = budget
        self.output = output
        self.again = again
        self.process = process

    def fields(self, word: Word) -> list[str]:
        """The arguments after expansion: none, a single argument or many."""
        if len(word.parts) == 1 and word.parts[0].kind == LITERAL:
            part = word.parts[0]
            if part.quoted or ("{" not in part.text and "~" not in part.text):
                self.budget.spend(1, len(part.text))
                return [part.text]
        fields: list[str] = []
        spellings = [word.parts]
        if any(part.kind == LITERAL and not part.quoted and "{" in part.text for part in word.parts):
            from hookkit.shell.expand.braces import braces  # late: few words have any

            spellings = braces(word.parts, self.budget)
        for parts in spellings:
            fields += self.split(parts)
        self.budget.spend(len(fields), sum(map(len, fields)))
        return fields

    def all_fields(self, words: "list[Word]") -> list[str]:
        return [field for word in words for field in self.fields(word)]

    def text(self, word: Word) -> str:
        """The word as a single text: the value of an assignment, a redirect target."""
        pieces = []
        for part in word.parts:
            texts = [text for text, _ in self.values(part)]
            pieces.append(" ".join(texts))
            self.budget.spend(1, len(pieces[-1]))
        return self.tilde("".join(pieces), word.parts)

    def split(self, parts: list[Part]) -> list[str]:
        """Split unquoted expansions at blanks; literal and quoted text stays whole."""
        fields: list[str] = []
        current: str | None = None
        for part in parts:
            for number, (text, whole) in enumerate(self.values(part)):
                pieces = [text] if whole else self.pieces(text)
                for place, piece in enumerate(pieces):
                    if number or place:  # the next element of an array, or text behind a blank
                        fields += [] if current is None else [current]
                        current = None
                    if piece or whole:
                        current = (current or "") + piece
        fields += [] if current is None else [current]
        if fields:
            fields[0] = self.tilde(fields[0], parts)
        return fields

    def pieces(self, text: str) -> list[str]:
        ifs = self.shell.variables.get("IFS")
        separators = ifs.options[0].get("0", "") if ifs else BLANKS
        if UNKNOWN in separators:
            separators = BLANKS
        for char in separators[:16]:
            text = text.replace(char, "\n")
        return text.split("\n") if separators else [text]

    def tilde(self, text: str, parts: list[Part]) -> str:
        head, equals, _ = parts[0].text.partition("=~") if parts and parts[0].kind == LITERAL else ("", "", "")
        if equals and not parts[0].quoted and head.isidentifier():  # `of=~/x`: bash expands it, as in an assignment
            at = len(head) + 1
            return text[:at] + self.tilde(text[at:], [Part(LITERAL, parts[0].text[at:])])
        plain = bool(parts) and parts[0].kind == LITERAL and not parts[0].quoted and parts[0].text[:1] == "~"
        if plain and self.shell.home and (text == "~" or text.startswith("~/")):
            return self.shell.home + text[1:]
        if plain and text[1:2] and text[1] in "-0123456789":  # `~-` is the directory before, `~1` on the stack
            head, slash, rest = text.partition("/")
            return f"{(self.shell.old if head == '~-' else None) or UNKNOWN}{slash}{rest}"
        return text

    def values(self, part: Part) -> list[Chunk]:
        """The possible texts of a part; several texts for a whole array."""
        if part.kind == LITERAL:
            return [(part.text, True)]
        if part.kind == COMMAND:
            output = self.output(part.scripts[0]) if len(part.scripts) == 1 else UNKNOWN
            return [(output.rstrip("\n"), part.quoted)]
        if part.kind == PROCESS:
            return [(self.process(part), True)]
        for script in part.scripts:
            self.output(script)
        from hookkit.shell.expand import values  # late: most words are written out

        if part.kind == VARIABLE:
            texts = values.expand(self, part)
            self.budget.spend(len(texts) + 1, sum(map(len, texts)))
            return [(text, part.quoted or UNKNOWN in text) for text in texts]
        return [] if part.kind == ARRAY else [(values.arithmetic(self, part.text), True)]

    def known(self, name: str) -> str:
        """The plain value of a variable; UNKNOWN for no value or several values."""
        from hookkit.shell.expand import values

        looked_up = values.lookup(self, name, "")
        return looked_up[0] if looked_up and len(looked_up) == 1 and UNSET not in looked_up[0] else UNKNOWN


# -- globs: `*`, `?`, `[a-z]`, matched with a bounded number of comparisons ------------------------


GLOB = "*?["


def is_pattern(text: str) -> bool:
    return "*" in text or "?" in text or "[" in text


def _pieces(pattern: str) -> list[str]:
    """The pattern as a list: `*`, `?`, sets like `[a-z]`, and single characters."""
    pieces: list[str] = []
    at = 0
    while at < len(pattern):
        end = _set_end(pattern, at) if pattern[at] == "[" else 0
        pieces.append(pattern[at : end or at + 1])
        at = end or at + 1
    return pieces


def _set_end(pattern: str, at: int) -> int:
    """The place behind `[…]`; 0 where the bracket stands for itself."""
    first = at + 1 + (pattern[at + 1 : at + 2] in ("!", "^"))
    end = pattern.find("]", first + 1)
    return end + 1 if end >= 0 else 0


def fits(pattern: str, text: str) -> bool:
    """Whether the whole text matches."""
    return starred(_pieces(pattern), text, _fits_one)


def _fits_one(piece: str, char: str) -> bool:
    """Whether a piece of a pattern matches the character."""
    if len(piece) == 1:
        return piece in ("?", char)
    inside = piece[1:-1]
    negated = inside[:1] in ("!", "^")
    return _in_set(inside[negated:], char) != negated


def _in_set(members: str, char: str) -> bool:
    if members.startswith(("[:", "[=")):
        return True  # a class of characters: taken for any
    at = 0
    while at < len(members):
        if members[at + 1 : at + 2] == "-" and at + 2 < len(members):
            if members[at] <= char <= members[at + 2]:
                return True
            at += 3
        else:
            if members[at] == char:
                return True
            at += 1
    return False


def may_both(first: str, second: str) -> bool:
    """Whether some text matches both patterns; `first` in the shell's grammar, `second` with `*` only."""
    one_side, other = _pieces(first), list(second)
    reachable = {0}
    for number in range(len(one_side) + 1):
        reachable = _closure(reachable, other, crossing=number < len(one_side) and one_side[number] == "*")
        if number == len(one_side):
            return len(other) in reachable
        reachable = _next(reachable, one_side[number], other)
    return False


def _closure(places: set[int], other: list[str], *, crossing: bool) -> set[int]:
    """Stars of the second pattern may match the empty text; a star of the first swallows any run of the second."""
    reached = set(places)
    for place in sorted(places):
        at = place
        while at < len(other) and (crossing or other[at] == "*"):
            at += 1
            reached.add(at)
    return reached


def _next(places: set[int], piece: str, other: list[str]) -> set[int]:
    """Possible positions in the second pattern after the next piece of the first."""
    if piece == "*":
        return places
    reached: set[int] = set()
    for place in places:
        if place < len(other):
            if other[place] == "*":
                reached.add(place)
            elif _fits_one(piece, other[place]):
                reached.add(place + 1)
    return reached
