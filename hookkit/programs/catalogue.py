"""The records of all programs: TOML files, compiled into one text that is searched for the programs of a call.

A line of the text is a name and its columns, or a name and `=` with the name of the same record. The text is written
beside Python's byte code when a TOML file has changed, and ships in the wheel.
"""

import os

from hookkit.programs.program import NONE, Program

HERE = os.path.dirname(__file__)
PLACES = (os.path.join(HERE, "catalogue.txt"), os.path.join(HERE, "__pycache__", "catalogue.txt"))
MOST = 4_096  # names held in memory, missing ones too

_text = ""
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
    text = _text or _load()
    place = text.find(f"\n{name}\t")
    record = None
    if place >= 0:
        start = place + len(name) + 2
        line = text[start : text.index("\n", start)]
        record = _shipped(line[1:]) if line[:1] == "=" else Program(name, _columns(line))
    elif name[:1].isupper() and "-" in name and name[-1] != "*":
        record = _shipped(f"{name.partition('-')[0]}-*")  # a cmdlet without a record: what its verb says
    if len(_records) >= MOST:
        _records.clear()
    _records[name] = record
    return record


def _columns(line: str) -> dict[str, str]:
    return dict([column.split("=", 1) for column in line.split("\t")]) if line else {}


def names() -> list[str]:
    """Every name of the shipped records: programs, sub-commands and other spellings."""
    return [line.partition("\t")[0] for line in (_text or _load()).split("\n") if line]


def secrets() -> dict[str, list[str]]:
    """Programs with options whose value is a secret, other spellings of their names too."""
    text = _text or _load()
    options: dict[str, list[str]] = {}
    place = text.find("\tsecret=")
    while place >= 0:
        name = text[text.rindex("\n", 0, place) + 1 :].partition("\t")[0]
        options[name] = SHIPPED.get(name).words_of("secret")
        place = text.find("\tsecret=", place + 1)
    aliases = [line.partition("\t=") for line in text.split("\n") if "\t=" in line] if options else []
    return {**options, **{other: options[name] for other, _, name in aliases if name in options}}


def sources() -> list[str]:
    return [os.path.join(HERE, name) for name in sorted(os.listdir(HERE)) if name.endswith(".toml")]


def _load() -> str:
    global _text  # noqa: PLW0603 - a process reads the text once
    stamps = [(os.path.basename(path), os.stat(path)) for path in sources()]
    for path in PLACES:
        try:
            with open(path, encoding="utf-8", newline="\n") as file:
                head, text = file.readline().split(), file.read()
        except (OSError, ValueError):
            continue
        if _is_fresh(head, stamps, len(text)):
            _text = f"\n{text}"
            return _text
    from hookkit.programs import compiling  # late: only after a change of the records

    text = compiling.compiled(sources())
    compiling.keep(PLACES[1], compiling.head(stamps, len(text)) + text)
    _text = f"\n{text}"
    return _text


def _is_fresh(head: list[str], stamps: list[tuple[str, os.stat_result]], length: int) -> bool:
    """The first line names each TOML file with its size and time; in a wheel, whose files get new times, 0.

    Its last word is the length of the text: half a text would make programs unknown, and nobody would notice.
    """
    if len(head) != 3 * len(stamps) + 1 or head[-1] != str(length):
        return False
    for place, (name, state) in enumerate(stamps):
        known, size, time = head[3 * place : 3 * place + 3]
        if name != known or str(state.st_size) != size or time not in ("0", str(state.st_mtime_ns)):
            return False
    return True
