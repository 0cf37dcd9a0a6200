"""Draws docs/client.svg: the real client on a terminal, with hookkit as `hookkit init` wires it.

python -m tests.realclient.screenshot docs/client.svg
"""

import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

from tests.conftest import HOOKKIT

from . import terminal
from .conftest import find_client
from .harness import bash, environment, home_of, set_stage, trust, write

ROWS, COLUMNS = 34, 104
CELL, LINE, PAD = 8.4, 18, 16  # pixels
PALETTE = "#000000 #cc6666 #7fb77e #e0c074 #6f9bd1 #b294bb #7fb8b8 #c5c8c6".split()
BRIGHT = "#7a7a7a #ff7b72 #9ece6a #f0d58a #8fb6ee #d2a8ff #9fdede #ffffff".split()
LIGHTS = ("#ff5f57", "#febc2e", "#28c840")
TEXT, BACK = "#d8dee9", "#14161b"
PLAIN = str.maketrans("⎿⏵", "└»")  # characters that few fonts have
PROMPT = "run the tests, then free some disk space"
TURNS = [
    bash("pytest -q", description="Run the tests"),
    bash("cd /tmp && rm -rf cache ~", description="Free disk space"),
    "The tests pass. I did not delete anything: that command would have removed your home directory.",
]


class Coloured(terminal.Screen):
    """The screen with the colour of each cell."""

    def __init__(self) -> None:
        super().__init__()
        self.style = ""
        self.styles = [[""] * COLUMNS for _ in range(ROWS)]

    def move(self, letter: str, numbers: str) -> None:
        if letter == "m":
            self.style = colour(self.style, numbers)
        super().move(letter, numbers)

    def put(self, char: str) -> None:
        row, column = self.row, self.column
        super().put(char)
        if char.isprintable() or char == "\xa0":
            self.styles[row][column] = self.style

    def feed_line(self) -> None:
        if self.row == ROWS - 1:
            self.styles = [*self.styles[1:], [""] * COLUMNS]
        super().feed_line()


def colour(old: str, numbers: str) -> str:
    """The colour after a sequence of SGR numbers."""
    codes = [int(each or 0) for each in numbers.split(";")]
    while codes:
        code = codes.pop(0)
        if code in (0, 39):
            old = ""
        elif code in (38, 48) and codes[:1] == [2]:
            red, green, blue = codes[1:4]
            old, codes = (f"#{red:02x}{green:02x}{blue:02x}" if code == 38 else old), codes[4:]
        elif code in (38, 48) and codes[:1] == [5]:
            old, codes = (indexed(codes[1]) if code == 38 else old), codes[2:]
        elif 30 <= code <= 37:
            old = PALETTE[code - 30]
        elif 90 <= code <= 97:
            old = BRIGHT[code - 90]
    return old


def indexed(number: int) -> str:
    if number < 16:
        return (PALETTE + BRIGHT)[number]
    if number > 231:
        return "#" + f"{8 + (number - 232) * 10:02x}" * 3
    steps = (0, 95, 135, 175, 215, 255)
    number -= 16
    return f"#{steps[number // 36]:02x}{steps[number // 6 % 6]:02x}{steps[number % 6]:02x}"


def svg(screen: Coloured) -> str:
    rows = shown(screen)
    width, height = COLUMNS * CELL + 2 * PAD, len(rows) * LINE + 2 * PAD + 22
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" font-size="14" '
            "font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\">"
        ),
        "<title>Claude Code with hookkit: a redirected test run, and a denied command</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACK}"/>',
        *(f'<circle cx="{PAD + 8 + 18 * at}" cy="17" r="5.5" fill="{fill}"/>' for at, fill in enumerate(LIGHTS)),
    ]
    for place, number in enumerate(rows):
        y = PAD + 34 + place * LINE
        parts += [run(column, y, text, fill) for column, text, fill in runs(screen, number)]
    return "\n".join([*parts, "</svg>\n"])


def shown(screen: Coloured) -> list[int]:
    """The rows to draw: without the line about the debug log, and one empty row in place of several."""
    rows: list[int] = []
    texts = ["".join(row).strip() for row in screen.cells]
    for number, text in enumerate(texts):
        is_second_blank = not text and (not rows or not texts[rows[-1]])
        if not is_second_blank and "Debug mode enabled" not in text:
            rows.append(number)
    return rows if texts[rows[-1]] else rows[:-1]


def runs(screen: Coloured, number: int) -> list[tuple[int, str, str]]:
    """Neighbouring cells of one colour."""
    found: list[tuple[int, str, str]] = []
    for column, (char, fill) in enumerate(zip(screen.cells[number], screen.styles[number], strict=True)):
        if found and found[-1][2] == fill:
            found[-1] = (found[-1][0], found[-1][1] + char, fill)
        else:
            found.append((column, char, fill))
    return [each for each in found if each[1].strip()]


def run(column: int, y: float, text: str, fill: str) -> str:
    text = re.sub(r"/tmp/demo-[^/ ]+/home|/tmp/demo-[^/ ]+", "~", text.rstrip()).translate(PLAIN)
    start = len(text) - len(text.lstrip())
    x, wide = PAD + (column + start) * CELL, len(text.lstrip()) * CELL
    return (
        f'<text x="{x:.1f}" y="{y}" fill="{fill or TEXT}" textLength="{wide:.1f}" lengthAdjust="spacingAndGlyphs" '
        f'xml:space="preserve">{escape(text.lstrip())}</text>'
    )


def picture(place: Path) -> str:
    project = place / "shop"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    write(project / "Makefile", "test:\n\t@echo '12 passed'\n")
    environ = environment(home_of(project))
    wire = [HOOKKIT, "init", "--agent", "claude", "--yes", "-o", "json"]
    subprocess.run(wire, cwd=project, env=environ, check=True, stdout=subprocess.DEVNULL)
    trust(project)
    stage = set_stage(project, TURNS)
    terminal.welcome(stage, project)
    arguments = ("--permission-mode", "acceptEdits")
    with terminal.opened(stage.command(find_client(), *arguments, PROMPT), project, stage.env) as (end, _):
        end.screen = screen = Coloured()
        end.until("I did not delete anything")
        drawn = svg(screen)
        terminal.leave(end)
    return drawn


if __name__ == "__main__":
    terminal.ROWS, terminal.COLUMNS = ROWS, COLUMNS
    with tempfile.TemporaryDirectory(prefix="demo-") as directory:
        Path(sys.argv[1]).write_text(picture(Path(directory)), encoding="utf-8")
