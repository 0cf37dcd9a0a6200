"""Small charts of what the ledger adds up to."""

from datetime import date, timedelta
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from hookkit.cli._output import plain
from hookkit.ledger.health import counted

WIDEST, NARROWEST = 30, 8  # columns of the longest bar
LONGEST = 100  # characters of a name where there is room
EIGHTHS = " ▏▎▍▌▋▊▉"
SPAN = 60  # days: in a longer time, days without a call are left out
Row = tuple[str, float, str]


def bar(value: float, most: float, wide: int = WIDEST) -> str:
    """A bar in eighths of a character; what is there at all can be seen."""
    if not value or not most:
        return ""
    eighths = max(1, round(value / most * wide * 8))
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def show(out: Console, found: dict[str, Any]) -> None:
    _chart(out, "calls a day", [(day, count, f"{count:,}") for day, count in _days(found["days"]).items()])
    _chart(out, "verdicts", [(name, count, f"{count:,}") for name, count in found["verdicts"].items()])
    _chart(out, "denied most", [(_rule(row), row["count"], f"{row['count']:,}") for row in found["denied"]])
    _chart(out, "failures, of the calls of a tool", [_failures(row) for row in found["tools"]], most=1)
    _chart(out, "slowest hooks, mean ms", [_hook(row) for row in found["hooks"]])


def _days(found: dict[str, int]) -> dict[str, int]:
    """With the days in between on which nothing was called: a gap is to be seen."""
    if not found:
        return {}
    first, last = (date.fromisoformat(day) for day in (min(found), max(found)))
    if (last - first).days > SPAN:
        return found
    days = ((first + timedelta(days=after)).isoformat() for after in range((last - first).days + 1))
    return {day: found.get(day, 0) for day in days}


def _rule(row: dict[str, Any]) -> str:
    """A rule mostly names its tool; one that is about many is shown with each."""
    rule, tool = row["rule"], row["tool"]
    return f"{rule} on {tool}" if rule and tool and not rule.startswith(tool) else rule or tool or "no rule"


def _failures(row: dict[str, Any]) -> Row:
    share = row["failed"] / row["calls"]
    return row["tool"] or "no tool", share, f"{share:.1%} of {row['calls']:,}"


def _hook(row: dict[str, Any]) -> Row:
    failed = f", {row['failed']:,} failed" if row["failed"] else ""
    times = f"{row['mean_ms']:.2f}, at most {row['most_ms']:.2f}"
    return row["hook"], row["mean_ms"], f"{times}, {counted(row['runs'], 'run')}{failed}"


def _chart(out: Console, title: str, rows: list[Row], most: float = 0) -> None:
    """On a narrow screen bars get shorter first, then names; what is said about them is never cut."""
    if not rows:
        return
    names = [plain(name.replace("\n", " ")) for name, _, _ in rows]
    room = (out.width if out.is_terminal else 1_000) - max(len(said) for _, _, said in rows) - len("  " * 3)
    longest = min(max(map(cell_len, names)), max(NARROWEST, room - NARROWEST), LONGEST)
    wide = max(NARROWEST, min(WIDEST, room - longest))
    most = most or max(value for _, value, _ in rows)
    out.print(Text(title, "bold"))
    for name, (_, value, said) in zip(names, rows, strict=True):
        shown = name if cell_len(name) <= longest else set_cell_size(name, longest - 1) + "…"
        drawn = bar(value, most, wide)
        start, fill = f"  {set_cell_size(shown, longest)}  ", " " * (wide - len(drawn))
        out.print(Text.assemble(start, (drawn, "cyan"), f"{fill}  ", (said, "dim")), soft_wrap=True)
    out.print()
