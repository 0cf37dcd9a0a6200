"""The log of swallowed errors: a hook that fails open never fails silently.

An entry names the error and its place in the code, never the input of the agent, which may be secret.
"""

import os
import stat
import time

from hookkit.errors import HookkitError
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

LIMIT = 256 * 1024  # bytes in each of two files: the log can never fill a disk
ENTRY = 2_000
LINE = "␤"  # stands for a line break inside of an entry
SIMULATED = "simulate "  # starts an entry of a simulation: no agent's call went unchecked


def path(environ: dict[str, str]) -> str:
    directory = files.state_dir(environ)
    return os.path.join(directory, "errors.log") if directory else ""


def describe(error: BaseException) -> str:
    """An error in a single line. Only messages of hookkit's own are repeated: others may quote the input."""
    kind = type(error).__name__
    if isinstance(error, HookkitError):
        return f"{kind}: {error}"
    detail = f" ({error.strerror})" if isinstance(error, OSError) and error.strerror else ""
    return f"{kind}{detail} at {_place(error.__traceback__)}"


def _place(trace: "TracebackType | None") -> str:
    frames = []
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append(f"{os.path.basename(code.co_filename)}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return " < ".join(reversed(frames[-6:]))


def record(environ: dict[str, str], where: str, error: BaseException) -> None:
    """Add a line; at the limit the log becomes errors.log.1 and a new log starts."""
    log = path(environ)
    if not log:
        return
    files.private_dir(os.path.dirname(log))
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    from hookkit.system.masking import cut

    text, _ = cut(f"{stamp} {where}: {describe(error)}", ENTRY)
    line = "".join(char if char.isprintable() else " " for char in text.replace("\n", LINE)) + "\n"
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with open(os.open(log, flags, 0o600), "ab") as file:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode):  # a FIFO must not hang a hook
            raise OSError(f"not a regular file: {log}")
        if info.st_size > LIMIT:
            os.replace(log, log + ".1")
        file.write(line.encode("utf-8", "backslashreplace"))


def try_to_record(environ: dict[str, str], where: str, error: BaseException) -> None:
    """The same where the log itself may be out of reach: a full or read-only disk."""
    try:
        record(environ, where, error)
    except OSError:
        return
