"""The records of all programs: TOML files, compiled into one text that is searched for the programs of a call.

The first line names the TOML files. Every other line is a name and its columns, or a name and `=` with the name of the
same record. The text is written beside Python's byte code when a TOML file has changed, and ships in the wheel. It is
searched as bytes, because a call needs a few of its lines.
"""

import os

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
    """A program or a sub-command as its TOML record says (docs/programs.md): options as sets, other columns as text."""

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


# -- the catalogue ---------------------------------------------------------------------------------


HERE = os.path.dirname(__file__)
PLACES = (os.path.join(HERE, "catalogue.txt"), os.path.join(HERE, "__pycache__", "catalogue.txt"))
MOST = 4_096  # names held in memory, missing ones too

_text = b""
_lines_by_name: dict[bytes, bytes] = {}  # for a process that walks over all names: a search each would take 50 ms
_records: dict[str, Program | None] = {}


class Catalogue:
    """The shipped records, with a person's own in front."""

    __slots__ = ("own",)

    def __init__(self, own: dict[str, dict[str, str]] | None = None) -> None:
        self.own = {name: Program(name, row) for name, row in (own or {}).items()}

    def find(self, name: str) -> Program | None:
        """The record of a program (`git`) or of a sub-command (`git push`)."""
        return self.own.get(name) or _shipped(name)

    def get(self, name: str) -> Program:
        return self.find(name) or NONE

    def interpreter(self, name: str) -> Program:
        """The record of an interpreter, whatever its version: `python3.12` is `python`."""
        record = self.get(name)
        return record if record.has("language") else self.get(name.rstrip("0123456789.-"))

    def language(self, name: str) -> str:
        return self.interpreter(name).text("language") or "other"

    def deletes(self, name: str) -> bool:
        """Whether the program deletes the files among its words."""
        return self.get(name).text("operands") == "deletes*"

    def below(self, record: Program, word: str) -> Program | None:
        """The record of a sub-command."""
        if self.own:
            name = f"{record.name} {word}"
            if name in self.own:
                return self.own[name]
        return _shipped(f"{record.name} {word}") if word and word in record.words_of("below") else None


SHIPPED = Catalogue()


def _shipped(name: str) -> Program | None:
    if name in _records:
        return _records[name]
    raw = _line(name.encode("utf-8", "surrogatepass"))
    record = None
    if raw is not None:
        line = raw.decode()
        record = _shipped(line[1:]) if line[:1] == "=" else Program(name, _columns(line))
    elif name[:1].isupper() and "-" in name and name[-1] != "*":
        record = _shipped(f"{name.partition('-')[0]}-*")  # a cmdlet without a record: what its verb says
    if len(_records) >= MOST:
        _records.clear()
    _records[name] = record
    return record


def _line(name: bytes) -> bytes | None:
    """The columns of a name, as they are written."""
    if _lines_by_name:
        return _lines_by_name.get(name)
    text = _text or _load()
    word = b"\n%b\t" % name
    place = text.find(word)
    if place < 0:
        return None
    start = place + len(word)
    return text[start : text.index(b"\n", start)]


def _columns(line: str) -> dict[str, str]:
    return dict([column.split("=", 1) for column in line.split("\t")]) if line else {}


def names() -> list[str]:
    """Every name of the shipped records: programs, sub-commands and other spellings."""
    global _lines_by_name  # noqa: PLW0603 - as for _text; whole at once, for the other threads of a server
    if not _lines_by_name:
        rows = (line.partition(b"\t") for line in (_text or _load()).split(b"\n")[1:-1])
        _lines_by_name = {name: columns for name, _, columns in rows}
    return [name.decode() for name in _lines_by_name]


def secrets() -> dict[str, list[str]]:
    """Programs with options whose value is a secret, other spellings of their names too."""
    lines = _lines()
    own = [line.partition("\t")[0] for line in lines if "\tsecret=" in line]
    options = {name: SHIPPED.get(name).words_of("secret") for name in own}
    aliases = [line.partition("\t=") for line in lines if "\t=" in line] if options else []
    return {**options, **{other: options[name] for other, _, name in aliases if name in options}}


def _lines() -> list[str]:
    return (_text or _load()).decode().split("\n")[1:-1]


def sources() -> list[str]:
    return [os.path.join(HERE, name) for name in sorted(os.listdir(HERE)) if name.endswith(".toml")]


def _load() -> bytes:
    global _text  # noqa: PLW0603 - a process reads the text once
    stamps = [(os.path.basename(path), os.stat(path)) for path in sources()]
    for path in PLACES:
        try:
            with open(path, "rb") as file:
                text = file.read()
        except OSError:
            continue
        if _is_fresh(text, stamps):
            _text = text
            return _text
    from hookkit.programs import compiling  # late: only after a change of the records

    _text = compiling.headed(compiling.compiled(sources()), stamps)
    compiling.keep(PLACES[1], _text)
    return _text


def _is_fresh(text: bytes, stamps: list[tuple[str, os.stat_result]]) -> bool:
    """The first line names each TOML file with its size and time; in a wheel, whose files get new times, 0.

    Its last word is the length of the rest: half a text would make programs unknown, and nobody would notice.
    """
    start = text.find(b"\n") + 1
    head = text[:start].decode("utf-8", "replace").split()
    if len(head) != 3 * len(stamps) + 1 or head[-1] != str(len(text) - start):
        return False
    for place, (name, state) in enumerate(stamps):
        known, size, time = head[3 * place : 3 * place + 3]
        if name != known or str(state.st_size) != size or time not in ("0", str(state.st_mtime_ns)):
            return False
    return True
