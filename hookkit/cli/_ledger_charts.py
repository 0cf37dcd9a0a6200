"""Small charts of the ledger's sums."""

from datetime import date, timedelta
from typing import Any

from rich.cells import cell_len, set_cell_size

from hookkit.cli._console import Console, Text, one_line
from hookkit.ledger.health import counted

WIDEST, NARROWEST = 30, 8  # columns of the longest bar
LONGEST = 100  # characters of a name on a wide screen
EIGHTHS = " ▏▎▍▌▋▊▉"
SPAN = 60  # days; over a longer time, days without a call are left out
Bar = tuple[str, float, str]  # a name, a value, and the words after the bar


def bar(value: float, most: float, wide: int = WIDEST) -> str:
    """A bar in eighths of a character; the smallest value above zero is still visible."""
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
    """The counts with the days without a call in between, so that a gap is visible."""
    if not found:
        return {}
    first, last = (date.fromisoformat(day) for day in (min(found), max(found)))
    if (last - first).days > SPAN:
        return found
    days = ((first + timedelta(days=after)).isoformat() for after in range((last - first).days + 1))
    return {day: found.get(day, 0) for day in days}


def _rule(row: dict[str, Any]) -> str:
    """A rule mostly names its tool; a rule about many tools is shown with each of them."""
    rule, tool = row["rule"], row["tool"]
    return (
        f"{rule} on {tool}"
        if rule and tool and not rule.startswith(tool)
        else rule or f"{tool}: a gate or a handler"
        if tool
        else rule or "a gate or a handler"
    )


def _failures(row: dict[str, Any]) -> Bar:
    share = row["failed"] / row["calls"]
    return row["tool"] or "no tool", share, f"{share:.1%} of {row['calls']:,}"


def _hook(row: dict[str, Any]) -> Bar:
    failed = f", {row['failed']:,} failed" if row["failed"] else ""
    times = f"{row['mean_ms']:.2f}, at most {row['most_ms']:.2f}"
    return row["hook"], row["mean_ms"], f"{times}, {counted(row['runs'], 'run')}{failed}"


def _chart(out: Console, title: str, rows: list[Bar], most: float = 0) -> None:
    """On a narrow screen bars get shorter first, then names; the words after a bar are never cut."""
    if not rows:
        return
    names = [one_line(name.replace("\n", " ")) for name, _, _ in rows]
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
