"""Reading and writing in places that others control too: bounded, private, and never through another user's symlink."""

import os
import stat
import time

EINVAL = 22
MONTH = 30 * 86_400
LONGEST_NAME = 100
PAUSE = 0.002  # seconds between two attempts to take a lock
# For bytes.translate: letters and digits stay, every other byte becomes a dash.
DASHES = (
    b"-" * 48 + b"0123456789" + b"-" * 7 + b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    + b"-" * 6 + b"abcdefghijklmnopqrstuvwxyz" + b"-" * 133
)  # fmt: skip
WRITABLE = stat.S_IWGRP | stat.S_IWOTH
MOST_KNOWN = 10_000  # directories remembered
ACCESS_LIST = "system.posix_acl_access"  # without it the group's rights would be those of the whole list
TEMPORARY = len(".0123456789ab.tmp")
ABANDONED = 60  # seconds after which a temporary file has no process any more
DEEPEST = 64  # the real path of a deeper directory is left to the standard library


def safe_name(text: str) -> str:
    """A file name for untrusted text, such as a session id: odd characters are replaced, a checksum tells ids apart."""
    if 0 < len(text) <= LONGEST_NAME and text.isascii() and text.replace("-", "").replace("_", "").isalnum():
        return text
    start = text[:60].encode("ascii", "replace").translate(DASHES).decode()
    return f"{start}-{checksum(text.encode('utf-8', 'surrogatepass'))}"


def checksum(data: bytes) -> str:
    """Tells contents apart by accident only: an attacker can make two contents with the same checksum."""
    from binascii import crc32

    return f"{crc32(data):08x}{len(data):x}"


def home(environ: dict[str, str]) -> str:
    """The user's directory, or "": a hook must work without a home."""
    path = environ.get("HOME") or os.path.expanduser("~")
    return (path.rstrip("/") or "/") if os.path.isabs(path) else ""


def state_dir(environ: dict[str, str]) -> str:
    """The directory of hookkit's own state, or "" without a home."""
    base = environ.get("XDG_STATE_HOME", "")
    if base[:1] == "/":  # every hook asks many times: no function is called
        return f"{base.rstrip('/')}/hookkit"
    base = home(environ)
    return f"{base.rstrip('/')}/.local/state/hookkit" if base else ""


def repository(directory: str) -> str:
    """The root of the repository around the directory; without a repository, the directory itself."""
    here = directory
    while True:
        if _is_ours(os.path.join(here, ".git")):
            return here
        above = os.path.dirname(here)
        if above == here:
            return directory
        here = above


def _is_ours(path: str) -> bool:
    """A directory above may belong to another user: their .git does not make this a part of their repository."""
    try:
        owner = os.lstat(path).st_uid
    except (OSError, ValueError):  # ValueError: the name holds a null character
        return False
    return owner in (os.geteuid(), 0) or os.geteuid() == 0


def read(path: str, limit: int) -> bytes:
    """At most `limit` bytes of a regular file: a FIFO or a device must not hang or flood the hook."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"not a regular file: {path}")
    with open(handle, "rb") as file:
        return file.read(limit)


def read_own(path: str, limit: int) -> bytes:
    """The same for hookkit's own files: a file of another user, or writable for others, is refused.

    The open file is checked: another user may exchange the name in between.
    """
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode) or info.st_uid != os.geteuid() or info.st_mode & WRITABLE:
            raise OSError(f"not a file of ours: {path}")
        return file.read(limit)


def real_path(handle: int, path: str) -> str:
    """Where an open file really is. A link that is exchanged after the opening changes nothing."""
    try:
        return os.readlink(f"/proc/self/fd/{handle}")
    except OSError:
        import fcntl

        if hasattr(fcntl, "F_GETPATH"):  # macOS
            return os.fsdecode(fcntl.fcntl(handle, fcntl.F_GETPATH, b"\0" * 1024).rstrip(b"\0"))
        return os.path.realpath(path)


def is_ours(directory: str) -> bool:
    """Whether a directory belongs to this user or to root; there is nothing to read in one that is not there."""
    try:
        return os.stat(directory or "/").st_uid in (os.geteuid(), 0)
    except (OSError, ValueError):
        return True


def is_owned(path: str) -> bool:
    """Whether only this user, or root, can write the file. A group of the same number is the user's own."""
    info = os.stat(path)
    is_shared = info.st_mode & stat.S_IWGRP and info.st_gid != os.getegid()
    above = os.stat(os.path.dirname(os.path.abspath(path))).st_mode
    is_open = (info.st_mode | (0 if above & stat.S_ISVTX else above)) & stat.S_IWOTH  # or the file can be exchanged
    return info.st_uid in (os.geteuid(), 0) and not is_open and not is_shared


def stamp(path: str) -> list[int]:
    """Numbers that change whenever the file does, empty for a missing file. The writer cannot set the change time back.

    Take the stamp before reading the file: then a change in between is seen.
    """
    try:
        info = os.stat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: the name holds a null character
        return []
    except OSError as error:  # the file may be there: reading it tells the person
        return [error.errno or 0]
    return [info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns]


def lock(handle: int, seconds: float = 0, *, shared: bool = False) -> bool:
    """Lock an open file for this process alone, or `shared`; False if another process keeps the lock past the wait.

    Closing the file releases the lock. The wait is bounded: a process that hangs must not hang this one.
    """
    import fcntl

    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:  # noqa: PERF203 - retried until the time is over
            if time.monotonic() >= end:
                return False
            time.sleep(PAUSE)
        else:
            return True


def sync(handle: int) -> None:
    """Wait until the content of a file is on the disk. A file system that cannot sync has done all it can."""
    try:
        os.fdatasync(handle) if hasattr(os, "fdatasync") else os.fsync(handle)
    except OSError as error:
        if error.errno != EINVAL:
            raise


def sync_directory(path: str) -> None:
    """The name of a new file is on the disk only when its directory is."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        sync(handle)
    finally:
        os.close(handle)


def inside(path: str, root: str) -> bool:
    """Whether the path is in the directory after every symlink is followed."""
    real_root = os.path.realpath(root)
    return (os.path.realpath(path) + "/").startswith(real_root.rstrip("/") + "/")


def private_dir(path: str) -> str:
    """A directory of our own, closed to other writers; a directory of another user is refused."""
    make_private(path)
    info = os.lstat(path)
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid():
        raise OSError(f"not a directory of ours: {path}")
    if info.st_mode & WRITABLE:
        os.chmod(path, stat.S_IMODE(info.st_mode) & ~WRITABLE)
    return path


def make_private(path: str) -> None:
    """Make the directory and every missing one above for this user alone, whatever the umask."""
    if not os.path.isdir(path):
        if not os.path.exists(os.path.dirname(path) or "/"):
            make_private(os.path.dirname(path))
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            if not os.path.isdir(path):  # else another process was faster
                raise


def session_dir(project: str, environ: dict[str, str]) -> str:
    """The directory for marks of a session: the project's .claude/tmp, or hookkit's own state if it cannot be used.

    A project can plant a symlink there; a path that leads out of the project is not used.
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
        pass  # read-only, or not a directory: use our own state
    return private_dir(os.path.join(private_dir(state_dir(environ)), "sessions"))


def session_places(project: str, environ: dict[str, str]) -> list[str]:
    """The directories where session_dir may have put a mark; none of them is made."""
    given = environ.get("HOOKKIT_SESSION_DIR")
    if given:
        return [given]
    state = state_dir(environ)
    local = os.path.join(project, ".claude", "tmp")
    return [local, os.path.join(state, "sessions")] if state else [local]


def write(path: str, data: bytes, mode: int = 0o600) -> None:
    """Replace the file whole, or leave it as it was. A power cut may still cost the content: see `keep`."""
    temporary = _beside(path, data)
    try:
        if mode != 0o600:  # noqa: PLR2004 - the mode of a new temporary file
            os.chmod(temporary, mode)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise


def keep(path: str, data: bytes, mode: int | None = None) -> None:
    """Replace the file whole and wait until it is on the disk: for everything that a person would miss.

    Without `mode`, rights, owner and extended attributes of the replaced file are kept; a new file is private.
    """
    _sweep(path)
    temporary = _beside(path, data, is_synced=True)
    try:
        _resemble(temporary, path, mode)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
    sync_directory(os.path.dirname(path))


def _resemble(temporary: str, path: str, mode: int | None) -> None:
    try:
        info = os.lstat(path)
    except FileNotFoundError:
        info = None
    if info is not None and (info.st_uid, info.st_gid) != (os.geteuid(), os.getegid()):
        os.chown(temporary, info.st_uid, info.st_gid)
    if info is not None and hasattr(os, "listxattr"):
        for name in _attributes(path):
            os.setxattr(temporary, name, os.getxattr(path, name))
    if mode is not None or info is not None:
        os.chmod(temporary, mode if mode is not None else stat.S_IMODE(info.st_mode) if info is not None else 0o600)


def _attributes(path: str) -> list[str]:
    """The user's extended attributes and access list; others of the system are set by the system again."""
    try:
        return [name for name in os.listxattr(path) if name.startswith("user.") or name == ACCESS_LIST]
    except OSError:
        return []  # a file system without any


def _sweep(path: str) -> None:
    """Delete temporary files of this file, left by a process that was killed."""
    directory, base = os.path.split(path)
    for name in os.listdir(directory):
        if name.startswith(f"{base}.") and name.endswith(".tmp") and len(name) == len(base) + TEMPORARY:
            temporary = os.path.join(directory, name)
            try:
                if time.time() - os.lstat(temporary).st_mtime > ABANDONED:
                    os.unlink(temporary)
            except FileNotFoundError:
                continue  # its process is done


def create(path: str, data: bytes = b"", *, is_synced: bool = False) -> bool:
    """Make a new file with this content. True for one caller only, even when several try at the same time."""
    temporary = _beside(path, data, is_synced=is_synced)
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        os.unlink(temporary)
    return True


def _beside(path: str, data: bytes, *, is_synced: bool = False) -> str:
    temporary = f"{path}.{os.urandom(6).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(temporary, flags, 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            if is_synced:
                file.flush()
                sync(file.fileno())
    except OSError:
        os.unlink(temporary)  # on a full disk, leave no half-written file behind
        raise
    return temporary


def prune(directory: str, now: float, prefix: str = "") -> None:
    """Delete marks older than a month, so that they never pile up."""
    with os.scandir(directory) as entries:
        for entry in entries:
            if not entry.name.startswith(prefix) or "." in entry.name.removeprefix(prefix):
                continue  # not the name of a mark: a file of the person's own
            try:
                info = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(info.st_mode) and now - info.st_mtime > MONTH:
                    os.unlink(entry.path)
            except FileNotFoundError:
                continue  # another call was faster


def keep_newest(directory: str, count: int) -> None:
    """Delete the oldest files beyond the count."""
    with os.scandir(directory) as entries:
        aged = [(entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in entries]
    for _, path in sorted(aged)[:-count]:
        os.unlink(path)


# -- directories without symbolic links -------------------------------------------------------------


class Holding:
    """While on, every directory is looked up once: for reports over many calls, never for a hook."""

    known: dict[str, str] | None = None

    def __enter__(self) -> None:
        Holding.known = {}

    def __exit__(self, *_: object) -> None:
        Holding.known = None


def memory() -> dict[str, str]:
    """Directories already looked up: those of the whole run while held, else none."""
    return {} if Holding.known is None else Holding.known


def real(path: str, known: dict[str, str]) -> str:
    """The real path of a normalised absolute directory, from the nearest known directory above."""
    resolved = known.get(path)
    if resolved is not None:
        return resolved
    if path[:1] != "/" or path.count("/") > DEEPEST:
        return os.path.realpath(path)
    missing = []
    here = path
    while here not in known and here.strip("/"):
        missing.append(here)
        here = here.rpartition("/")[0]
    resolved = known.get(here, "/")
    if len(known) > MOST_KNOWN:
        known.clear()
    for here in reversed(missing):
        resolved = (
            os.path.realpath(here) if os.path.islink(here) else f"{resolved.rstrip('/')}/{here.rpartition('/')[2]}"
        )
        known[here] = resolved
    return resolved
