"""The register and the anchors: witnesses of what became of rows.

The register has one chained line for each act on sealed rows, and is only ever added to.

    HASH sealed TIME SEGMENT ROWS
    HASH pruned TIME SEGMENT ROWS WRITER:LAST …     rows up to LAST of each writer were deleted
    HASH erased TIME WRITER:N …                     the content of these rows was erased
    HASH moved TIME NAME ROWS                       rows of an earlier version were moved over

A segment is noted after it is on the disk, and a pruning before the segment is deleted: so whatever is interrupted, the
register never speaks of a file that was not there, or that should be.

An anchor is a line about all chains, kept where a later rewrite of the ledger does not reach:

    hookkit-anchor 1 ID TIME rows=N chains=N sha256=DIGEST

It holds a digest of the last row of every chain. The list behind the digest is kept beside the ledger, so that the line
stays short. A ledger rewritten later, or an old copy of the ledger, lacks the list behind the digest.
"""

import os
import time
import zlib

from hookkit.ledger import places
from hookkit.ledger.lines import FIRST, chained, digest
from hookkit.system import database, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.ledger.row_index import Ledger


SEALED, PRUNED, ERASED, MOVED = "sealed", "pruned", "erased", "moved"
WAIT = 0.2  # seconds for another's lock
LONGEST = 1 << 20  # bytes of a line
WORDS = 2  # the act and its time
DIGITS = 18


class Act:
    """A line of the register."""

    __slots__ = ("at", "what", "words")

    def __init__(self, what: str, at: int, words: list[str]) -> None:
        self.what = what
        self.at = at
        self.words = words

    def rows(self) -> "Iterator[tuple[str, int]]":
        """The writers and numbers of words like WRITER:N."""
        for word in self.words:
            writer, _, n = word.rpartition(":")
            if writer and _is_number(n):
                yield writer, int(n)


def path_of(environ: dict[str, str]) -> str:
    return os.path.join(places.root(environ), "register")


def note(environ: dict[str, str], what: str, *words: str) -> None:
    """Add a line and sync it. If another process holds the file for long, this fails and does not wait."""
    path = path_of(environ)
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with open(os.open(path, flags, 0o600), "r+b", buffering=0) as file:
        if not files.lock(file.fileno(), WAIT):
            raise database.BusyError(f"{path}: in use by another process")
        size = os.fstat(file.fileno()).st_size
        tail = os.pread(file.fileno(), LONGEST, max(0, size - LONGEST))
        whole = tail.rfind(b"\n") + 1
        if whole < len(tail):
            os.ftruncate(file.fileno(), size - len(tail) + whole)  # half a line of a stopped process
        before = tail[: max(0, whole - 1)].rpartition(b"\n")[2][:64].decode("ascii", "replace") or FIRST
        body = " ".join((what, str(int(time.time())), *words)).encode()
        line = f"{chained(before, body)} ".encode() + body + b"\n"
        if file.write(line) != len(line):
            os.ftruncate(file.fileno(), size - len(tail) + whole)
            raise OSError(28, "No space left on device", path)
        files.sync(file.fileno())
        if not size:
            files.sync_directory(os.path.dirname(path))


def _content(environ: dict[str, str]) -> bytes:
    with open(places.open_(path_of(environ)), "rb") as file:
        return file.read()


def read(environ: dict[str, str]) -> tuple[list[Act], list[str]]:
    """The lines in their order, and the faults in them."""
    try:
        lines = _content(environ).split(b"\n")[:-1]  # a line without a newline was never noted
    except FileNotFoundError:
        return [], []
    except OSError as error:
        return [], [error.strerror or str(error)]
    acts, wrong, before = [], [], FIRST
    for number, line in enumerate(lines, 1):
        hash_, act = line[:64].decode("ascii", "replace"), _act(line)
        if act is None or hash_ != chained(before, line[65:]):
            wrong.append(f"line {number} was changed, or the lines before it")
        else:
            acts.append(act)
        before = hash_
    return acts, wrong


def _act(line: bytes) -> Act | None:
    words = line[64:].decode("ascii", "replace").split(" ")
    is_act = len(words) > WORDS and not words[0] and _is_number(words[2])
    return Act(words[1], int(words[2]), words[3:]) if is_act else None


def _is_number(word: str) -> bool:
    return word.isdigit() and len(word) <= DIGITS


def pruned_rows(acts: list[Act]) -> dict[str, int]:
    """The number of each writer up to which rows were pruned."""
    pruned: dict[str, int] = {}
    for act in acts:
        for writer, n in act.rows() if act.what == PRUNED else ():
            pruned[writer] = max(n, pruned.get(writer, 0))
    return pruned


def since(environ: dict[str, str], known: str) -> list[Act]:
    """The acts after an end that `end_of` gave; all of them if that end is unknown."""
    size = known.partition(" ")[0]
    try:
        lines = _content(environ)[int(size) if size.isdigit() else 0 :].split(b"\n")[:-1]
    except OSError:
        return []
    return [act for line in lines if (act := _act(line)) is not None]


def end_of(environ: dict[str, str]) -> str:
    """Size and last hash: the index remembers them, so that a shortened register is found."""
    try:
        data = _content(environ)
    except OSError:
        return ""
    whole = data.rfind(b"\n") + 1
    hash_ = data[: max(0, whole - 1)].rpartition(b"\n")[2][:64]
    return f"{whole} {hash_.decode('ascii', 'replace')}"


def shortened(environ: dict[str, str], known: str) -> str:
    """Damage, by the size and last hash known from the index; empty for a whole file."""
    size, _, hash_ = known.partition(" ")
    if not size.isdigit() or not int(size):
        return ""
    try:
        data = _content(environ)[: int(size)]
    except FileNotFoundError:
        return "was removed"
    except OSError as error:
        return error.strerror or str(error)
    is_right = len(data) == int(size) and data[:-1].rpartition(b"\n")[2][:64] == hash_.encode()
    return "" if is_right else "was shortened or exchanged: its last lines are not those that the index remembers"


# -- anchors -----------------------------------------------------------------------------------------------------------


ANCHOR = "hookkit-anchor"
ANCHOR_WORDS = 7
LARGEST = 64 << 20  # bytes of a list


def make_anchor(ledger: "Ledger") -> str:
    """A new anchor of the ledger's present state."""
    sql = "SELECT w, max(n), hash FROM entries WHERE w IS NOT NULL GROUP BY w ORDER BY w"
    chains = ledger.connection.execute(sql).fetchall()
    (rows,) = ledger.connection.execute("SELECT count(*) FROM entries").fetchone()
    listed = "\n".join(f"{writer} {n} {last}" for writer, n, last in chains).encode()
    name, now = os.urandom(6).hex(), int(time.time())
    files.keep(os.path.join(files.private_dir(_directory(ledger)), name), zlib.compress(listed), 0o600)
    return f"{ANCHOR} 1 {name} {_when(now)} rows={rows} chains={len(chains)} sha256={digest(listed)}"


def _directory(ledger: "Ledger") -> str:
    return os.path.join(places.root(ledger.environ), "anchors")


def anchors_in(text: str) -> list[str]:
    """The anchors in a text, oldest first, each once."""
    lines = (line.strip() for line in text.splitlines())
    return list(dict.fromkeys(line for line in lines if line.startswith(f"{ANCHOR} ")))


def differences(ledger: "Ledger", line: str) -> list[str]:
    """Every difference between the ledger and its anchored state."""
    words = line.split()
    if len(words) != ANCHOR_WORDS or words[1] != "1" or not words[6].startswith("sha256="):
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
    pruned = pruned_rows(read(ledger.environ)[0])
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


def is_moved_since(ledger: "Ledger", line: str) -> bool:
    """Whether the rows were moved over from an earlier version after this anchor: they are chained anew since."""
    acts, _ = read(ledger.environ)
    return any(_when(act.at) > line.split()[3] for act in acts if act.what == MOVED) and bool(line)


def _when(at: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
