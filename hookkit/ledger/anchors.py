"""Anchors: one line about all chains, kept where a later rewrite of the ledger does not reach.

The line holds a digest of the last row of every chain. The database keeps the list behind the digest, so that the line
stays short. A ledger rewritten later, or an old copy of the ledger, lacks the list behind the digest.

    hookkit-anchor 1 ID TIME rows=N chains=N sha256=DIGEST
"""

import os
import time
import zlib

from hookkit.errors import HookkitError
from hookkit.ledger.hashing import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.ledger.store import Ledger

WORD = "hookkit-anchor"
PARTS = 7
LARGEST = 64 << 20  # bytes of a list


class AnchorError(HookkitError):
    """An anchor cannot be written or read."""


def make(ledger: "Ledger") -> str:
    """A new anchor of the ledger's present state."""
    chains = ledger.connection.execute("SELECT w, n, hash FROM chains ORDER BY w").fetchall()
    (rows,) = ledger.connection.execute("SELECT count(*) FROM entries").fetchone()
    listed = "\n".join(f"{writer} {n} {last}" for writer, n, last in chains).encode()
    name, now = os.urandom(6).hex(), int(time.time())
    values = (name, now, zlib.compress(listed))
    ledger.connection.execute("INSERT INTO anchors VALUES (?, ?, ?)", values)
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    return f"{WORD} 1 {name} {when} rows={rows} chains={len(chains)} sha256={digest(listed)}"


def lines_in(text: str) -> list[str]:
    """The anchors in a text, oldest first, each once."""
    found = (line.strip() for line in text.splitlines())
    return list(dict.fromkeys(line for line in found if line.startswith(f"{WORD} ")))


def wrong(ledger: "Ledger", line: str) -> list[str]:
    """Every difference between the ledger and its anchored state."""
    words = line.split()
    if len(words) != PARTS or words[1] != "1" or not words[6].startswith("sha256="):
        return [f"not an anchor that this hookkit can read: {line[:100]}"]
    name, when, wanted = words[2], words[3], words[6].removeprefix("sha256=")
    row = ledger.connection.execute("SELECT heads FROM anchors WHERE id = ?", (name,)).fetchone()
    if row is None:
        return [f"the ledger does not know the anchor of {when}: it was replaced by an older copy, or made anew"]
    try:
        listed = zlib.decompressobj().decompress(row[0], LARGEST)
    except (zlib.error, TypeError):
        listed = b""
    if digest(listed) != wanted:
        return [f"the ledger's list of chains is not the list that was anchored on {when}"]
    return [said for one in listed.decode("utf-8", "replace").splitlines() if (said := _chain(ledger, one, when))]


def _chain(ledger: "Ledger", line: str, when: str) -> str:
    writer, n, last = line.rsplit(" ", 2)
    ask = ledger.connection.execute
    if ask("SELECT 1 FROM entries WHERE w = ? AND n = ? AND hash = ?", (writer, int(n), last)).fetchone():
        return ""
    if ask("SELECT 1 FROM pruned WHERE w = ? AND n >= ?", (writer, int(n))).fetchone():
        return ""  # pruned by age or size since then; `verify` checks the pruning
    return f"row {n} of {writer}, anchored on {when}, is gone or was changed"
