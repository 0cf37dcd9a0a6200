"""Programs that the user wrote: started by the shell, with a deadline and bounded output, ended with their children.

Output comes through pipes, not files: `echo x > /dev/stderr` would empty a file. A child that the program leaves behind
keeps the pipes open, so the runner waits for the program to exit, never for the end of its output.
"""

import os
import selectors
import signal
import subprocess
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

KEPT = 64 * 1024  # bytes of each output stream
READ = 64 * 1024
PAUSE = 0.05  # seconds between checks for the exit code where the kernel has no pidfd
LEFTOVER = 16  # reads of each stream after the exit: a surviving child could write for ever


class ProgramResult:
    """`code` is None if time ran out; a negative code is the signal that ended the program."""

    __slots__ = ("code", "stderr", "stdout")

    def __init__(self, code: int | None, stdout: bytes, stderr: bytes) -> None:
        self.code = code
        self.stdout = stdout
        self.stderr = stderr


class Program:
    """One shell command line of the user's. `merged` sends stderr to stdout; `last` keeps the end of the output."""

    __slots__ = ("directory", "environ", "last", "merged", "seconds", "text")

    def __init__(self, text: str, directory: str, environ: dict[str, str], seconds: float) -> None:
        self.text = text
        self.directory = directory
        self.environ = environ
        self.seconds = seconds
        self.merged = False
        self.last = False

    def run(self, stdin: bytes) -> ProgramResult:
        """Raises OSError if the program cannot be started."""
        stop = time.monotonic() + self.seconds
        process = subprocess.Popen(
            ["/bin/sh", "-c", self.text],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if self.merged else subprocess.PIPE,
            cwd=self.directory or None,
            env=self.environ,
            start_new_session=True,
        )
        exchange = _Exchange(process, stdin, last=self.last)
        with process:
            try:
                is_late = not exchange.until(stop)
            finally:
                with suppress(ProcessLookupError):  # the whole group has exited
                    os.killpg(process.pid, signal.SIGKILL)
                exchange.close()
            exchange.drain()
        stdout, stderr = exchange.output
        return ProgramResult(None if is_late else process.returncode, stdout, stderr)


class _Exchange:
    """Writes stdin and reads both outputs, in the order in which the program is ready for either."""

    def __init__(self, process: "subprocess.Popen[bytes]", stdin: bytes, *, last: bool) -> None:
        self.process = process
        self.stdin = stdin
        self.last = last
        self.output = [b"", b""]
        self.selector = selectors.DefaultSelector()
        self.pidfd = _pidfd(process.pid)
        for place, stream in enumerate((process.stdout, process.stderr)):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                self.selector.register(stream, selectors.EVENT_READ, place)
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
            self.selector.register(process.stdin, selectors.EVENT_WRITE)
        if self.pidfd >= 0:
            self.selector.register(self.pidfd, selectors.EVENT_READ)

    def close(self) -> None:
        self.selector.close()
        if self.pidfd >= 0:
            os.close(self.pidfd)

    def until(self, stop: float) -> bool:
        """Whether the program exited before the deadline."""
        while self.process.poll() is None:
            left = stop - time.monotonic()
            if left <= 0:
                return False
            for key, _ in self.selector.select(left if self.pidfd >= 0 else min(left, PAUSE)):
                if key.fileobj is self.process.stdin:
                    self._write(self.process.stdin)
                elif key.data is not None and not self._read(key.fileobj, key.data):  # type: ignore[arg-type]
                    self.selector.unregister(key.fileobj)
        return True

    def drain(self) -> None:
        """Reads the rest of the output, after the process group has ended."""
        for place, stream in enumerate((self.process.stdout, self.process.stderr)):
            for _ in range(LEFTOVER if stream is not None else 0):
                if not self._read(stream, place):  # type: ignore[arg-type]
                    break

    def _write(self, stream: "IO[bytes]") -> None:
        try:
            self.stdin = self.stdin[os.write(stream.fileno(), self.stdin[:READ]) :]
        except BrokenPipeError:
            self.stdin = b""
        if not self.stdin:
            self.selector.unregister(stream)
            stream.close()

    def _read(self, stream: "IO[bytes]", place: int) -> bool:
        """Whether there may be more to read."""
        try:
            chunk = os.read(stream.fileno(), READ)
        except BlockingIOError:
            return False
        joined = self.output[place] + chunk
        self.output[place] = joined[-KEPT:] if self.last else joined[:KEPT]
        return bool(chunk)


def _pidfd(pid: int) -> int:
    """A file descriptor that becomes readable at the exit; -1 where the kernel has none (macOS, old Linux)."""
    if not hasattr(os, "pidfd_open"):
        return -1
    try:
        return os.pidfd_open(pid)
    except OSError:
        return -1
