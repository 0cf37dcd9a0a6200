"""The one way to the terminal: a command returns an Output, and this module prints it as a table or as JSON.

Texts beside the result (hints, warnings, questions) go to stderr. rich is loaded only for what moves: progress bars and
screens that are drawn anew.
"""

import os
import sys
from contextlib import ExitStack, contextmanager

from hookkit.cli._view import Table, Text, View, Wide, lines_of, plain, width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from typing import Any, NoReturn, TextIO

    from rich.progress import Progress


NOTHING = "-"
STYLES = {
    "deny": "bold red",
    "ask": "bold yellow",
    "allow": "bold green",
    "unsure": "bold yellow",
    "error": "bold red",
    "failed": "bold red",
    "rewrite": "cyan",
    "modify": "cyan",
    "none": "dim",
    NOTHING: "dim",
}
STATUSES = {"error": "bold red", "attention": "bold yellow", "working": "cyan", "checked": "green", "done": "dim"}
LONGEST = 200  # characters of a line in a summary
PATIENCE = 1.5  # seconds before a progress bar appears
PIPE_CLOSED = 141  # 128 + SIGPIPE, as shells show it
USUAL_WIDTH, USUAL_HEIGHT = 80, 24
GITHUB = {"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"}
EVERY = 1.0  # seconds between two pictures of a live screen


class Exit(Exception):  # noqa: N818 - the end of a command is not an error
    """Ends the command with an exit code; its output is printed."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


# -- results ---------------------------------------------------------------------------------------------------------


class Output:
    """The result of a command: `value` for programs (-o json), `view` for a person, and the exit code.

    Either can be a function, which is called if it is needed. `forms` has the texts of further formats; `piped` is the
    format where the output goes into a file or a pipe; `live` draws the view of a terminal anew every second.
    """

    def __init__(
        self,
        value: "Any",
        view: "View | Callable[[], View]",
        code: int = 0,
        *,
        style: str = "",
        forms: "dict[str, Callable[[], str]] | None" = None,
        piped: str = "",
        live: "Callable[[], View] | None" = None,
    ) -> None:
        self.value, self.code, self.forms, self.piped, self.live = value, code, forms or {}, piped, live
        self.view: View | Callable[[], View] = sentence(view, style) if isinstance(view, str) else view

    def print(self, form: str) -> None:
        form = form or (self.piped if not is_terminal() else "")
        if form == "json":
            echo_json(self.value() if callable(self.value) else self.value)
        elif form in self.forms:
            text = plain(self.forms[form]())
            write(f"{text}\n" if text else "")
        elif form not in ("", "table"):
            stop(f"this is shown as {', '.join(('table', 'json', *self.forms))}, not as {form}")
        elif self.live is not None and is_terminal():
            watch(self.live)
        else:
            draw(self.view() if callable(self.view) else self.view)


class Stream:
    """Rows as they come in: `value` makes an object of each, printed as a line of JSON, `lines` the lines of some."""

    code = 0

    def __init__(self, batches: "Iterator[Any]", value: "Callable[[Any], Any]", lines: "Callable[[Any], View]") -> None:
        self.batches, self.value, self.lines = batches, value, lines

    def print(self, form: str) -> None:
        for rows in self.batches:
            if form == "json":
                for row in rows:
                    echo_json(self.value(row), indent=None)
            else:
                draw(self.lines(rows))
            sys.stdout.flush()


# -- printing --------------------------------------------------------------------------------------------------------


def is_terminal(stream: "TextIO | None" = None) -> bool:
    return bool((stream or sys.stdout).isatty())


def screen_size() -> tuple[int, int]:
    """Columns and lines: of the variables, of the terminal, or the usual ones."""
    for number in (1, 2, 0):
        try:
            columns, rows = os.get_terminal_size(number)
            break
        except (OSError, ValueError):
            columns, rows = USUAL_WIDTH, USUAL_HEIGHT
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdigit() and int(given) else columns or USUAL_WIDTH, rows or USUAL_HEIGHT


def has_colours(stream: "TextIO") -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") in ("dumb", "unknown"):
        return False
    return is_terminal(stream) or bool(os.environ.get("FORCE_COLOR"))


def draw(view: View, stream: "TextIO | None" = None) -> None:
    """Print any view."""
    out = stream or sys.stdout
    lines = lines_of(view, screen_size()[0])
    texts = [line.ansi() if has_colours(out) else line.plain for line in lines]
    write("".join(f"{text}\n" for text in texts), out)


def say(message: str, style: str = "") -> None:
    """A message on stdout."""
    draw(sentence(message, style))


def note(message: str, style: str = "dim") -> None:
    """A hint on stderr, beside the output."""
    draw(sentence(message, style, sys.stderr), sys.stderr)


def sentence(text: str, style: str = "", stream: "TextIO | None" = None) -> View:
    """At a terminal a sentence breaks at blanks; elsewhere, and around a word wider than the screen, it stays whole."""
    columns = screen_size()[0]
    is_broken = is_terminal(stream) and all(width(word) <= columns for word in text.split())
    return Text(text, style) if is_broken else Wide(text, style)


def warn(message: object, style: str = "yellow") -> None:
    note(f"hookkit: {message}", style)


def warn_each(rows: "Iterable[Sequence[str]]", known: "Collection[Sequence[str]]" = ()) -> None:
    """Warn of each row that was not known before, its parts in one sentence."""
    for row in rows:
        if row not in known:
            warn("; ".join(row))


def fail(message: object) -> "NoReturn":
    """Exit 1: a finding, or the thing asked for does not exist."""
    warn(message, "red")
    raise Exit(1)


def only_a_person(act: str, *, at_terminal: bool = True) -> None:
    """Fail where an agent runs this, or nobody at a terminal. This check is a fence; the policy is the wall."""
    from hookkit.system import agents

    if (at_terminal or agents.agent(os.environ)) and (refusal := agents.refusal(os.environ, act)):
        fail(refusal)


def stop(message: object) -> "NoReturn":
    """Exit 2: bad usage, or an unreadable file."""
    warn(message, "red")
    raise Exit(2)


def echo_json(value: "Any", *, indent: int | None = 2) -> None:
    import json

    write(harmless_json(json.dumps(value, indent=indent, ensure_ascii=False)) + "\n")


def harmless_json(text: str) -> str:
    """JSON of the same value, with control characters written as JSON's own escapes."""
    lines = (line if line.isprintable() else "".join(map(_json_char, line)) for line in text.split("\n"))
    return "\n".join(lines)


def _json_char(char: str) -> str:
    import json

    return char if char.isprintable() else json.dumps(char)[1:-1]


def annotation(severity: str, message: str, **properties: object) -> str:
    """A workflow command of GitHub: a line of output that becomes a remark at a line of a file."""
    named = ",".join(f"{name}={_coded(str(value), ':,')}" for name, value in properties.items())
    return f"::{severity} {named}::{_coded(message)}"


def _coded(text: str, more: str = "") -> str:
    """GitHub ends a message at a line break and a property at a comma or colon, unless they are written as codes."""
    return "".join(GITHUB[char] if char in "%\r\n" + more else char for char in plain(text))


def write(text: str, stream: "TextIO | None" = None) -> None:
    try:
        (stream or sys.stdout).write(text)
    except BrokenPipeError:
        leave()


def leave() -> "NoReturn":
    """The reader of our output has gone (`… | head -1`): end quietly."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise Exit(PIPE_CLOSED)


def ask(question: str, default: str, *, is_shown: bool = True) -> str:
    """A question at the terminal; Ctrl-C or the end of the input ends the command."""
    import typer

    try:
        return str(typer.prompt(question, default=default, show_default=is_shown, err=True)).strip()
    except typer.Abort:
        if not sys.stdin.isatty():
            warn("nobody answered. Run this at a terminal, or see --help for an option that answers", "red")
        raise Exit(1) from None


# -- a common look ---------------------------------------------------------------------------------------------------


def verdict(name: str | None) -> Text:
    name = name or "none"
    return Text(name, STYLES.get(name, ""))


def short(text: str, longest: int = LONGEST) -> str:
    """One line, not too long."""
    line = " ".join(text.split("\n"))
    return line if len(line) <= longest else line[: longest - 1] + "…"


def first_lines(text: str, most: int = 3) -> str:
    """The first lines of a long text, and how many are left out."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return "\n".join(lines[:most]) + (f"\n… {len(lines) - most} more lines" if len(lines) > most else "")


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def facts_table(rows: "Iterable[tuple[str, object]]") -> Table:
    """Names and values; a name without a value is left out."""
    made = Table("", "")
    for name, value in rows:
        if value:
            made.add(Text(name, "dim"), value)
    return made


# -- work that takes time --------------------------------------------------------------------------------------------


def _moves() -> bool:
    """Whether stderr can show what moves."""
    return is_terminal(sys.stderr) and os.environ.get("TERM") not in ("dumb", "unknown")


@contextmanager
def progress(task: str, total: int = 0) -> "Iterator[Callable[[int], None]]":
    """A function that takes the count so far; on a terminal, a bar shows it once the work takes long."""
    import gc
    import time

    gc.enable()  # this work may leave garbage
    bar: Progress | None = None
    start, is_seen = time.monotonic(), _moves()

    def tell(count: int) -> None:
        nonlocal bar
        if bar is None and is_seen and time.monotonic() - start > PATIENCE:
            bar = stack.enter_context(_bar(total))
            bar.add_task(task, total=total or None)
        if bar is not None:
            bar.update(bar.task_ids[0], completed=count)

    with ExitStack() as stack:
        yield tell


def _bar(total: int) -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = [TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,}")]
    columns += [TextColumn("of {task.total:,}")] if total else []
    return Progress(*columns, console=Console(stderr=True), transient=True)


@contextmanager
def working(task: str) -> "Iterator[Callable[[str], None]]":
    """A function that takes the name of the present step; a terminal shows it until the work is done."""
    if not _moves():
        yield lambda _: None
        return
    try:
        yield lambda step: _tell_step(f"{task}: {plain(step)} …")
    finally:
        _tell_step("")


def _tell_step(text: str) -> None:
    """One line that each step writes anew."""
    write(f"\r\x1b[K\x1b[2m{text}\x1b[0m", sys.stderr)
    sys.stderr.flush()


def watch(picture: "Callable[[], View]") -> None:
    """Draw a view anew every second, until Ctrl-C."""
    import time

    from rich.live import Live
    from rich.text import Text as RichText

    def drawn() -> RichText:
        columns, rows = screen_size()
        lines = lines_of(picture(), columns)[: rows - 1]
        return RichText.from_ansi("\n".join(line.ansi() if has_colours(sys.stdout) else line.plain for line in lines))

    with Live(drawn(), screen=True, auto_refresh=False) as live:
        try:
            while True:
                time.sleep(EVERY)
                live.update(drawn(), refresh=True)
        except KeyboardInterrupt:
            return
