"""Runs a check of the user's own: bounded in time and in what it may say, and gone with all its children after that."""

import os
import select
import signal
import subprocess
import time
from contextlib import suppress

from hookkit.system import jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.model import Event

READ = 64 * 1024
KEPT = 16 * 1024  # of the end of what it says
LINES = 20
CHARACTERS = 2_000
PAUSE = 0.05  # between looks at a command that says nothing: it may be gone, and a child of its keep the pipe
UNUSABLE = {126: "cannot be run", 127: "was not found"}
SIGNALS = range(129, 129 + 64)  # how a shell tells that a signal ended its command


class Outcome:
    """`problem` is why there is no answer: then the command neither passed nor failed."""

    __slots__ = ("code", "problem", "said")

    def __init__(self, code: int, said: str, problem: str = "") -> None:
        self.code = code
        self.said = said
        self.problem = problem

    @property
    def passed(self) -> bool:
        return not self.code and not self.problem


def run(text: str, event: "Event", environ: dict[str, str], seconds: float) -> Outcome:
    """The text goes to the shell as the user wrote it, in the project's directory, with the event on its stdin."""
    try:
        process = subprocess.Popen(
            ["/bin/sh", "-c", text],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=event.project or None,
            env=environ,
            start_new_session=True,
        )
    except OSError as error:
        return Outcome(0, "", f"cannot be started ({error.strerror})")
    with process:
        try:
            output, is_late = _Talk(process, jsons.dumps(event.fields).encode()).until(time.monotonic() + seconds)
        finally:
            with suppress(ProcessLookupError):  # nobody is left of it
                os.killpg(process.pid, signal.SIGKILL)
    said = last_lines(output.decode("utf-8", "replace"))
    return Outcome(0, said, f"took longer than {seconds:g} s") if is_late else _judged(process.returncode, said)


def _judged(code: int, said: str) -> Outcome:
    if code < 0 or code in SIGNALS:
        return Outcome(code, said, f"was ended by signal {-code if code < 0 else code - 128}")
    return Outcome(code, said, UNUSABLE.get(code, ""))


class _Talk:
    """Feeds the command what it wants to read and keeps the end of what it says, whichever it does first."""

    def __init__(self, process: "subprocess.Popen[bytes]", given: bytes) -> None:
        assert process.stdin is not None  # noqa: S101 - asked for above
        assert process.stdout is not None  # noqa: S101
        self.process = process
        self.given = given
        self.writer, self.reader = process.stdin, process.stdout
        self.output = b""
        os.set_blocking(self.writer.fileno(), False)

    def until(self, stop: float) -> tuple[bytes, bool]:
        """What was said, and whether time ran out."""
        while (left := stop - time.monotonic()) > 0:
            wants = [] if self.writer.closed else [self.writer]
            readable, writable, _ = select.select([self.reader], wants, [], min(left, PAUSE))
            if writable:
                self._feed()
            if readable and not self._hear():
                return self._ended(stop)
            if not readable and self.process.poll() is not None:
                return self.output, False
        return self.output, True

    def _feed(self) -> None:
        try:
            self.given = self.given[os.write(self.writer.fileno(), self.given[:READ]) :]
        except BrokenPipeError:
            self.given = b""
        if not self.given:
            self.writer.close()

    def _hear(self) -> bool:
        chunk = os.read(self.reader.fileno(), READ)
        self.output = (self.output + chunk)[-KEPT:]
        return bool(chunk)

    def _ended(self, stop: float) -> tuple[bytes, bool]:
        """It has closed its output, and may still be at work."""
        try:
            self.process.wait(max(0.0, stop - time.monotonic()))
        except subprocess.TimeoutExpired:
            return self.output, True
        return self.output, False


def last_lines(text: str) -> str:
    """The end of what a command said, where the reason mostly stands, without what a terminal would obey."""
    lines = [line.rpartition("\r")[2] for line in text.replace("\r\n", "\n").rstrip().split("\n")]
    kept = "\n".join(lines[-LINES:])[-CHARACTERS:]
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in kept)
