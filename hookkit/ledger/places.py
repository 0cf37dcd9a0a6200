"""Places of the ledger: hookkit's state directory, or, while unwritable, a private directory in a writable place.

ledger/open/SESSION.log    an open journal (elsewhere: TOP/hookkit-UID/STATE-open/SESSION.log)
ledger/open/tips/SESSION   the last row of the journal, a second time (see `journal`)
ledger/sealed/*.gz         the rows of ended journals (see `segments`)
ledger/register            what became of sealed rows (see `register`)
ledger/index.db            the index of all rows: it can be thrown away
ledger/key                 the key of `same` and of the ids of stopped calls

Earlier versions had ledger/journal and ledger/ledger.db: `legacy` moves their rows here.
"""

import os
import stat

from hookkit.ledger.lines import digest
from hookkit.system import files

_keys: dict[str, bytes] = {}  # a key never changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ENDING = ".log"
SPOILT = ".spoilt"
TIPS = "tips"
KEY = 32  # bytes
PROBE = 4_096  # bytes: a row
ELSEWHERE = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - the directories that we make there are private


def each(environ: dict[str, str]) -> "Iterator[str]":
    """The directories of journals, best first. Rows of another state are not ours, so its place has another name."""
    state = files.state_dir(environ)
    if state:
        yield f"{state}/ledger/open"
    for top in _elsewhere(environ):
        yield f"{top}-open"


def _elsewhere(environ: dict[str, str]) -> "Iterator[str]":
    own = f"hookkit-{os.geteuid()}", digest(os.fsencode(files.state_dir(environ)))[:16]
    given = (environ.get("TMPDIR", ""), environ.get("XDG_RUNTIME_DIR", ""))
    tops = dict.fromkeys(top for top in (*given, *ELSEWHERE) if os.path.isabs(top) and os.path.isdir(top))
    return (os.path.join(top, *own) for top in tops)


def legacy(environ: dict[str, str]) -> list[str]:
    """Where earlier versions wrote journals."""
    home = os.path.join(root(environ), "journal")
    return [path for place in (home, *_elsewhere(environ)) for path in (place, os.path.join(place, "kept"))]


def root(environ: dict[str, str]) -> str:
    """The directory of the ledger; without a home, beside the journals."""
    state = files.state_dir(environ) or os.path.dirname(places(environ)[-1])
    return os.path.join(state, "ledger")


def places(environ: dict[str, str]) -> list[str]:
    return list(each(environ))


def paths(environ: dict[str, str], session: str = "") -> list[str]:
    """Every open journal, or the journals of a session."""
    name = files.safe_name(session) if session else ""
    return [path for place in places(environ) for path in journals(place, name)]


def journals(directory: str, name: str = "") -> list[str]:
    return [os.path.join(directory, file) for file in _names(directory) if _is_of(file, name)]


def likely(environ: dict[str, str], session: str) -> list[str]:
    """The journal of a session in the first place to hold a journal of its name; lists no directory."""
    name = files.safe_name(session) + ENDING
    paths = (os.path.join(place, name) for place in each(environ))
    return next(([path] for path in paths if os.path.lexists(path)), [])


def _names(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory)) if is_ours(directory) else []
    except OSError:
        return []


def _is_of(file: str, name: str) -> bool:
    return file.endswith((ENDING, SPOILT)) and (not name or file == name + ENDING or file.startswith(f"{name}-"))


def is_ours(place: str) -> bool:
    """Whether only this user can write the directory: any user can make a directory in /tmp, with forged rows."""
    info = os.lstat(place)
    return stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid() and not info.st_mode & files.WRITABLE


def open_(path: str) -> int:
    """Open a journal to read: a file of the user, neither a link nor a blocking FIFO."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    info = os.fstat(handle)
    if not stat.S_ISREG(info.st_mode) or info.st_uid != os.geteuid():
        os.close(handle)
        raise OSError(f"not a file of ours: {path}")
    return handle


def tip_of(path: str) -> str:
    """Where the last row of a journal stands a second time."""
    directory, name = os.path.split(path)
    return os.path.join(directory, TIPS, name.removesuffix(SPOILT).removesuffix(ENDING))


def key(environ: dict[str, str]) -> bytes:
    """A random key of this ledger, made at the first use; empty if there is no place for it."""
    path = os.path.join(root(environ), "key")
    if path in _keys:
        return _keys[path]
    try:
        if not os.path.lexists(path):
            files.private_dir(os.path.dirname(path))
            files.create(path, os.urandom(KEY), is_synced=True)
        secret = files.read_own(path, KEY)
        if len(secret) != KEY:  # cut by a full disk or a power cut: without a key, no call would be known again
            secret = os.urandom(KEY)
            files.keep(path, secret, 0o600)
    except OSError:
        return b""
    _keys[path] = secret
    return secret


def keyed(environ: dict[str, str], data: bytes) -> str:
    """Tells contents apart in a place that may hold them masked: a plain digest would tell a masked password.

    Without a place for the key every digest is another one, so nothing counts as known.
    """
    return digest((key(environ) or os.urandom(KEY)) + data)


def is_lost(environ: dict[str, str]) -> bool:
    """Whether there is no place for a row."""
    return all(map(refusal, each(environ)))


def refusal(place: str) -> str:
    """Why no row can be written here, in the words of the system; empty if it can. A full disk takes empty files."""
    try:
        files.private_dir(os.path.dirname(place))
        probe = os.path.join(files.private_dir(place), f".{os.urandom(6).hex()}")
        handle = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.write(handle, bytes(PROBE))
        finally:
            os.close(handle)
            os.unlink(probe)
    except OSError as error:
        return error.strerror or str(error)
    return ""
