"""Program: one program or one of its sub-commands, as its TOML record says. docs/programs.md lists the columns."""

TEXTS = frozenset(
    """
    also like value attached number flags known same means operands reads writes at inplace deep unsafe needs check
    begins refuses commands carries directory entry language code sends talking task behind cosmetic everything whole
    pretends secret acts wraps versions settings fetches vouched positional piped deletes paths fills
    """.split()
)
SWITCHES = frozenset(
    """
    words everywhere harmless undoable names free contentless acting plain joins assigns feeds transparent talks unpacks
    service
    """.split()
)
# Effects on more than files: `destroys = "disk"`, or `destroys.aws = ["s3 rb *", …]`. Rules are about `Destroy(aws)`.
VERBS = {
    "destroys": "Destroy",
    "changes": "Change",
    "publishes": "Publish",
    "opens": "Open",
    "stops": "Stop",
    "prints": "Print",
    "runs": "Run",
    "rewrites": "Rewrite",
}


SEPARATOR = "\x1f"  # between the patterns of a verb


class Program:
    """The options of a program as sets; every other column as text."""

    __slots__ = ("attached", "flags", "longs", "means", "name", "number", "row", "same", "value", "words")

    def __init__(self, name: str, row: dict[str, str]) -> None:
        self.name = name
        self.row = row
        self.words = "words" in row  # a single dash begins a whole word: -name, -delete
        self.value = frozenset(self.words_of("value"))
        self.attached = frozenset(self.words_of("attached"))
        self.number = frozenset(self.words_of("number"))
        self.flags = frozenset(self.words_of("flags"))
        self.same = dict(pair.split("=") for pair in self.words_of("same"))
        self.means = dict(pair.split("=") for pair in self.words_of("means"))
        self.longs = [
            option
            for option in {*self.same, *self.value, *self.attached, *self.number, *self.words_of("known")}
            if option[:2] == "--"
        ]

    def has(self, column: str) -> bool:
        return column in self.row

    def text(self, column: str) -> str:
        return self.row.get(column, "")

    def words_of(self, column: str) -> list[str]:
        text = self.row.get(column)
        return text.split() if text else []

    def is_known(self, option: str) -> bool:
        """Whether the record says how this option is read."""
        return (
            option in self.flags
            or option in self.value
            or option in self.attached
            or option in self.number
            or option in self.same
        )

    def verbs(self) -> list[tuple[str, str, list[str]]]:
        """Effects on more than files: the kind, the object, and the patterns of the commands with this effect.

        Without a pattern every command of the program has the effect.
        """
        effects: list[tuple[str, str, list[str]]] = []
        for column, text in self.row.items():
            verb, dot, object_ = column.partition(".")
            if verb not in VERBS:
                continue
            if dot:
                effects.append((VERBS[verb], object_, text.split(SEPARATOR)))
            else:
                effects += [(VERBS[verb], word, []) for word in text.split()]
        return effects


NONE = Program("", {})


def takes_data(record: Program) -> bool:
    """Whether the program is known to take its words as data. Any other program may run the words behind it."""
    row = record.row
    return "plain" in row or "operands" in row or "contentless" in row or "language" in row
