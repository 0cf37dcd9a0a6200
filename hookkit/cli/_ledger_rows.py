"""The look of the ledger's rows: a line for each, a card for a single row, and all fields for programs."""

import json
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from rich.cells import cell_len
from rich.console import Group
from rich.syntax import Syntax
from rich.table import Table

from hookkit.cli._console import NOTHING, STYLES, Console, Text, plain
from hookkit.ledger.entry import Entry

STATES = {"done": "green", "failed": "red", "denied": "red", "asked": "yellow", "unfinished": "bold yellow"}
LISTED = ("id", "when", "what", "verdict", "outcome", "by", "ms", "about")
TAILED = ("id", "when", "event", "tool", "said", "about")
DROPPED = ("by", "ms", "outcome")  # on a narrow screen, in this order
RIGHT = ("id", "ms")
LEAST = {"when": 14, "verdict": 7, "event": 18, "tool": 8, "said": 6}
MOST = {"what": 24, "by": 24, "event": 24, "tool": 24}  # a longer cell shifts only its own line
ROOM = 30  # columns for the subject of a row, before others are dropped for it
GAP = "  "


def when(at: Any, form: str = "%m-%d %H:%M:%S") -> str:
    try:
        return time.strftime(form, time.localtime(at / 1000))
    except (TypeError, ValueError, OverflowError, OSError):
        return NOTHING


def iso(at: Any) -> Any:
    """A time as other programs read it; another value stays as it is."""
    try:
        return datetime.fromtimestamp(at / 1000).astimezone().isoformat(timespec="milliseconds")
    except (TypeError, ValueError, OverflowError, OSError):
        return at


class Listing:
    """Rows under each other. Only the subject of a row is ever cut, and only on a screen: a pipe gets all."""

    def __init__(self, names: tuple[str, ...], out: Console) -> None:
        self.names = list(names)
        self.width = out.width if out.is_terminal else None
        self.widths = {name: LEAST.get(name, cell_len(name)) for name in names[:-1]}

    def header(self) -> Text:
        return self._line({name: Text(name, "dim") for name in self.names})

    def of(self, entries: list[Entry]) -> Iterator[Text]:
        """The lines of these rows, under earlier lines: columns grow with their cells and never shrink."""
        found = [_cells(entry) for entry in entries]
        for name, width in self.widths.items():
            lengths = (cell_len(cells[name].plain) for cells in found)
            self.widths[name] = max(width, *(length for length in lengths if length <= MOST.get(name, length)), 0)
        self._drop()
        return map(self._line, found)

    def _drop(self) -> None:
        for name in DROPPED:
            if self.width is not None and name in self.names and self.width - self._taken() < ROOM:
                self.names.remove(name)

    def _taken(self) -> int:
        return sum(self.widths[name] + len(GAP) for name in self.names[:-1])

    def _line(self, cells: dict[str, Text]) -> Text:
        line = Text()
        for name in self.names[:-1]:
            fill = " " * (self.widths[name] - cell_len(cells[name].plain))
            line.append_text(Text.assemble(fill, cells[name]) if name in RIGHT else Text.assemble(cells[name], fill))
            line.append(GAP)
        about = cells[self.names[-1]].copy()
        if self.width is not None:
            room = self.width - cell_len(line.plain)
            about.truncate(max(1, room), overflow="ellipsis")
            about = about if room > 1 else Text()
        line.append_text(about)
        line.rstrip()
        return line


def _cells(entry: Entry) -> dict[str, Text]:
    body, verdict, state, ms = entry.body, str(entry.get("verdict") or NOTHING), entry.state, entry.get("ms")
    event, tool = str(body.get("event") or NOTHING), str(body.get("tool") or NOTHING)
    said = str(body.get("verdict") or body.get("outcome") or NOTHING)
    return {
        "id": Text(str(entry.id), "dim"),
        "when": Text(when(body.get("at"))),
        "what": _text(tool if tool != NOTHING else event),
        "event": _text(event),
        "tool": _text(tool),
        "verdict": _text(verdict, STYLES.get(verdict, "")),
        "outcome": _text(state or NOTHING, STATES.get(state, "dim")),
        "said": _text(said, STYLES.get(said) or STATES.get(said, "")),
        "by": _text(str(entry.get("approved") or NOTHING)),
        "ms": Text(f"{ms:.0f}" if isinstance(ms, (int, float)) else NOTHING),
        "about": _about(entry),
    }


def _about(entry: Entry) -> Text:
    """The call and its rewrite, after the id for allow-once, and a mark if an earlier call had the same side effect."""
    stopped = entry.body.get("stopped")
    mark = ("↻ " if entry.body.get("repeats") else "") + (f"[{stopped}] " if isinstance(stopped, str) else "")
    return _text(mark + entry.subject)


def _text(text: str, style: str = "") -> Text:
    """One line, also for a text of many."""
    return Text(" ".join(text.split("\n")), style)


def card(entry: Entry) -> Group:
    """All known facts of a call or an event."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in facts(entry).items():
        if value not in ("", None, [], {}) and name != "diff":
            said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            grid.add_row(name, Text(_runs(value) if name == "handlers" else said))
    diff = entry.get("diff")
    parts: list[Any] = [grid]
    if isinstance(diff, str) and diff:
        parts += [Text("diff", "dim"), Syntax(plain(diff), "diff", theme="ansi_dark", background_color="default")]
    return Group(*parts)


def _runs(value: Any) -> str:
    """Each run of a handler of the user's on a line: its name, outcome and time, then its problem and evidence."""
    lines = []
    for run in value if isinstance(value, list) else [value]:
        if not isinstance(run, dict):
            continue
        parts = [str(run.get("name", "")), str(run.get("outcome", "")), f"{run['ms']} ms" if "ms" in run else ""]
        more = [str(run["problem"])] if "problem" in run else []
        more += [json.dumps(run["evidence"], ensure_ascii=False)] if "evidence" in run else []
        lines.append("  ".join([*filter(None, parts), *more]))
    return "\n".join(lines)


def facts(entry: Entry) -> dict[str, Any]:
    """The row of a call for programs: the fields of its request, then those of its outcome."""
    outcome = entry.outcome.body if entry.outcome is not None else {}
    merged = {**outcome, **entry.body}
    took = {**(outcome.get("took") or {}), **(entry.body.get("took") or {})}
    own = ("n", "w", "v", "at", "took", "same", "outcome")
    return {
        "id": entry.id,
        "at": iso(entry.body.get("at")),
        "state": entry.state,
        **{name: value for name, value in merged.items() if name not in own},
        "took_ms": took,
        "writer": entry.body.get("w"),
        "n": entry.body.get("n"),
        "hash": entry.hash,
        "outcome_id": entry.outcome.id if entry.outcome is not None else None,
    }
