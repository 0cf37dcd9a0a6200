"""Where chains ended, or now begin: a file beside the database, a chain of its own.

A chain cut short in the database still looks whole by itself; this file keeps its length.
"""

import os

from hookkit.ledger import places
from hookkit.ledger.hashing import FIRST, chained
from hookkit.system import database, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.ledger.store import Ledger

HEAD = "head"  # the last row, when its journal was let go
PRUNED = "pruned"  # the last pruned row
WAIT = 0.2  # seconds for another's lock
LINE = 512  # bytes, enough for any line
FACT = "heads"  # the size and the last hash of this file, in the database


class Head:
    __slots__ = ("hash", "n", "what", "writer")

    def __init__(self, what: str, digest: str, number: int, writer: str) -> None:
        self.what = what
        self.hash = digest
        self.n = number
        self.writer = writer


def note(ledger: "Ledger", lines: "list[tuple[str, str, int, str]]") -> None:
    """Add lines and sync them; the database remembers how many there are and where they ended.

    If another process holds the file for long, this fails and does not wait: the rows stay until the next time.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with open(os.open(ledger.heads, flags, 0o600), "r+b", buffering=0) as file:
        if not files.lock(file.fileno(), WAIT):
            raise database.BusyError(f"{ledger.heads}: in use by another process")
        size = os.fstat(file.fileno()).st_size
        tail = os.pread(file.fileno(), LINE, max(0, size - LINE))
        whole = size - (len(tail) - tail.rfind(b"\n") - 1)
        if whole < size:
            os.ftruncate(file.fileno(), whole)  # half a line of a stopped process
        before = tail[: max(0, tail.rfind(b"\n"))].rpartition(b"\n")[2][:64].decode("ascii", "replace") or FIRST
        text = b""
        for what, digest, number, writer in lines:
            body = f"{what} {digest} {number} {writer}".encode()
            before = chained(before, body)
            text += f"{before} ".encode() + body + b"\n"
        file.write(text)
        files.sync(file.fileno())
        ledger.note(FACT, f"{whole + len(text)} {before}")


def shortened(ledger: "Ledger") -> str:
    """Damage to the file, by the size and last hash in the database; empty for a whole file."""
    size, _, digest = ledger.fact(FACT).partition(" ")
    if not size.isdigit():
        return ""
    try:
        with open(places.open_(ledger.heads), "rb") as file:
            lines = file.read(int(size)).splitlines()
            is_whole = os.fstat(file.fileno()).st_size >= int(size)
    except FileNotFoundError:
        return "was removed"
    except OSError as error:
        return error.strerror or str(error)
    is_right = is_whole and bool(lines) and lines[-1][:64] == digest.encode()
    return "" if is_right else "was shortened or exchanged: its last lines are not those that the database remembers"


def read(path: str) -> tuple[list[Head], list[str]]:
    """The lines in their order, and the faults in them."""
    try:
        with open(places.open_(path), "rb") as file:
            lines = file.read().split(b"\n")[:-1]  # a line without a newline was never noted
    except FileNotFoundError:
        return [], []
    except OSError as error:
        return [], [error.strerror or str(error)]
    found, wrong, before = [], [], FIRST
    for number, line in enumerate(lines, 1):
        digest, body = line[:64].decode("ascii", "replace"), line[65:]
        parts = body.decode("ascii", "replace").split(" ")
        if digest != chained(before, body) or len(parts) != 4 or not parts[2].isdigit():  # noqa: PLR2004
            wrong.append(f"line {number} was changed, or the lines before it")
        else:
            found.append(Head(parts[0], parts[1], int(parts[2]), parts[3]))
        before = digest
    return found, wrong
