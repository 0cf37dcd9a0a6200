"""The register: what became of sealed rows, one chained line for each act, only ever added to.

    HASH sealed TIME SEGMENT ROWS
    HASH pruned TIME SEGMENT ROWS WRITER:LAST …     rows up to LAST of each writer were deleted
    HASH erased TIME WRITER:N …                     the content of these rows was erased
    HASH moved TIME NAME ROWS                       rows of an earlier version were moved over

A segment is noted after it is on the disk, and a pruning before the segment is deleted: so whatever is interrupted, the
register never speaks of a file that was not there, or that should be.
"""

import os
import time

from hookkit.ledger import places
from hookkit.ledger.lines import FIRST, chained
from hookkit.system import database, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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


def read(environ: dict[str, str]) -> tuple[list[Act], list[str]]:
    """The lines in their order, and the faults in them."""
    try:
        with open(places.open_(path_of(environ)), "rb") as file:
            lines = file.read().split(b"\n")[:-1]  # a line without a newline was never noted
    except FileNotFoundError:
        return [], []
    except OSError as error:
        return [], [error.strerror or str(error)]
    acts, wrong, before = [], [], FIRST
    for number, line in enumerate(lines, 1):
        digest, act = line[:64].decode("ascii", "replace"), _act(line)
        if act is None or digest != chained(before, line[65:]):
            wrong.append(f"line {number} was changed, or the lines before it")
        else:
            acts.append(act)
        before = digest
    return acts, wrong


def _act(line: bytes) -> Act | None:
    words = line[64:].decode("ascii", "replace").split(" ")
    is_act = len(words) > WORDS and not words[0] and _is_number(words[2])
    return Act(words[1], int(words[2]), words[3:]) if is_act else None


def _is_number(word: str) -> bool:
    return word.isdigit() and len(word) <= DIGITS


def since(environ: dict[str, str], known: str) -> list[Act]:
    """The acts after an end that `end_of` gave; all of them if that end is unknown."""
    size = known.partition(" ")[0]
    try:
        with open(places.open_(path_of(environ)), "rb") as file:
            file.seek(int(size) if size.isdigit() else 0)
            lines = file.read().split(b"\n")[:-1]
    except OSError:
        return []
    return [act for line in lines if (act := _act(line)) is not None]


def end_of(environ: dict[str, str]) -> str:
    """Size and last hash: the index remembers them, so that a shortened register is found."""
    try:
        with open(places.open_(path_of(environ)), "rb") as file:
            data = file.read()
    except OSError:
        return ""
    whole = data.rfind(b"\n") + 1
    digest = data[: max(0, whole - 1)].rpartition(b"\n")[2][:64]
    return f"{whole} {digest.decode('ascii', 'replace')}"


def shortened(environ: dict[str, str], known: str) -> str:
    """Damage, by the size and last hash known from the index; empty for a whole file."""
    size, _, digest = known.partition(" ")
    if not size.isdigit() or not int(size):
        return ""
    try:
        with open(places.open_(path_of(environ)), "rb") as file:
            data = file.read(int(size))
    except FileNotFoundError:
        return "was removed"
    except OSError as error:
        return error.strerror or str(error)
    is_right = len(data) == int(size) and data[:-1].rpartition(b"\n")[2][:64] == digest.encode()
    return "" if is_right else "was shortened or exchanged: its last lines are not those that the index remembers"
