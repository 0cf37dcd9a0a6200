"""Row numbers in a rebuilt database: people have written numbers down, so rows keep their numbers where possible."""

from itertools import groupby
from sqlite3 import Connection

from hookkit.errors import HookkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FAR = 10_000  # numbers to try for a free number
WAS = """INSERT OR IGNORE INTO was SELECT json_extract(body, '$.w'), json_extract(body, '$.n'), id FROM old
  WHERE json_valid(body) AND id > 0 ORDER BY id"""
CHAINS = "SELECT e.w, e.id, was.id FROM entries e LEFT JOIN was ON was.w = e.w AND was.n = e.n ORDER BY e.w, e.n, e.id"


class CrowdedError(HookkitError):
    """Rows cannot keep their numbers and their order."""


class NumberedRows:
    """A writer's rows in order: the present number of each row, and the old number if known."""

    __slots__ = ("had", "now")

    def __init__(self, rows: "list[tuple[int, int | None]]") -> None:
        self.now = [row[0] for row in rows]
        self.had = [row[1] for row in rows]

    def gaps(self) -> "Iterator[tuple[int, int]]":
        """Begin and end of each run of rows without a number."""
        for is_gap, run in groupby(range(len(self.had)), key=lambda place: self.had[place] is None):
            places = list(run)
            if is_gap:
                yield places[0], places[-1] + 1


class Numbers:
    """Expects the salvaged rows of the old database in a table `old`."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.given: set[int] = set()  # numbers given to unreadable rows
        self.moved = 0
        connection.execute("CREATE TEMP TABLE was (w TEXT, n INTEGER, id INTEGER UNIQUE, PRIMARY KEY (w, n))")
        connection.execute("CREATE TEMP TABLE becomes (id INTEGER PRIMARY KEY, new INTEGER NOT NULL)")
        connection.execute(WAS)
        self.last = connection.execute("SELECT coalesce(max(id), 0) FROM was").fetchone()[0]

    def keep(self) -> bool:
        """Give every row its old number; false if old numbers would put rows out of order: then all numbers are new."""
        if not self.last:
            return True
        rows = self.connection.execute(CHAINS)
        chains = [NumberedRows([row[1:] for row in found]) for _, found in groupby(rows, key=lambda row: row[0])]
        try:
            for fill in (self._between, self._behind):
                for chain in chains:
                    fill(chain)
            for chain in chains:
                self._note(chain)
        except CrowdedError:
            return False
        self._move()
        return True

    def _between(self, chain: NumberedRows) -> None:
        """An unreadable row stood between its neighbours, most likely next to them."""
        for begin, end in chain.gaps():
            if end == len(chain.had):
                continue
            places, step, number = range(begin, end), 1, chain.had[begin - 1] or 0
            if not begin:
                places, step, number = range(end - 1, -1, -1), -1, chain.had[end] or 0
            for place in places:
                number = chain.had[place] = self._free(number, step)

    def _free(self, number: int, step: int) -> int:
        for _ in range(FAR):
            number += step
            if number < 1:
                break
            if not self._is_taken(number):
                return self._take(number)
        raise CrowdedError("no number is left at a row's place")

    def _behind(self, chain: NumberedRows) -> None:
        """Rows at a chain's end: after the last known row if there is room, else after all others."""
        for begin, end in chain.gaps():
            number = (chain.had[begin - 1] or 0) + 1 if begin else self.last + 1
            for place in range(begin, end):
                if number > self.last or self._is_taken(number):
                    number = self.last = self.last + 1
                chain.had[place] = self._take(number)
                number += 1

    def _take(self, number: int) -> int:
        self.given.add(number)
        return number

    def _is_taken(self, number: int) -> bool:
        if number in self.given:
            return True
        return self.connection.execute("SELECT 1 FROM was WHERE id = ?", (number,)).fetchone() is not None

    def _note(self, chain: NumberedRows) -> None:
        before = 0
        for now, had in zip(chain.now, chain.had, strict=True):
            if had is None or had <= before:
                raise CrowdedError("rows would be out of order")
            before = had
            if now != had:
                self.connection.execute("INSERT INTO becomes VALUES (?, ?)", (now, had))

    def _move(self) -> None:
        """By way of negative numbers, as two rows may change places."""
        new = "SELECT new FROM becomes WHERE becomes.id = entries.id"
        sql = f"UPDATE entries SET id = -({new}) WHERE id IN (SELECT id FROM becomes)"  # noqa: S608 - names of ours
        self.moved = self.connection.execute(sql).rowcount
        self.connection.execute("UPDATE entries SET id = -id WHERE id < 0")
