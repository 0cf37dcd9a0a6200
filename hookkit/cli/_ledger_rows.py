"""The look of the ledger's rows: a line for each, a card for a single row, charts of sums, all fields for programs."""

import json
import time
from datetime import date, datetime, timedelta
from typing import Any

from hookkit.cli._console import NOTHING, STYLES, facts_table, is_terminal, screen_size
from hookkit.cli._view import Text, Wide, one_line, width
from hookkit.handlers.handler import CANCELLED, ERROR, OUTCOMES
from hookkit.ledger.health import counted
from hookkit.ledger.tables import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.cli._view import View

STATES = {"done": "green", "failed": "red", "denied": "red", "asked": "yellow", "unfinished": "bold yellow"}
LISTED = ("id", "when", "what", "verdict", "outcome", "by", "ms", "about")
TAILED = ("id", "when", "event", "tool", "said", "about")
DROPPED = ("by", "ms", "outcome")  # on a narrow screen, in this order
RIGHT = ("id", "ms")
LEAST = {"when": 14, "verdict": 7, "event": 18, "tool": 8, "said": 6}
MOST = {"what": 24, "who": 28, "by": 24, "event": 24, "tool": 24}  # a longer cell shifts only its own line
ROOM = 30  # columns for the subject of a row, before others are dropped for it
GAP = "  "
RESULT = "result"  # verdict and outcome in one column
FAILED = "failed"
WORDS = {"unfinished": "no result"}
WIDEST, NARROWEST = 30, 8  # columns of the longest bar
LONGEST = 100  # characters of a name on a wide screen
EIGHTHS = " ▏▎▍▌▋▊▉"
SPAN = 60  # days; over a longer time, days without a call are left out
Bar = tuple[str, float, str]  # a name, a value, and the words after the bar


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

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = list(names)
        self.width = screen_size()[0] if is_terminal() else None
        self.widths = {name: LEAST.get(name, width(name)) for name in names[:-1]}

    def header(self) -> Wide:
        return Wide(self._line({name: Text(name, "dim") for name in [*self.names, RESULT]}))

    def lines(self, entries: list[Entry]) -> list[Wide]:
        """The lines of these rows, under earlier lines: columns grow with their cells and never shrink."""
        rows = [_cells(entry) for entry in entries]
        for name, wide in self.widths.items():
            lengths = (cells[name].width for cells in rows)
            self.widths[name] = max(wide, *(length for length in lengths if length <= MOST.get(name, length)), 0)
        self._drop()
        return [Wide(self._line(cells)) for cells in rows]

    def _drop(self) -> None:
        for name in DROPPED:
            if self.width is not None and name in self.names and self.width - self._taken() < ROOM:
                self.names.remove(name)
                if name == "outcome" and "verdict" in self.names:  # a failed call never looks as if it were fine
                    self.names[self.names.index("verdict")] = RESULT
                    self.widths[RESULT] = self.widths["verdict"]

    def _taken(self) -> int:
        return sum(self.widths[name] + len(GAP) for name in self.names[:-1])

    def _line(self, cells: dict[str, Text]) -> Text:
        line = Text()
        for name in self.names[:-1]:
            line.append(cells[name].filled(self.widths[name], right=name in RIGHT)).append(GAP)
        about = cells[self.names[-1]]
        if self.width is not None:
            about = about.fit(max(self.width - line.width, 0))
        return line.append(about)


def _cells(entry: Entry) -> dict[str, Text]:
    body, verdict, state, ms = entry.body, str(entry.get("verdict") or NOTHING), entry.state, entry.get("ms")
    event, tool = str(body.get("event") or NOTHING), str(body.get("tool") or NOTHING)
    shown = str(body.get("verdict") or body.get("outcome") or NOTHING)
    return {
        "id": Text(str(entry.id), "dim"),
        "when": Text(when(body.get("at"))),
        "who": _text(str(body.get("from") or NOTHING)),
        "what": _text(tool if tool != NOTHING else event),
        "event": _text(event),
        "tool": _text(tool),
        "verdict": _text(verdict, "red" if state == FAILED else STYLES.get(verdict, "")),
        "outcome": _text(WORDS.get(state, state) or NOTHING, STATES.get(state, "dim")),
        RESULT: _text(FAILED, "bold red") if state == FAILED else _text(verdict, STYLES.get(verdict, "")),
        "said": _text(shown, STYLES.get(shown) or STATES.get(shown, "")),
        "by": _text(str(entry.get("approved") or NOTHING)),
        "ms": Text(f"{ms:.0f}" if isinstance(ms, (int, float)) else NOTHING),
        "about": _about(entry),
    }


def _about(entry: Entry) -> Text:
    """The call and its rewrite, after the id for allow-once, and marks: an earlier call had the same side effect; a
    handler failed.
    """
    stopped, runs = entry.body.get("stopped"), entry.body.get("handlers")
    mark = ("↻ " if entry.body.get("repeats") else "") + (f"[{stopped}] " if isinstance(stopped, str) else "")
    rows = [run for run in runs if isinstance(run, dict)] if isinstance(runs, list) else []
    failed = [str(run.get("name", "")) for run in rows if run.get("outcome") in (ERROR, CANCELLED)]
    return _text(mark + (f"✗ {', '.join(failed)} failed · " if failed else "") + entry.subject)


def _text(text: str, style: str = "") -> Text:
    """One line, also for a text of many."""
    return Text(" ".join(text.split("\n")), style)


def card(entry: Entry) -> "list[View]":
    """All known facts of a call or an event."""
    rows: list[tuple[str, object]] = []
    for name, value in facts(entry).items():
        if value not in ("", None, [], {}) and name != "diff":
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            text = WORDS.get(text, text) if name == "state" else text
            rows.append((name, _runs(value) if name == "handlers" else text))
    diff = entry.get("diff")
    lines = diff.splitlines() if isinstance(diff, str) else []
    colours = {"+": "green", "-": "red", "@": "cyan"}
    return [facts_table(rows), *([Text("diff", "dim")] if lines else []),
            *(Wide(line, colours.get(line[:1], "")) for line in lines)]  # fmt: skip


def _runs(value: Any) -> str:
    """Each run of a handler on a line: its name, outcome and time, then its problem and evidence."""
    lines = []
    for run in value if isinstance(value, list) else [value]:
        if not isinstance(run, dict):
            continue
        parts = [
            str(run.get("name", "")),
            OUTCOMES.get(str(run.get("outcome")), str(run.get("outcome", ""))),
            f"{run['ms']} ms" if "ms" in run else "",
        ]
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


# -- charts ----------------------------------------------------------------------------------------------------------


def bar(value: float, most: float, wide: int = WIDEST) -> str:
    """A bar in eighths of a character; the smallest value above zero is still visible."""
    if not value or not most:
        return ""
    eighths = max(1, round(value / most * wide * 8))
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def charts(counts: dict[str, Any]) -> list[Wide]:
    return [
        *_chart("calls a day", [(day, count, f"{count:,}") for day, count in _days(counts["days"]).items()]),
        *_chart("verdicts", [(name, count, f"{count:,}") for name, count in counts["verdicts"].items()]),
        *_chart("denied most", [(_rule(row), row["count"], f"{row['count']:,}") for row in counts["denied"]]),
        *_chart("failures, of the calls of a tool", [_failures(row) for row in counts["tools"]], most=1),
        *_chart("slowest hooks, mean ms", [_hook(row) for row in counts["hooks"]]),
    ]


def _days(counts: dict[str, int]) -> dict[str, int]:
    """The counts with the days without a call in between, so that a gap is visible."""
    if not counts:
        return {}
    first, last = (date.fromisoformat(day) for day in (min(counts), max(counts)))
    if (last - first).days > SPAN:
        return counts
    days = ((first + timedelta(days=after)).isoformat() for after in range((last - first).days + 1))
    return {day: counts.get(day, 0) for day in days}


def _rule(row: dict[str, Any]) -> str:
    """A rule mostly names its tool; a rule about many tools is shown with each of them."""
    rule, tool = row["rule"], row["tool"]
    if not rule:
        return f"{tool}: a gate or a handler" if tool else "a gate or a handler"
    return f"{rule} on {tool}" if tool and not rule.startswith(tool) else str(rule)


def _failures(row: dict[str, Any]) -> Bar:
    share = row["failed"] / row["calls"]
    return row["tool"] or "no tool", share, f"{share:.1%} of {row['calls']:,}"


def _hook(row: dict[str, Any]) -> Bar:
    failed = f", {row['failed']:,} failed" if row["failed"] else ""
    times = f"{row['mean_ms']:.2f}, at most {row['most_ms']:.2f}"
    return row["hook"], row["mean_ms"], f"{times}, {counted(row['runs'], 'run')}{failed}"


def _chart(title: str, rows: list[Bar], most: float = 0) -> list[Wide]:
    """On a narrow screen bars get shorter first, then names; the words after a bar are never cut."""
    if not rows:
        return []
    names = [one_line(name.replace("\n", " ")) for name, _, _ in rows]
    room = (screen_size()[0] if is_terminal() else 1_000) - max(len(text) for _, _, text in rows) - len("  " * 3)
    longest = min(max(map(width, names)), max(NARROWEST, room - NARROWEST), LONGEST)
    wide = max(NARROWEST, min(WIDEST, room - longest))
    most = most or max(value for _, value, _ in rows)
    lines = [Wide(title, "bold")]
    for name, (_, value, text) in zip(names, rows, strict=True):
        drawn = bar(value, most, wide)
        start = Text.assemble("  ", Text(name).fit(longest).filled(longest), "  ")
        fill = " " * (wide - len(drawn))
        lines.append(Wide(Text.assemble(start, (drawn, "cyan"), f"{fill}  ", (text, "dim"))))
    return [*lines, Wide("")]
