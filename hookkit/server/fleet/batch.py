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

import os
import zlib
from fnmatch import fnmatchcase
from typing import NamedTuple

from hookkit.errors import HookkitError
from hookkit.ledger import journal, lines, places, segments
from hookkit.ledger.lines import FIRST, chained, digest
from hookkit.ledger.who import remote
from hookkit.system import files, git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


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


class Section(NamedTuple):
    """Rows of one chain, without a gap."""

    writer: str
    how: str
    first: int
    before: str
    last: str
    rows: list[bytes]

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
    sections, start = [], 0
    while start < len(rest):
        words = _checked_words(rest[start].decode("ascii", "replace").split(" "))
        start, count = start + 1, int(words[6])
        rows = rest[start : start + count]
        if len(rows) != count:
            raise BatchError("a section has fewer rows than it says")
        start += count
        sections.append(Section(words[1], words[2], int(words[3]), words[4], words[5], rows))
    if sum(len(section.rows) for section in sections) > MOST:
        raise BatchError(f"more than {MOST} rows")
    return sections


def _checked_words(words: list[str]) -> list[str]:
    is_right = len(words) == WORDS and words[0] == "chain" and words[2] in WAYS and 0 < len(words[1]) <= LONGEST
    if not is_right or not _is_number(words[3]) or not _is_number(words[6]) or "0" in (words[3], words[6]):
        raise BatchError("a section begins with something else than a chain")
    if not is_hash(words[4].removeprefix(ITSELF)) or not is_hash(words[5]):
        raise BatchError("a section has something else in the place of a hash")
    return words


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


# -- rows that the hub lacks, in the ledger's files: nothing is queued a second time -----------------------------------


Head = tuple[int, str]
EVERY = "*"


class RowFile:
    """A journal or a segment: its lines by writer, oldest first."""

    __slots__ = ("name", "path", "runs")

    def __init__(self, name: str, data: bytes, path: str = "") -> None:
        self.name = name
        self.path = path
        self.runs: dict[str, list[tuple[int, bytes]]] = {}
        for line in data.split(b"\n"):
            row = lines.split(line)
            if row is not None:
                self.runs.setdefault(row[2], []).append((row[1], line))


def ends(environ: dict[str, str]) -> dict[str, Head]:
    """The last row of every open journal, from its last line alone."""
    heads: dict[str, Head] = {}
    for path in places.paths(environ):
        row = _end(path)
        if row is not None:
            heads[row[2]] = max(heads.get(row[2], (0, "")), (row[1], row[0]))
    return heads


def _end(path: str) -> tuple[str, int, str] | None:
    try:
        with open(places.open_(path), "rb") as file:
            return journal.last(file.fileno())
    except (OSError, journal.SpoiltError):
        return None


def all_ends(environ: dict[str, str]) -> dict[str, int]:
    """The last number of every chain, sealed ones too: rows up to there are from before joining."""
    numbers = {writer: head[0] for writer, head in ends(environ).items()}
    for name in segments.names(environ):
        try:
            spans = segments.spans(segments.read(environ, name))
        except (segments.SegmentError, OSError):
            continue
        for writer, n in spans.items():
            numbers[writer] = max(n, numbers.get(writer, 0))
    return numbers


class Unsent:
    """Finds sections to send. `heads` is changed by the sender as the hub confirms rows."""

    def __init__(self, environ: dict[str, str], heads: dict[str, Head], before: dict[str, int]) -> None:
        self.environ = environ
        self.heads = heads
        self.before = before
        self.parts: Collection[bytes] = LEVELS["calls"]
        self.projects: Collection[str] = (EVERY,)
        self.allowed: dict[str, bool] = {}  # by writer
        self.remotes: dict[str, str] = {}  # by directory

    def sources(self, done: "Collection[str]") -> "Iterator[RowFile]":
        """Segments that were not sent, then journals with a row that the hub lacks. Journals are synced first."""
        for name in segments.names(self.environ):
            if name not in done:
                try:
                    yield RowFile(name, segments.read(self.environ, name))
                except (segments.SegmentError, OSError):
                    continue  # `hookkit ledger verify` tells
        for path in places.paths(self.environ):
            end = _end(path)
            if end is None or self.heads.get(end[2]) == (end[1], end[0]):
                continue
            try:
                with open(places.open_(path), "rb") as file:
                    data = segments.whole_lines(file.fileno())
                    files.sync(file.fileno())
            except OSError:
                continue  # sealed meanwhile: its segment comes the next time
            yield RowFile("", data, path)

    def section(self, writer: str, run: list[tuple[int, bytes]], most: int) -> Section | None:
        """The next rows of a chain in one source; None if the hub has all of them, or they stay."""
        least = self.before.get(writer, 0)
        n, head = self.heads.get(writer, (0, ""))
        if not self._may_leave(writer, run):
            return None
        start = next((index for index, (number, _) in enumerate(run) if number > max(n, least)), None)
        at_head = next((line for number, line in run if number == n), None)
        if head and at_head is not None and at_head[:64].decode("ascii", "replace") != head:
            start, how = next((index for index, (number, _) in enumerate(run) if number > least), None), BRANCH
        else:
            how = NEXT if not head or (start is not None and run[start][0] == n + 1) else GAP
        return self._made(writer, run, start, how, most) if start is not None else None

    def _made(self, writer: str, run: list[tuple[int, bytes]], start: int, how: str, most: int) -> Section:
        """Rows without a gap between them, at most `most`; a row that does not fit its hash is sent alone."""
        first = run[start][0]
        before = self._before(writer, run, start)
        rows: list[bytes] = []
        last = before
        for number, line in run[start : start + most]:
            right = last.removeprefix(ITSELF) if last.startswith(ITSELF) else chained(last, lines.text_of(line))
            own = line[:64].decode("ascii", "replace")
            if number != first + len(rows) or (own != right and rows):
                break
            rows.append(reduced(line, self.parts))
            last = own
            if own != right:
                how = BROKEN if how == NEXT else how
                break
        return Section(writer, how, first, before, last, rows)

    def _before(self, writer: str, run: list[tuple[int, bytes]], start: int) -> str:
        first, line = run[start]
        if first == 1:
            return FIRST
        if start and run[start - 1][0] == first - 1:
            return run[start - 1][1][:64].decode("ascii", "replace")
        n, head = self.heads.get(writer, (0, ""))
        return head if n == first - 1 else ITSELF + line[:64].decode("ascii", "replace")

    # -- projects ------------------------------------------------------------------------------------------------------

    def _may_leave(self, writer: str, run: list[tuple[int, bytes]]) -> bool:
        """By the git remote of the session's project. A chain leaves whole or not at all, so that it can be checked."""
        if EVERY in self.projects:
            return True
        if writer not in self.allowed:
            name = self._remote(run)
            self.allowed[writer] = any(fnmatchcase(name, pattern) for pattern in self.projects) if name else False
        return self.allowed[writer]

    def _remote(self, run: list[tuple[int, bytes]]) -> str:
        for _, line in run[:200]:
            row = lines.row(line) or {}
            who = row.get("who")
            if isinstance(who, dict) and isinstance(who.get("remote"), str):
                return str(who["remote"])
            project = row.get("project")
            if isinstance(project, str) and os.path.isdir(project):
                if project not in self.remotes:
                    url = git.identity(project, self.environ).get("remote.origin.url", "")
                    self.remotes[project] = remote(url)
                return self.remotes[project]
        return ""
