"""Row: a read-only program with its harmless options. Every other option spoils the approval."""

TEXT, PATHS, PATTERN, NONE = "text", "paths", "pattern", "none"  # kinds of operands
ANY = 1_000
VERSION = "version"


class Row:
    """`options` take no value, `valued` take a value, never a file; `-abc` is three options of a single letter.

    `optional` take a value in the same word alone: `-U5`; in `-U 5` the 5 is an operand. `--x[=5]` is in `options`.
    `operands`: PATHS are files to read, PATTERN is a text with files behind it, TEXT are words without effect.
    `names`: the program shows names and sizes of files, never their content. `most` operands: the program would
    write the next operand. `below`: options for reading whole directories ("*": always). `needs`: without one of these
    options the program does more than read. `free`: every word is a text, an unknown option too. `check` names a
    function of `checks`; VERSION rows stand for the program with a single option, like `python --version`.
    """

    __slots__ = ("_row", "below", "check", "free", "most", "names", "needs", "operands", "optional", "options",
                 "single", "valued")  # fmt: skip
    options: frozenset[str]
    valued: frozenset[str]

    def __init__(  # noqa: PLR0913 - a table's row is as wide as the table
        self,
        options: str = "",
        valued: str = "",
        *,
        optional: str = "",
        operands: str = PATHS,
        names: bool = False,
        most: int = ANY,
        below: str = "",
        needs: str = "",
        single: bool = False,
        free: bool = False,
        check: str = "",
    ) -> None:
        self._row = (options, valued)
        self.optional = optional.split()
        self.operands = operands
        self.names = names
        self.most = most
        self.below = below.split()
        self.needs = needs.split()
        self.free = free
        self.single = single  # a single dash begins a whole word: -name, -type
        self.check = check

    def __getattr__(self, name: str) -> object:
        """A row is read when a command line has its program."""
        options, valued = self._row
        self.options = frozenset(_spread(options, single=self.single))
        self.valued = frozenset(_spread(valued, single=self.single))
        return object.__getattribute__(self, name)


def _spread(text: str, *, single: bool) -> list[str]:
    found: list[str] = []
    for word in text.split():
        is_cluster = word[:1] == "-" and word[1:2] != "-" and not single
        found += [f"-{letter}" for letter in word[1:]] if is_cluster else [word]
    return found


DIGITS = "-0123456789"  # options like `head -20`
