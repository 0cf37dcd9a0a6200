"""Verify the files of the ledger: find every edit, removal and reordering of rows, and name the rows.

Only files are believed. The index, the tips and the register are witnesses: they tell of rows that no file has.
Whoever interrupts, repeats or restores something without changing a byte of a row causes no finding.
"""

import os
from array import array
from binascii import unhexlify
from hashlib import sha256
from typing import NamedTuple

from hookkit.ledger import journal, lines, places, register, segments
from hookkit.ledger.lines import FIRST
from hookkit.ledger.row_index import REGISTER, Ledger
from hookkit.system import database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EACH = 20_000  # rows between two words of progress
MOST = 1_000  # findings to list; more of them add no information
LONGEST = 18  # digits of a row's number
SIZE = 1 << 256


class Fault(NamedTuple):
    """A fault of a chain, and the row where the fault shows."""

    what: str
    writer: str = ""
    n: int = 0


class Piece:
    """Rows of a writer without a gap."""

    __slots__ = ("digest", "first", "hash", "hashes", "right", "text")

    def __init__(self, first: int, digest: bytes, text: bytes) -> None:
        self.first = first
        self.digest, self.text = digest, text  # of the first row, which is checked once the row before is known
        self.hash = FIRST.encode() if first == 1 else b""  # of the last row
        self.right = b""  # the hash that the last row should have, if it has another
        self.hashes = array("Q")  # the beginning of each row's hash

    @property
    def end(self) -> int:
        return self.first + len(self.hashes) - 1

    def has(self, n: int) -> bool:
        return self.first <= n <= self.end

    def has_row(self, n: int, digest: bytes) -> bool:
        return self.has(n) and self.hashes[n - self.first] == _prefix(digest)


class Verification:
    """One pass over all files; `ledger` gives the index, which is compared with them."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.environ = ledger.environ
        self.connection = ledger.connection
        self.pieces: dict[bytes, list[Piece]] = {}
        self.findings: list[Fault] = []
        self.rows = 0
        self.erasures: dict[tuple[str, int], int] = {}  # rows that the register calls erased, and the time
        self.erased: dict[int, int] = {}  # how many rows, by the time of their erasure
        self.pruned: dict[str, int] = {}
        self.total = 0  # the sum of the hashes of all rows with their content
        self.acts: list[register.Act] = []

    @property
    def chains(self) -> int:
        return len(self.pieces)

    def run(self, tell: "Callable[[int], None] | None" = None) -> list[Fault]:
        """Witnesses first, then files, then the index: hooks go on writing meanwhile, and nothing is read too early."""
        with database.said(self.ledger.path), segments.Lock(self.environ, database.WAIT):
            self._read_register()
            witnesses = [*self._tips(), *self._ends_in_index()]
            for data in self._files():
                self._read(data, tell)
            for writer, pieces in self.pieces.items():
                self._join(writer.decode("utf-8", "replace"), pieces)
            for witness in witnesses:
                self._reaches(*witness)
            self.ledger.read_files()
            if self._check_index():
                self._check_doubles()
        return self.findings

    def _add(self, what: str, writer: str = "", n: int = 0) -> None:
        if len(self.findings) < MOST:
            self.findings.append(Fault(what, writer, n))

    # -- witnesses -----------------------------------------------------------------------------------------------------

    def _read_register(self) -> None:
        self.acts, wrong = register.read(self.environ)
        if not wrong and (problem := register.shortened(self.environ, self.ledger.fact(REGISTER))):
            wrong.append(problem)
        for problem in wrong:
            self._add(f"the register {problem}" if problem.startswith("was ") else f"the register: {problem}")
        self.pruned = register.pruned_rows(self.acts)
        gone = {act.words[0] for act in self.acts if act.what == register.PRUNED}
        there = {*segments.names(self.environ)} | gone
        for act in self.acts:
            if act.what == register.ERASED:
                self.erasures |= dict.fromkeys(act.rows(), act.at * 1000)
            elif act.what == register.SEALED and act.words[0] not in there:
                self._add(f"the segment {act.words[0]} was taken away: {act.words[1]} rows are gone")

    def _tips(self) -> "Iterator[tuple[str, int, str]]":
        """The tip of each journal finds a journal whose newest rows were cut."""
        for place in places.places(self.environ):
            directory = os.path.join(place, places.TIPS)
            try:
                names = sorted(os.listdir(directory)) if places.is_ours(directory) else []
            except OSError:
                continue
            for name in names:
                tip = _tip(os.path.join(directory, name), name)
                if tip is not None:
                    yield tip[2], tip[1], "the tip of its journal knows"

    def _ends_in_index(self) -> "list[tuple[str, int, str]]":
        sql = "SELECT w, max(n) FROM entries WHERE w IS NOT NULL GROUP BY w"
        return [(writer, n, "the index still has") for writer, n in self.connection.execute(sql)]

    def _reaches(self, writer: str, n: int, source: str) -> None:
        """The files hold the chain at least up to a row known from a witness."""
        pieces = self.pieces.get(writer.encode("utf-8", "replace"), [])
        last = max([self.pruned.get(writer, 0), *(piece.end for piece in pieces)])
        if last < n:
            missing = f"rows {last + 1} to {n}" if n > last + 1 else f"row {n}"
            self._add(f"cut short: {missing} missing, that {source}", writer, n)
            self.pruned[writer] = n  # said once

    # -- files ---------------------------------------------------------------------------------------------------------

    def _files(self) -> "Iterator[bytes]":
        for name in segments.names(self.environ):
            try:
                data = segments.read(self.environ, name)
            except (segments.SegmentError, OSError) as error:
                self._add(f"the segment {error}")
                continue
            if segments.identity(data) != name[9:25]:
                self._add(f"the segment {name}: rows were added, removed or exchanged")
            yield data
        yield from segments.journals(self.environ)

    def _read(self, data: bytes, tell: "Callable[[int], None] | None") -> None:
        """A hundred thousand rows a second: so the number and the writer are cut out of the text, not parsed."""
        for line in data.split(b"\n"):
            row = _cut(line[65:]) if line[64:70] == b' {"n":' else None
            if row is None:
                continue
            n, writer = row
            digest, text = line[:64], lines.text_of(line)
            pieces = self.pieces.setdefault(writer, [])
            piece = pieces[0] if len(pieces) == 1 and n == pieces[0].end + 1 else None
            piece = piece or self._place(pieces, writer, n, digest, text)
            if piece is not None:
                self._check(piece, writer, n, digest, text)
                self._check_parts(line, writer, n)
                self.total += _weight(digest, lines.flat(line)) if self._counts(writer, n) else 0
                self.rows += 1
                if tell is not None and not self.rows % EACH:
                    tell(self.rows)

    def _place(self, pieces: list[Piece], writer: bytes, n: int, digest: bytes, text: bytes) -> Piece | None:
        """The piece that the row continues, or a new one; None for a row that another file has, too."""
        for piece in pieces:
            if piece.has(n):
                if not piece.has_row(n, digest):
                    self._add("twice: two different rows have this number", writer.decode("utf-8", "replace"), n)
                return None
        before = next((piece for piece in pieces if piece.end + 1 == n), None)
        if before is None:
            before = Piece(n, digest, text)
            pieces.append(before)
        return before

    def _check(self, piece: Piece, writer: bytes, n: int, digest: bytes, text: bytes) -> None:
        """After a row with a wrong hash, the next row is checked by the right hash, too; else either may be wrong."""
        right = _chained(piece.hash, text) if piece.hash else digest
        if digest == right or (piece.right and digest == _chained(piece.right, text)):
            piece.right = b""
        else:
            what = "changed, or only the row before it" if piece.right else "changed"
            self._add(what, writer.decode("utf-8", "replace"), n)
            piece.right = right
        piece.hash = digest
        piece.hashes.append(_prefix(digest))

    def _check_parts(self, line: bytes, writer: bytes, n: int) -> None:
        name = writer.decode("utf-8", "replace")
        if not lines.is_sealed(line):
            self._add("its content was changed or removed", name, n)
        elif lines.ERASED_PART in line and lines.is_erased(line):
            at = self.erasures.get((name, n))
            if at is None:
                self._add("its content was removed, but not by hookkit ledger erase", name, n)
            else:
                self.erased[at] = self.erased.get(at, 0) + 1
        if lines.DOUBT in line and (doubt := lines.doubt(line)):
            self._add(f"{doubt}, before an update of hookkit moved it over", name, n)

    def _join(self, writer: str, pieces: list[Piece]) -> None:
        """From piece to piece, whatever files they are in."""
        pieces.sort(key=lambda piece: piece.first)
        end, last = self.pruned.get(writer, 0), None
        for piece in pieces:
            if piece.first > end + 1:
                missing = f"rows {end + 1} to {piece.first - 1} are" if piece.first > end + 2 else f"row {end + 1} is"
                where = "before it" if last is not None else "at the beginning of its chain"
                self._add(f"{missing} missing {where}", writer, piece.first)
            elif last is not None and last.end + 1 == piece.first:
                before = [hash_ for hash_ in (last.hash, last.right) if hash_]
                if piece.digest not in [_chained(hash_, piece.text) for hash_ in before]:
                    self._add("changed, or only the row before it", writer, piece.first)
            end, last = max(end, piece.end), piece

    # -- the index -----------------------------------------------------------------------------------------------------

    def _check_index(self) -> bool:
        """Whether the index shows what the files hold: the same rows, with the same content."""
        total, later, before = 0, [], len(self.findings)
        rows = self.connection.execute("SELECT CAST(hash AS BLOB), CAST(body AS BLOB) FROM entries")
        for digest, body in rows:
            row = _cut(body)
            pieces = self.pieces.get(row[1], []) if row is not None else []
            if row is not None and any(piece.has_row(row[0], digest) for piece in pieces):
                total += _weight(digest, body) if self._counts(row[1], row[0]) else 0
            else:
                later.append((digest, row))
        if later:
            self._check_later(later)
        if total % SIZE != self.total % SIZE and not self.findings:
            self._compare()
        return len(self.findings) == before and total % SIZE == self.total % SIZE

    def _counts(self, writer: bytes, n: int) -> bool:
        """A pruned row may remain in a journal: then the index may have it or not."""
        return not self.pruned or n > self.pruned.get(writer.decode("utf-8", "replace"), 0)

    def _check_later(self, rows: "list[tuple[bytes, tuple[int, bytes] | None]]") -> None:
        """Rows of the index that no file had: hooks may have written them since, else nobody did."""
        held = {line[:64] for data in segments.journals(self.environ) for line in data.split(b"\n")}
        for digest, row in rows:
            n, writer = (row[0], row[1].decode("utf-8", "replace")) if row is not None else (0, "")
            if digest not in held and n > self.pruned.get(writer, 0):
                self._add("only in the index: no journal has this row. Fix: hookkit ledger repair", writer, n)

    def _compare(self) -> None:
        sql = "SELECT CAST(body AS BLOB) FROM entries WHERE w = ? AND n = ? AND hash = ?"
        for data in self._files():
            for line in data.split(b"\n"):
                row = lines.split(line)
                if row is None or not self._counts(row[2].encode(), row[1]):
                    continue
                shown = self.connection.execute(sql, (row[2], row[1], row[0])).fetchone()
                if shown is None or shown[0] != lines.flat(line):
                    other = "the index shows another content than the journal"
                    what = "misses in the index" if shown is None else other
                    self._add(f"{what}. Fix: hookkit ledger repair", row[2], row[1])

    def _check_doubles(self) -> None:
        """The same event written down twice: rows that differ in nothing but their writer and number."""
        times = "SELECT at FROM entries INDEXED BY entries_at WHERE at IS NOT NULL GROUP BY at HAVING count(*) > 1"
        for (at,) in self.connection.execute(times).fetchall():
            seen: dict[bytes, tuple[int, bytes]] = {}
            sql = "SELECT CAST(body AS BLOB) FROM entries WHERE at = ? ORDER BY id"
            for (body,) in self.connection.execute(sql, (at,)).fetchall():
                row = _cut(body)
                if row is None or b'"call":"' not in body:
                    continue
                rest = body[body.find(b'"', body.find(b',"w":"') + 6) :]
                if rest in seen:
                    n, writer = seen[rest]
                    what = f"twice: the same event as row {n} of {writer.decode('utf-8', 'replace')}"
                    self._add(what, row[1].decode("utf-8", "replace"), row[0])
                seen.setdefault(rest, row)


def _cut(text: bytes) -> tuple[int, bytes] | None:
    """The number and the writer of a row."""
    middle = text.find(b',"w":"', 5, 40)
    n = text[5:middle]
    if middle < 0 or not n.isdigit() or len(n) > LONGEST:
        return None
    return int(n), text[middle + 6 : text.find(b'"', middle + 6)]


def _chained(before: bytes, text: bytes) -> bytes:
    return sha256(before + text).hexdigest().encode()


def _prefix(digest: bytes) -> int:
    try:
        return int.from_bytes(unhexlify(digest[:16]), "big")
    except ValueError:
        return 0  # no hash at all: the check of the chain reports the row


def _weight(digest: bytes, body: bytes) -> int:
    return int.from_bytes(sha256(digest + body).digest(), "big")


def _tip(path: str, name: str) -> "journal.Tip | None":
    try:
        with open(places.open_(path), "rb") as file:
            handle = file.fileno()
            return journal.read_tip(handle, name) or journal.read_tip(handle, name.rpartition("-")[0])
    except OSError:
        return None
