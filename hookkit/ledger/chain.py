"""Verify the chains: find every edit, removal and reordering of rows, and name the first row to show the damage."""

import os
from hashlib import sha256

from hookkit.ledger import census, heads, journal, places, tips
from hookkit.ledger.hashing import FIRST
from hookkit.ledger.store import Ledger
from hookkit.system import database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EACH = 20_000  # rows between two words of progress
LONGEST = 18  # digits of a row's number
MOST = 1_000  # findings to list; more of them add no information


class ChainFault:
    """A fault of a chain, and the row where the fault shows."""

    __slots__ = ("id", "n", "what", "writer")

    def __init__(self, what: str, writer: str = "", n: int = 0, number: int = 0) -> None:
        self.what = what
        self.writer = writer
        self.n = n
        self.id = number


class Chains:
    """One pass over the rows in order of arrival; remembers the previous row of each writer."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.connection = ledger.connection
        self.ends: dict[bytes, tuple[int, bytes]] = {}
        self.begins: dict[str, tuple[int, str]] = {}
        self.census = census.Census()
        self.doubts: dict[bytes, tuple[int, bytes]] = {}  # a changed row, and the hash of its text
        self.short: dict[str, int] = {}  # chains reported as cut short, and the last row reported missing
        self.kept: set[str] = set()  # writers whose journals are still there
        self.rows = 0
        self.findings: list[ChainFault] = []

    def verify(self, tell: "Callable[[int], None] | None" = None) -> list[ChainFault]:
        with database.said(self.ledger.path):
            lines, wrong = heads.read(self.ledger.heads)
            wrong += [said] if not wrong and (said := heads.shortened(self.ledger)) else []
            self.findings += [ChainFault(f"the file of heads: {said}") for said in wrong]
            self.begins = {w: (n, digest) for w, n, digest in self.connection.execute("SELECT w, n, hash FROM pruned")}
            self._check_begins(lines)
            self._walk(tell)
            for head in lines:
                self._reaches(head.writer, head.n, head.hash, "the file of heads knows")
            self._check_journals({head.writer: head.n for head in lines if head.what == heads.HEAD})
            self._check_memory()
            self._check_census()
        return self.findings

    def _check_memory(self) -> None:
        """Compare with the database's own notes: the ends of chains, and journals found cut or exchanged."""
        for writer, n, digest in self.connection.execute("SELECT w, n, hash FROM chains").fetchall():
            self._reaches(writer, n, digest, "the ledger took in")
        for text, writer, _ in self.connection.execute("SELECT text, w, at FROM incidents ORDER BY at"):
            self.findings.append(ChainFault(text, writer))

    def _check_census(self) -> None:
        """The sum of all rows finds rows removed or added together with all notes about them.

        Where a finding already names a row, the sum adds no finding.
        """
        kept = census.kept(self.connection)
        if self.findings or kept is None or str(kept) == str(self.census):
            return
        more = self.census.count - kept.count
        said = f"{abs(more)} rows were {'added' if more > 0 else 'removed'}" if more else "rows were exchanged"
        self.findings.append(ChainFault(f"the ledger's own count does not add up: {said} without it"))

    def _walk(self, tell: "Callable[[int], None] | None") -> None:
        """Two hundred thousand rows a second: so the number and the writer are cut out of the text, not parsed."""
        ends, first, total = self.ends, (0, FIRST.encode()), 0
        before: bytes | None
        for number, digest, body in self._rows():
            self.rows += 1
            total += census.number(digest)
            middle = body.find(b',"w":"', 5, 40)
            n, writer = body[5:middle], body[middle + 6 : body.find(b'"', middle + 6)]
            last, before = ends.get(writer, first)
            if n != b"%d" % (last + 1):
                last, before = self._misplaced((number, n, writer), (last, before), digest, body)
            if before is not None and sha256(before + body).hexdigest().encode() != digest:
                self._changed(number, writer, (last + 1, before, digest, body))
            if last + 1 > ends.get(writer, first)[0]:
                ends[writer] = (last + 1, digest)
            if tell is not None and not self.rows % EACH:
                tell(self.rows)
        self.census = census.Census(self.rows, total % census.SIZE)

    def _rows(self) -> "Iterator[tuple[int, bytes, bytes]]":
        sql = "SELECT id, CAST(hash AS BLOB), CAST(body AS BLOB) FROM entries ORDER BY id"
        return iter(self.connection.execute(sql))

    def _misplaced(
        self, row: tuple[int, bytes, bytes], at: tuple[int, bytes], digest: bytes, body: bytes
    ) -> tuple[int, bytes | None]:
        """A row number out of sequence: right where the chain was pruned, a finding everywhere else."""
        (number, n, writer), (last, before) = row, at
        if not n.isdigit() or len(n) > LONGEST:
            self._found("changed", writer, n, number)
            return last - 1, before
        here = int(n)
        pruned = self.begins.get(writer.decode("utf-8", "replace"))
        if not last and pruned is not None and pruned[0] == here - 1:
            return here - 1, pruned[1].encode()
        if here <= last:
            self._found("out of order, or twice", writer, n, number)
        elif missing := self._missing(writer, last + 1, here - 1):
            said = f"{missing} missing before it" if last else f"its beginning: {missing} missing"
            self._found(said, writer, n, number)
        return here - 1, self._before(writer, here, digest, body)

    def _missing(self, writer: bytes, first: int, last: int) -> str:
        """A row at another place is not missing but out of order, and has its finding there."""
        sql = "SELECT count(*) FROM entries WHERE w = ? AND n BETWEEN ? AND ?"
        (there,) = self.connection.execute(sql, (writer.decode("utf-8", "replace"), first, last)).fetchone()
        if there > last - first:
            return ""
        some = "some of " if there else ""
        return f"{some}rows {first} to {last} are" if last > first else f"row {first} is"

    def _changed(self, number: int, writer: bytes, row: tuple[int, bytes, bytes, bytes]) -> None:
        """After a row with a wrong hash, the next row is checked by the recomputed hash; else either may be wrong."""
        n, before, digest, body = row
        last, right = self.doubts.get(writer, (0, b""))
        is_next = last == n - 1 and bool(right)
        self.doubts[writer] = (n, sha256(before + body).hexdigest().encode())
        if is_next and sha256(right + body).hexdigest().encode() == digest:
            return
        self._found("changed, or only the row before it" if is_next else "changed", writer, b"%d" % n, number)

    def _before(self, writer: bytes, here: int, digest: bytes, body: bytes) -> bytes | None:
        """The hash of the previous row, wherever the row stands; None if the row is gone: no check is possible then.

        Two rows may share a number, after a journal was restored from an old copy: either of the two has to fit.
        """
        if here == 1:
            return FIRST.encode()
        sql = "SELECT hash FROM entries WHERE w = ? AND n = ?"
        found = self.connection.execute(sql, (writer.decode("utf-8", "replace"), here - 1)).fetchall()
        hashes = [str(row[0]).encode() for row in found]
        fitting = (one for one in hashes if sha256(one + body).hexdigest().encode() == digest)
        return next(fitting, hashes[0] if hashes else None)

    def _found(self, what: str, writer: bytes, n: bytes, number: int) -> None:
        if len(self.findings) < MOST:
            known = int(n) if n.isdigit() else 0
            self.findings.append(ChainFault(what, writer.decode("utf-8", "replace"), known, number))

    def _check_begins(self, lines: "list[heads.Head]") -> None:
        """Pruning is noted in two places: to hide a cut at a chain's beginning, an attacker has to forge both."""
        noted = {(line.writer, line.n, line.hash) for line in lines if line.what == heads.PRUNED}
        for writer, (n, digest) in self.begins.items():
            if (writer, n, digest) not in noted:
                said = "its beginning was taken out: no pruning of it is in the file of heads"
                self.findings.append(ChainFault(said, writer, n))

    def _reaches(self, writer: str, n: int, digest: str, source: str) -> None:
        """The database holds the chain at least up to a row known from another source."""
        begin = self.begins.get(writer, (0, ""))
        last = max(self.ends.get(writer.encode("utf-8", "replace"), (0, b""))[0], begin[0], self.short.get(writer, 0))
        if last < n:
            self.short[writer] = n
            missing = f"rows {last + 1} to {n}" if n > last + 1 else f"row {n}"
            self.findings.append(ChainFault(f"cut short: {missing} missing, that {source}", writer, n))
        elif n > begin[0] and not self._has(writer, n, digest):
            self.findings.append(ChainFault(f"not the row that {source}", writer, n))

    def _has(self, writer: str, n: int, digest: str) -> bool:
        rows = self.connection.execute("SELECT hash FROM entries WHERE w = ? AND n = ?", (writer, n)).fetchall()
        return not rows or (digest,) in rows  # a missing row has its finding already

    def _check_journals(self, known: dict[str, int]) -> None:
        for path in places.paths(self.ledger.environ):
            try:
                handle = places.open_(path)
            except OSError:
                continue
            try:
                last = journal.last(handle)
            except journal.SpoiltError:
                last = None
            finally:
                os.close(handle)
            if last is not None:
                self.kept.add(last[2])
                self._reaches(last[2], last[1], last[0], f"{os.path.basename(path)} has")
        self._check_tips()
        self._check_gone(known)

    def _check_tips(self) -> None:
        """Compare with the tip of each journal: finds a journal whose newest rows were cut."""
        for place in places.places(self.ledger.environ):
            directory = os.path.join(place, places.TIPS)
            try:
                names = sorted(os.listdir(directory)) if places.is_ours(directory) else []
            except OSError:
                continue
            for name in names:
                tip = self._tip(os.path.join(directory, name), name)
                if tip is not None:
                    self._reaches(tip[2], tip[1], tip[0], "the tip of its journal knows")

    def _tip(self, path: str, name: str) -> "tips.Tip | None":
        try:
            handle = places.open_(path)
        except OSError:
            return None
        try:
            session = name if tips.read(handle, name) is not None else name.rpartition("-")[0]
            return tips.read(handle, session)
        finally:
            os.close(handle)

    def _check_gone(self, known: dict[str, int]) -> None:
        """A retired journal has its head noted; any other missing journal was removed, maybe with rows."""
        home = places.places(self.ledger.environ)[0]
        for path, writer in self.connection.execute("SELECT path, w FROM journals"):
            if not path.startswith(f"{home}/") or os.path.lexists(path):
                continue
            if writer and known.get(writer, 0) < self.ends.get(writer.encode("utf-8", "replace"), (1, b""))[0]:
                said = f"its journal {os.path.basename(path)} was taken away: rows that were only there are lost"
                self.findings.append(ChainFault(said, writer))
