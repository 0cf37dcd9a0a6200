"""A session with a person in it: the client draws on a terminal, and the person reads and presses keys.

The client moves the cursor instead of writing spaces, and redraws only what has changed. So the bytes say little by
themselves: what a person reads is the grid that they leave behind.
"""

import codecs
import contextlib
import fcntl
import json
import os
import re
import select
import struct
import termios
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import Any

from .harness import SECONDS, Run, Stage, set_stage, write

ROWS, COLUMNS = 50, 160
ENTER, ESCAPE, CLEAR = "\r", "\x1b", "\x15"
POINTER = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"  # at the prompt, and at the choice that Enter takes
QUESTION = "Do you want to proceed?"
LAST_LINE = "Esc to cancel · Tab to amend"  # of a dialog: the client draws from top to bottom
FROM_AGENT = " · from the "  # in the title of a dialog about a call of a sub-agent
# A control sequence with its numbers, a sequence that draws nothing, a control character, or text. The start of a
# sequence alone matches nothing: it waits for its rest.
TOKEN = re.compile(
    r"\x1b\[(?P<numbers>[\d;]*)(?P<letter>[@-~])|\x1b\[[ -?]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b[ -/]*[0-OQ-WYZ\\`-~]|(?P<control>[\x00-\x1a\x1c-\x1f\x7f])|(?P<text>[^\x00-\x1f\x7f]+)"
)
SILENT = "cghilmnqrtu"  # colours, modes and questions to the terminal: they move and erase nothing


class Screen:
    """As much of a terminal as the client draws with; what it does not know it keeps, for the report of a failure."""

    def __init__(self) -> None:
        self.decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self.rest = ""
        self.row = self.column = 0
        self.unknown: set[str] = set()
        self.cells = [[" "] * COLUMNS for _ in range(ROWS)]
        self.moves: dict[str, Callable[[int, int], None]] = {
            "A": lambda count, _: self.go(self.row - (count or 1), self.column),
            "B": lambda count, _: self.go(self.row + (count or 1), self.column),
            "C": lambda count, _: self.go(self.row, self.column + (count or 1)),
            "D": lambda count, _: self.go(self.row, self.column - (count or 1)),
            "G": lambda column, _: self.go(self.row, (column or 1) - 1),
            "H": lambda row, column: self.go((row or 1) - 1, (column or 1) - 1),
            "J": lambda part, _: self.erase_rows(part),
            "K": lambda part, _: self.erase_cells(part),
        }

    def lines(self) -> list[str]:
        return ["".join(row).replace("\xa0", " ").strip() for row in self.cells]

    def feed(self, data: bytes) -> None:
        self.rest += self.decode(data)
        while found := TOKEN.match(self.rest):
            self.rest = self.rest[found.end() :]
            if found["letter"]:
                self.move(found["letter"], found["numbers"])
            for char in found["text"] or found["control"] or "":
                self.put(char)

    def move(self, letter: str, numbers: str) -> None:
        row, column, *_ = [*(int(number or 0) for number in numbers.split(";")), 0]
        if letter in self.moves:
            self.moves[letter](row, column)
        elif letter not in SILENT:
            self.unknown.add(f"CSI {numbers}{letter}")

    def go(self, row: int, column: int) -> None:
        self.row = min(max(row, 0), ROWS - 1)
        self.column = min(max(column, 0), COLUMNS - 1)

    def put(self, char: str) -> None:
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.feed_line()
        elif char.isprintable() or char == "\xa0":
            width = 2 if unicodedata.east_asian_width(char) in "WF" else 1
            self.cells[self.row][self.column] = char
            self.go(self.row, self.column + width)

    def feed_line(self) -> None:
        if self.row == ROWS - 1:
            self.cells = [*self.cells[1:], [" "] * COLUMNS]
        self.go(self.row + 1, self.column)

    def erase_cells(self, part: int) -> None:
        first, last = ((self.column, COLUMNS), (0, self.column + 1), (0, COLUMNS))[part]
        self.cells[self.row][first:last] = [" "] * (last - first)

    def erase_rows(self, part: int) -> None:
        if part < 2:
            self.erase_cells(part)
        first, last = ((self.row + 1, ROWS), (0, self.row), (0, ROWS))[min(part, 2)]
        self.cells[first:last] = [[" "] * COLUMNS for _ in range(last - first)]


class Terminal:
    """The person's end: waits for what stands on the screen, never for a length of time."""

    def __init__(self) -> None:
        self.ours, self.theirs = os.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.screen = Screen()
        self.seen: set[str] = set()
        self.ended = False

    def press(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    def until(self, text: str) -> list[str]:
        """The lines of the first screen that shows the text."""
        self.read_while(lambda: not any(text in line for line in self.screen.lines()), f"never showed {text!r}")
        return self.screen.lines()

    def until_end(self) -> None:
        """A client that ends still writes: unread, it would wait for us."""
        self.read_while(lambda: not self.ended, "did not end")

    def read_while(self, waiting: Callable[[], bool], failure: str) -> None:
        end = time.monotonic() + SECONDS
        while waiting():
            left = end - time.monotonic()
            if self.ended or left <= 0 or not select.select([self.ours], [], [], left)[0]:
                raise AssertionError(f"the client {failure}; its screen:\n{self}")
            self.read()

    def rest(self, seconds: float, waiting: Callable[[], bool] = lambda: True) -> None:
        end = time.monotonic() + seconds
        while waiting() and (left := end - time.monotonic()) > 0:
            if select.select([self.ours], [], [], left)[0]:
                self.read()

    def read(self) -> None:
        try:
            data = os.read(self.ours, 1 << 16)
        except OSError:  # Linux says EIO when the last process on the other side is gone
            data = b""
        self.ended = not data
        self.screen.feed(data)
        self.seen.update(self.screen.lines())

    def __str__(self) -> str:
        shown = "\n".join(filter(None, self.screen.lines()))
        return f"{shown}\n(not understood: {sorted(self.screen.unknown)})" if self.screen.unknown else shown


@dataclass(frozen=True)
class Sitting:
    """One session as the person saw it: each dialog they answered, and every line that ever stood on the screen."""

    run: Run
    dialogs: list[list[str]]
    seen: set[str]


def sit_down(
    client: Path,
    project: Path,
    *answers: str,
    turns: Sequence[Any],
    until: str,
    arguments: Iterable[str] = (),
    then: Sequence[tuple[str, str]] = (),
) -> Sitting:
    """Say "go", answer a dialog with each of the keys, read on until the text, and leave by /exit.

    `then` are further lines to type before that, each with the text to wait for.
    """
    stage = set_stage(project, turns)
    welcome(stage, project)
    with opened(stage.command(client, *arguments, "go"), project, stage.env) as (terminal, process):
        try:
            dialogs = [answer(terminal, key) for key in answers]
            terminal.until(until)
            for line, shown in then:
                say(terminal, line)
                terminal.until(shown)
            leave(terminal)
        except AssertionError as error:  # a hook that failed open is why most dialogs are missing
            raise AssertionError("\n".join([str(error), "hookkit's errors:", *stage.report(0).swallowed()])) from None
        process.wait(SECONDS)
    return Sitting(stage.report(process.returncode), dialogs, terminal.seen)


def say(terminal: Terminal, line: str) -> None:
    """Type a line at the prompt; Enter only when it stands there."""
    terminal.press(CLEAR + line)
    terminal.until(f"{POINTER} {line}")
    terminal.press(ENTER)


def leave(terminal: Terminal) -> None:
    """As a person does, so that SessionEnd is part of the session."""
    say(terminal, "/exit")
    terminal.until_end()


def welcome(stage: Stage, project: Path) -> None:
    """What the client asks of a new person has been answered: a theme, the key, whether the project is trusted."""
    known = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [stage.env["ANTHROPIC_API_KEY"]], "rejected": []},
        "projects": {str(project): {"hasTrustDialogAccepted": True}},
    }
    write(stage.home / "config" / ".claude.json", json.dumps(known))


@contextlib.contextmanager
def opened(command: list[str], project: Path, env: dict[str, str]) -> Iterator[tuple[Terminal, Popen[bytes]]]:
    """The client on a terminal of its own; one that is still there at the end goes, with all its namespace."""
    terminal = Terminal()
    side = terminal.theirs
    env = {**env, "TERM": "xterm-256color"}
    try:
        process = Popen(command, cwd=project, env=env, stdin=side, stdout=side, stderr=side, start_new_session=True)
        os.close(side)
        try:
            yield terminal, process
        finally:
            process.kill()
            process.wait()
    finally:
        os.close(terminal.ours)


def press_until_gone(terminal: Terminal, key: str, is_there: Callable[[], bool]) -> None:
    """A dialog takes no key while it is still being drawn over the one before: a person presses again."""
    end = time.monotonic() + SECONDS
    while is_there() and not terminal.ended and time.monotonic() < end:
        terminal.press(key)
        terminal.rest(2, is_there)
    assert not is_there(), f"the client kept its dialog; its screen:\n{terminal}"


def answer(terminal: Terminal, key: str) -> list[str]:
    """Read the dialog, press the key; its lines are those below the last rule, without the finer ones."""
    lines = terminal.until(LAST_LINE)
    end = next(number for number, line in enumerate(lines) if line.startswith(LAST_LINE))
    start = max(number for number, line in enumerate(lines[:end]) if set(line) == {"─"})
    if any(FROM_AGENT in line for line in lines[start:end]):
        terminal.press(key)  # opened over the prompt: the first key only brings the dialog to the front
        terminal.rest(1)
    press_until_gone(terminal, key, lambda: terminal.screen.lines()[start:end] == lines[start:end])
    return [line for line in lines[start + 1 : end] if line.strip("╌")]
