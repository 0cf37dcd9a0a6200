"""The last row of each journal, written a second time in a small file of its own.

A journal without its end, after a power cut or tampering, still looks whole. The next row therefore goes on from the
tip, if the tip is further: then `hookkit ledger verify` reports the rows between as missing, and no row number in the
database is given a second time.
"""

import os
import stat

from hookkit.system import files

LONGEST = 512  # bytes
DIGITS = 15
HEX = frozenset("0123456789abcdef")

Tip = tuple[str, int, str]  # hash, number, writer


def open_(path: str) -> int | None:
    """The file of a tip, or None if unavailable: a tip is a second witness, no row depends on a tip."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        try:
            handle = os.open(path, flags, 0o600)
        except FileNotFoundError:
            files.private_dir(os.path.dirname(path))
            handle = os.open(path, flags, 0o600)
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    return None


def read(handle: int | None, name: str) -> Tip | None:
    """The tip of a session's journal; None for any other text."""
    words = os.pread(handle, LONGEST, 0).decode("ascii", "replace").split() if handle is not None else []
    if len(words) != 4 or words[3] != "." or len(words[0]) != 64 or not HEX.issuperset(words[0]):  # noqa: PLR2004
        return None
    is_number = words[1].isdigit() and len(words[1]) <= DIGITS
    return (words[0], int(words[1]), words[2]) if is_number and words[2].startswith(f"{name}-") else None


def write(handle: int | None, tip: Tip) -> None:
    """The width is constant, so a single write replaces the whole tip. A full disk costs the tip, not the row."""
    if handle is None:
        return
    try:
        os.pwrite(handle, f"{tip[0]} {tip[1]:0{DIGITS}d} {tip[2]} .\n".encode(), 0)
    except OSError:
        return


def remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
