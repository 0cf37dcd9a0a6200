"""The one way to the terminal: every command prints through this module.

Data is shown as text and nothing else. Markup, emoji codes and control characters in a stranger's file, an agent's
command or a file name reach the screen as the characters they are written with.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NoReturn
from unicodedata import category

import typer
from rich import console as rich
from rich import text as rich_text
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.segment import Segment
from rich.table import Table

NOTHING = "-"
STYLES = {
    "deny": "bold red",
    "ask": "bold yellow",
    "allow": "bold green",
    "unsure": "bold yellow",
    "error": "bold red",
    "rewrite": "cyan",
    "modify": "cyan",
    "none": "dim",
    NOTHING: "dim",
}
LONGEST = 200  # characters of a line in a summary
PATIENCE = 1.5  # seconds before a progress bar appears
PIPE_CLOSED = 141  # 128 + SIGPIPE, as shells show it
LAST_OF_TWO, LAST_OF_FOUR = 0xFF, 0xFFFF  # the last code points of two and four hexadecimal digits
NAMED = {"\t": " ", "\n": "\\n", "\r": "\\r"}


# -- making text harmless --------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """The text with control characters, bidi overrides and lone surrogates written as escapes; lines stay lines."""
    if text.isprintable():
        return text
    return "\n".join(map(one_line, text.split("\n")))


def one_line(text: str) -> str:
    """The same with line breaks escaped too: data must not look like a line of our own."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(char: str) -> str:
    if char.isprintable() or category(char) == "Zs":
        return char
    code = ord(char)
    wide = f"\\u{code:04x}" if code <= LAST_OF_FOUR else f"\\U{code:08x}"
    return NAMED.get(char) or (f"\\x{code:02x}" if code <= LAST_OF_TWO else wide)


class Text(rich_text.Text):
    """Rich's styled text, made harmless before rich measures its width."""

    def __init__(self, text: str = "", style: str = "", **more: Any) -> None:
        super().__init__(plain(text), style, **more)

    def append(self, text: "rich_text.Text | str", style: Any = None) -> rich_text.Text:
        return super().append(plain(text) if isinstance(text, str) else text, style)

    @classmethod
    def assemble(cls, *parts: Any, **more: Any) -> "Text":
        made = cls(**more)
        for part in parts:
            made.append(*part) if isinstance(part, tuple) else made.append(part)
        return made


class Console(rich.Console):
    """Rich's console without markup, emoji codes and highlighting; strings are made harmless here."""

    def render_str(self, text: str, **more: Any) -> rich_text.Text:
        return super().render_str(plain(text), **more)

    def on_broken_pipe(self) -> None:
        leave()


class _LastLook(rich.RenderHook):
    """Renderables that build their own text (JSON, source code) are made harmless after their layout."""

    def process_renderables(self, renderables: list[rich.ConsoleRenderable]) -> list[rich.ConsoleRenderable]:
        return [_Harmless(renderable) for renderable in renderables]


class _Harmless:
    def __init__(self, inner: rich.ConsoleRenderable) -> None:
        self.inner = inner

    def __rich_console__(self, out: rich.Console, options: rich.ConsoleOptions) -> rich.RenderResult:
        for segment in out.render(self.inner, options):
            yield segment if segment.control else Segment(plain(segment.text), segment.style)


# -- printing --------------------------------------------------------------------------------------------------------


def console(*, stderr: bool = False) -> Console:
    made = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    made.push_render_hook(_LastLook())
    return made


def say(message: str, style: str = "") -> None:
    """A message on stdout, whole: long lines are the terminal's to wrap."""
    console().print(message, style=style, soft_wrap=True)


def note(message: str, style: str = "dim") -> None:
    """A hint on stderr, beside the output."""
    console(stderr=True).print(message, style=style, soft_wrap=True)


def warn(message: object, style: str = "yellow") -> None:
    note(f"hookkit: {message}", style)


def fail(message: object) -> NoReturn:
    """Exit 1: a finding, or the thing asked for does not exist."""
    warn(message, "red")
    raise typer.Exit(1)


def stop(message: object) -> NoReturn:
    """Exit 2: bad usage, or an unreadable file."""
    warn(message, "red")
    raise typer.Exit(2)


def echo(text: str) -> None:
    """Text for another program, without styles and never wrapped."""
    write(plain(text) + "\n")


def echo_json(value: Any, *, indent: int | None = 2) -> None:
    write(harmless_json(json.dumps(value, indent=indent, ensure_ascii=False)) + "\n")


def report(message: str, value: dict[str, Any], *, as_json: bool, style: str = "") -> None:
    """The result of a command that changes something: a line for a person, or an object for a program."""
    echo_json(value) if as_json else say(message, style)


def harmless_json(text: str) -> str:
    """JSON of the same value, with control characters written as JSON's own escapes."""
    lines = (line if line.isprintable() else "".join(map(_json_char, line)) for line in text.split("\n"))
    return "\n".join(lines)


def _json_char(char: str) -> str:
    return char if char.isprintable() else json.dumps(char)[1:-1]


def write(text: str) -> None:
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        leave()


def leave() -> NoReturn:
    """The reader of our output has gone (`… | head -1`): end quietly."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise typer.Exit(PIPE_CLOSED)


# -- a common look ---------------------------------------------------------------------------------------------------


def verdict(name: str | None) -> Text:
    name = name or "none"
    return Text(name, STYLES.get(name, ""))


def table(*heads: str) -> Table:
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for head in heads:
        made.add_column(head, overflow="fold")
    return made


def short(text: str, longest: int = LONGEST) -> str:
    """One line, not too long."""
    line = " ".join(text.split("\n"))
    return line if len(line) <= longest else line[: longest - 1] + "…"


def first_lines(text: str, lines: int = 3) -> str:
    """The first lines of a long text, and how many are left out."""
    kept = [line for line in text.strip().splitlines() if line.strip()]
    return "\n".join(kept[:lines]) + (f"\n… {len(kept) - lines} more lines" if len(kept) > lines else "")


@contextmanager
def progress(task: str, total: int = 0) -> Iterator[Callable[[int], None]]:
    """A function that takes the count so far; on a terminal, a bar shows it once the work takes long."""
    out = console(stderr=True)
    start, is_seen = time.monotonic(), out.is_terminal and not out.is_dumb_terminal
    with ExitStack() as stack:
        bars: list[tuple[Progress, TaskID]] = []

        def tell(count: int) -> None:
            if not bars and is_seen and time.monotonic() - start > PATIENCE:
                columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,}"))
                bar = stack.enter_context(Progress(*columns, console=out, transient=True))
                bars.append((bar, bar.add_task(task, total=total or None)))
            for bar, number in bars:
                bar.update(number, completed=count)

        yield tell


@contextmanager
def working(task: str) -> Iterator[Callable[[str], None]]:
    """A function that takes the name of the present step; a terminal shows it until the work is done."""
    out = console(stderr=True)
    if not out.is_terminal or out.is_dumb_terminal:
        yield lambda _: None
        return
    with out.status(task) as status:
        yield lambda step: status.update(f"{task}: {step}")
