"""Where chains ended, or now begin: a file beside the database, a chain of its own.

A chain that is cut short in the database still looks whole by itself; here it is known how long it was.
"""

import os

from hookkit.ledger import journal
from hookkit.system import database, files

HEAD = "head"  # the last row, when its journal was let go
PRUNED = "pruned"  # the last row that was let go
WAIT = 0.2  # seconds for another's lock
LINE = 512  # bytes that hold any line


class Head:
    __slots__ = ("hash", "n", "what", "writer")

    def __init__(self, what: str, digest: str, number: int, writer: str) -> None:
        self.what = what
        self.hash = digest
        self.n = number
        self.writer = writer


def note(path: str, what: str, digest: str, number: int, writer: str) -> None:
    """Add a line; whoever holds the file for long makes us fail, not wait: the rows stay until the next time."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(path, flags, 0o600), "r+b", buffering=0) as file:
        if not files.lock(file.fileno(), WAIT):
            raise database.BusyError(f"{path}: in use by another process")
        size = os.fstat(file.fileno()).st_size
        tail = os.pread(file.fileno(), LINE, max(0, size - LINE))
        whole = size - (len(tail) - tail.rfind(b"\n") - 1)
        if whole < size:
            os.ftruncate(file.fileno(), whole)  # half a line of somebody who was stopped
        ended = tail[: max(0, tail.rfind(b"\n"))]
        before = ended.rpartition(b"\n")[2][:64].decode("ascii", "replace") or journal.FIRST
        body = f"{what} {digest} {number} {writer}".encode()
        file.write(f"{journal.chained(before, body)} ".encode() + body + b"\n")


def read(path: str) -> tuple[list[Head], list[str]]:
    """The lines in their order, and what is wrong with them."""
    try:
        with open(journal.open_(path), "rb") as file:
            lines = file.read().split(b"\n")[:-1]  # what has no end was never noted
    except FileNotFoundError:
        return [], []
    except OSError as error:
        return [], [error.strerror or str(error)]
    found, wrong, before = [], [], journal.FIRST
    for number, line in enumerate(lines, 1):
        digest, body = line[:64].decode("ascii", "replace"), line[65:]
        parts = body.decode("ascii", "replace").split(" ")
        if digest != journal.chained(before, body) or len(parts) != 4 or not parts[2].isdigit():  # noqa: PLR2004
            wrong.append(f"line {number} was changed, or the lines before it")
        else:
            found.append(Head(parts[0], parts[1], int(parts[2]), parts[3]))
        before = digest
    return found, wrong
