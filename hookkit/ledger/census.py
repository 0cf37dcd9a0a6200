"""The ledger's own count of its rows, kept up to date with every change: their number and the sum of their hashes.

Removing a whole chain with its head leaves all other chains valid, but the sum no longer adds up.
"""

from sqlite3 import Connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "census"
SIZE = 1 << 256


class Census:
    __slots__ = ("count", "total")

    def __init__(self, count: int = 0, total: int = 0) -> None:
        self.count = count
        self.total = total

    def add(self, hashes: "Iterable[object]", sign: int = 1) -> None:
        for digest in hashes:
            self.count += sign
            self.total += sign * number(digest)
        self.total %= SIZE

    def __str__(self) -> str:
        return f"{self.count} {self.total:064x}"


def number(digest: object) -> int:
    """A hash as a number. A text other than a hash counts as 0; the check of its chain reports the row."""
    try:
        return int(digest, 16)  # type: ignore[call-overload, no-any-return]
    except (TypeError, ValueError):
        return 0


def kept(connection: Connection) -> Census | None:
    """The last written count; None in a ledger without a count."""
    row = connection.execute("SELECT value FROM facts WHERE name = ?", (NAME,)).fetchone()
    words = str(row[0]).split() if row is not None else []
    if len(words) != 2 or not words[0].lstrip("-").isdigit():  # noqa: PLR2004 - the count and the sum
        return None if row is None else Census(-1)
    return Census(int(words[0]), number(words[1]))


def change(connection: Connection, hashes: "Iterable[object]", sign: int = 1) -> None:
    """Runs in the transaction of the added or deleted rows. Without a count, counts all rows."""
    census = kept(connection)
    if census is None:
        count_again(connection)
        return
    census.add(hashes, sign)
    connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (NAME, str(census)))


def count_again(connection: Connection) -> None:
    census = Census()
    census.add(digest for (digest,) in connection.execute("SELECT hash FROM entries"))
    connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (NAME, str(census)))
