"""Rows on their way to the hub: sections of chains, one row a line, compressed.

    hookkit-fleet 1
    chain WRITER HOW FIRST BEFORE LAST COUNT
    TEXT TAB PART SALT CONTENT …

HOW is `next` (after the row before FIRST, whose hash is BEFORE), `gap` (rows before FIRST were pruned before they were
sent), `branch` (the hub knows another row under a number of this chain) or `broken` (the rows do not fit their hashes
on the machine either). LAST is the hash of the last row. Where the row before FIRST is gone, BEFORE is `=` and the
hash of row FIRST itself. The hub works all other hashes out, so none of them is sent.
A row is sent without its hash, and without the parts that stay: the text holds a digest of each.
"""

import zlib

from hookkit.errors import HookkitError
from hookkit.ledger import lines
from hookkit.ledger.lines import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

HEAD = b"hookkit-fleet 1"
NEXT, GAP, BRANCH, BROKEN = "next", "gap", "branch", "broken"
WAYS = (NEXT, GAP, BRANCH, BROKEN)
ITSELF = "="  # before the hash of a section's first row, in place of the hash of the row before
HASH = 64
GZIP = 31  # for zlib: the format of gzip
LARGEST = 32 << 20  # bytes of a batch, unpacked
MOST = 5_000  # rows of a batch
LONGEST = 300  # characters of a writer's name
WORDS = 7
DIGITS = 15
# What leaves a machine, by the setting fleet.send: the parts of a row beside its text.
LEVELS: dict[str, frozenset[bytes]] = {
    "verdicts": frozenset({b"who"}),
    "calls": frozenset({b"who", b"call"}),
    "all": frozenset({b"who", b"call", b"result", b"diff", b"more"}),
}


class BatchError(HookkitError):
    """The body is not a batch: cut by a proxy, or written by something else."""


class Section:
    """Rows of one chain, without a gap."""

    __slots__ = ("before", "first", "how", "last", "rows", "writer")

    def __init__(self, writer: str, how: str, first: int, before: str, last: str, rows: list[bytes]) -> None:
        self.writer = writer
        self.how = how
        self.first = first
        self.before = before
        self.last = last
        self.rows = rows

    @property
    def end(self) -> int:
        return self.first + len(self.rows) - 1


def reduced(line: bytes, parts: "Collection[bytes]") -> bytes:
    """A line of a journal without its hash and without the parts that stay."""
    text, *seals = line[HASH + 1 :].split(b"\t")
    return b"\t".join([text, *(part for part in seals if part.partition(b" ")[0] in parts)])


def pack(sections: list[Section]) -> bytes:
    written = [HEAD]
    for section in sections:
        words = ("chain", section.writer, section.how, section.first, section.before, section.last, len(section.rows))
        written += [" ".join(map(str, words)).encode(), *section.rows]
    squeeze = zlib.compressobj(6, zlib.DEFLATED, GZIP)
    return squeeze.compress(b"\n".join(written) + b"\n") + squeeze.flush()


def inflated(data: bytes) -> bytes:
    """The content of gzip, whole and bounded."""
    try:
        inflate = zlib.decompressobj(GZIP)
        text = inflate.decompress(data, LARGEST)
    except zlib.error:
        raise BatchError("the body is not compressed as gzip, or damaged") from None
    if not inflate.eof or inflate.unused_data:
        raise BatchError(f"the body was cut, or is larger than {LARGEST} bytes")
    return text


def unpack(data: bytes) -> list[Section]:
    """The sections; BatchError unless every byte is what it should be."""
    head, *rest = inflated(data).split(b"\n")
    if head != HEAD or rest[-1:] != [b""]:
        raise BatchError("the body is not a batch that this hub can read")
    return _sections(rest[:-1])


def _sections(rest: list[bytes]) -> list[Section]:
    sections, here = [], 0
    while here < len(rest):
        words = rest[here].decode("ascii", "replace").split(" ")
        section = _section(words)
        count = int(words[6])
        section.rows = rest[here + 1 : here + 1 + count]
        if len(section.rows) != count:
            raise BatchError("a section has fewer rows than it says")
        here += count + 1
        sections.append(section)
    if sum(len(section.rows) for section in sections) > MOST:
        raise BatchError(f"more than {MOST} rows")
    return sections


def _section(words: list[str]) -> Section:
    is_right = len(words) == WORDS and words[0] == "chain" and words[2] in WAYS and 0 < len(words[1]) <= LONGEST
    if not is_right or not _is_number(words[3]) or not _is_number(words[6]) or "0" in (words[3], words[6]):
        raise BatchError("a section begins with something else than a chain")
    if not is_hash(words[4].removeprefix(ITSELF)) or not is_hash(words[5]):
        raise BatchError("a section has something else in the place of a hash")
    return Section(words[1], words[2], int(words[3]), words[4], words[5], [])


def numbered(first: int, before: str, rows: list[bytes]) -> list[tuple[int, str]]:
    """The number and the hash of each row, from the hash before the first of them."""
    numbers = []
    for n, row in enumerate(rows, first):
        is_told = before.startswith(ITSELF)
        before = before.removeprefix(ITSELF) if is_told else digest(before.encode() + text_of(row))
        numbers.append((n, before))
    return numbers


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= DIGITS


def is_hash(text: str) -> bool:
    return len(text) == HASH and set(text) <= set("0123456789abcdef")


def text_of(row: bytes) -> bytes:
    """The text that the chain covers."""
    return row.partition(b"\t")[0]


def checked(row: bytes) -> tuple[bytes, bool]:
    """The row with those parts alone that its text has a digest of, and whether that is all of them."""
    text, *parts = row.split(b"\t")
    seals = text[text.rfind(lines.SEALS) :]
    right = [part for part in parts if _fits(part, seals)]
    return b"\t".join([text, *right]), len(right) == len(parts)


def _fits(part: bytes, seals: bytes) -> bool:
    name, _, rest = part.partition(b" ")
    salt, _, content = rest.partition(b" ")
    noted = seals.partition(b'"%s":"' % name)[2][: lines.LENGTH]
    if salt == lines.ERASED:
        return bool(noted) and content.isdigit()
    return noted == digest(salt + content)[: lines.LENGTH].encode()
