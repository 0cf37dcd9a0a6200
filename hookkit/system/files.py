"""Reading and writing in places that we do not control: bounded, private, and never through somebody's symlink."""

import os
import stat

MONTH = 30 * 86_400
LONGEST_NAME = 100
PAUSE = 0.002  # seconds between two attempts to take a lock
WRITABLE = stat.S_IWGRP | stat.S_IWOTH


def safe_name(text: str) -> str:
    """A session id is a stranger's text: what may not stand in a file's name is replaced, and told apart by a sum."""
    if 0 < len(text) <= LONGEST_NAME and text.isascii() and text.replace("-", "").replace("_", "").isalnum():
        return text
    kept = "".join(char if char.isascii() and char.isalnum() else "-" for char in text[:60])
    return f"{kept}-{checksum(text.encode('utf-8', 'surrogatepass'))}"


def checksum(data: bytes) -> str:
    """Tells contents apart; no defence against somebody who wants two to look the same."""
    from binascii import crc32

    return f"{crc32(data):08x}{len(data):x}"


def home(environ: dict[str, str]) -> str:
    """The user's directory, or nothing: a hook must live without one."""
    found = environ.get("HOME") or os.path.expanduser("~")
    return found if os.path.isabs(found) else ""


def state_dir(environ: dict[str, str]) -> str:
    """Where hookkit keeps what outlives a call; nothing where there is no home."""
    base = environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(base):
        return os.path.join(base, "hookkit")
    base = home(environ)
    return os.path.join(base, ".local", "state", "hookkit") if base else ""


def repository(directory: str) -> str:
    """The root of the repository that the directory is in; by itself it is its own root."""
    here = directory
    while True:
        if _is_ours(os.path.join(here, ".git")):
            return here
        above = os.path.dirname(here)
        if above == here:
            return directory
        here = above


def _is_ours(path: str) -> bool:
    """A directory above ours may be anybody's: their .git does not make us part of their repository."""
    try:
        owner = os.lstat(path).st_uid
    except (OSError, ValueError):  # the second: no name that a file could have
        return False
    return owner in (os.geteuid(), 0) or os.geteuid() == 0


def read(path: str, limit: int) -> bytes:
    """At most `limit` bytes of a regular file: a FIFO or a device with that name must not hang or flood us."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"not a regular file: {path}")
    with open(handle, "rb") as file:
        return file.read(limit)


def read_own(path: str, limit: int) -> bytes:
    """The same of a file that we wrote: another's, or one that others may write to, says nothing to us."""
    info = os.lstat(path)
    if not stat.S_ISREG(info.st_mode) or info.st_uid != os.geteuid() or info.st_mode & WRITABLE:
        raise OSError(f"not a file of ours: {path}")
    return read(path, limit)


def stamp(path: str) -> list[int]:
    """Numbers that change whenever the file does; the writer of a file cannot set its change time back.

    Take the stamp before reading the file: then a change in between is seen.
    """
    try:
        info = os.stat(path)
    except (OSError, ValueError):  # ValueError: the name holds a null character
        return []
    return [info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns]


def lock(handle: int, seconds: float = 0) -> bool:
    """Lock an open file for this process alone; False when another process still holds the lock after the wait.

    Closing the file releases the lock. The wait is bounded: a process that hangs must not hang this one.
    """
    import fcntl
    import time

    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # noqa: PERF203 - retried until the time is over
            if time.monotonic() >= end:
                return False
            time.sleep(PAUSE)
        else:
            return True


def inside(path: str, root: str) -> bool:
    """Whether the path, with every symlink followed, is still in the directory."""
    real_root = os.path.realpath(root)
    return (os.path.realpath(path) + "/").startswith(real_root.rstrip("/") + "/")


def private_dir(path: str) -> str:
    """A directory of ours that nobody else may write to; one that is not ours is no place for state."""
    os.makedirs(path, mode=0o700, exist_ok=True)
    info = os.lstat(path)
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid():
        raise OSError(f"not a directory of ours: {path}")
    if info.st_mode & WRITABLE:
        os.chmod(path, stat.S_IMODE(info.st_mode) & ~WRITABLE)
    return path


def session_dir(project: str, environ: dict[str, str]) -> str:
    """Where a session's markers lie: the project's .claude/tmp, or our own state where that is not to be had.

    A project can plant a symlink there; what leads out of the project is not written through.
    """
    if environ.get("HOOKKIT_SESSION_DIR"):  # a simulation leaves no trace in the project
        return private_dir(environ["HOOKKIT_SESSION_DIR"])
    directory = os.path.join(project, ".claude", "tmp")
    try:
        may = os.path.isdir(project) and inside(directory, project)
        if may:
            os.makedirs(directory, mode=0o700, exist_ok=True)
        if may and inside(directory, project) and os.access(directory, os.W_OK):
            ignore = os.path.join(directory, ".gitignore")
            if not os.path.lexists(ignore):
                create(ignore, b"*\n")
            return directory
    except OSError:
        pass  # read-only, or not a directory: our own state will do
    return private_dir(os.path.join(private_dir(state_dir(environ)), "sessions"))


def session_places(project: str, environ: dict[str, str]) -> list[str]:
    """Where session_dir may have put a marker, without making any of it."""
    given = environ.get("HOOKKIT_SESSION_DIR")
    if given:
        return [given]
    state = state_dir(environ)
    local = os.path.join(project, ".claude", "tmp")
    return [local, os.path.join(state, "sessions")] if state else [local]


def write(path: str, data: bytes) -> None:
    """Replace the file whole, or leave it as it was."""
    temporary = _beside(path, data)
    os.replace(temporary, path)


def create(path: str, data: bytes = b"") -> bool:
    """Make the file with this content, unless there is one: of many who try at once, one is told True."""
    temporary = _beside(path, data)
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        os.unlink(temporary)
    return True


def _beside(path: str, data: bytes) -> str:
    temporary = f"{path}.{os.urandom(6).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(temporary, flags, 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(data)
    except OSError:
        os.unlink(temporary)  # a full disk is no reason to leave things lying about
        raise
    return temporary


def prune(directory: str, now: float, prefix: str = "") -> None:
    """Forget markers older than a month, so that they never pile up."""
    with os.scandir(directory) as entries:
        for entry in entries:
            if not entry.name.startswith(prefix) or "." in entry.name.removeprefix(prefix):
                continue  # not a marker's name: somebody's own file
            try:
                info = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(info.st_mode) and now - info.st_mtime > MONTH:
                    os.unlink(entry.path)
            except FileNotFoundError:
                continue  # another call was faster
