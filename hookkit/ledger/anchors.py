"""Anchors: one line about all chains, kept where a later rewrite of the ledger does not reach.

The line holds a digest of the last row of every chain. The list behind the digest is kept beside the ledger, so that
the line stays short. A ledger rewritten later, or an old copy of the ledger, lacks the list behind the digest.

    hookkit-anchor 1 ID TIME rows=N chains=N sha256=DIGEST
"""

import os
import time
import zlib

from hookkit.errors import HookkitError
from hookkit.ledger import places, register
from hookkit.ledger.lines import digest
from hookkit.system import files

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
    sql = "SELECT w, max(n), hash FROM entries WHERE w IS NOT NULL GROUP BY w ORDER BY w"
    chains = ledger.connection.execute(sql).fetchall()
    (rows,) = ledger.connection.execute("SELECT count(*) FROM entries").fetchone()
    listed = "\n".join(f"{writer} {n} {last}" for writer, n, last in chains).encode()
    name, now = os.urandom(6).hex(), int(time.time())
    files.keep(os.path.join(files.private_dir(_directory(ledger)), name), zlib.compress(listed), 0o600)
    return f"{WORD} 1 {name} {_when(now)} rows={rows} chains={len(chains)} sha256={digest(listed)}"


def _directory(ledger: "Ledger") -> str:
    return os.path.join(places.root(ledger.environ), "anchors")


def lines_in(text: str) -> list[str]:
    """The anchors in a text, oldest first, each once."""
    lines = (line.strip() for line in text.splitlines())
    return list(dict.fromkeys(line for line in lines if line.startswith(f"{WORD} ")))


def wrong(ledger: "Ledger", line: str) -> list[str]:
    """Every difference between the ledger and its anchored state."""
    words = line.split()
    if len(words) != PARTS or words[1] != "1" or not words[6].startswith("sha256="):
        return [f"not an anchor that this hookkit can read: {line[:100]}"]
    name, when, wanted = words[2], words[3], words[6].removeprefix("sha256=")
    try:
        data = files.read_own(os.path.join(_directory(ledger), files.safe_name(name)), LARGEST)
        listed = zlib.decompressobj().decompress(data, LARGEST)
    except OSError:
        return [f"the ledger does not know the anchor of {when}: it was replaced by an older copy, or made anew"]
    except zlib.error:
        listed = b""
    if digest(listed) != wanted:
        return [f"the ledger's list of chains is not the list that was anchored on {when}"]
    acts, _ = register.read(ledger.environ)
    pruned: dict[str, int] = {}
    for act in acts:
        pruned.update(act.rows() if act.what == register.PRUNED else ())
    chains = listed.decode("utf-8", "replace").splitlines()
    return [mistake for chain in chains if (mistake := _missing(ledger, chain, when, pruned))]


def _missing(ledger: "Ledger", line: str, when: str, pruned: dict[str, int]) -> str:
    writer, n, last = line.rsplit(" ", 2)
    sql = "SELECT 1 FROM entries WHERE w = ? AND n = ? AND hash = ?"
    if ledger.connection.execute(sql, (writer, int(n), last)).fetchone():
        return ""
    if pruned.get(writer, 0) >= int(n):
        return ""  # pruned by age or size since then
    return f"row {n} of {writer}, anchored on {when}, is gone or was changed"


def moved_since(ledger: "Ledger", line: str) -> bool:
    """Whether the rows were moved over from an earlier version after this anchor: they are chained anew since."""
    acts, _ = register.read(ledger.environ)
    return any(_when(act.at) > line.split()[3] for act in acts if act.what == register.MOVED) and bool(line)


def _when(at: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
