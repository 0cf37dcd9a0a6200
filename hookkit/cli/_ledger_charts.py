"""Small charts of what the ledger adds up to."""

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDE = 30
EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(value: float, most: float) -> str:
    """A bar in eighths of a character; what is there at all can be seen."""
    if not value or not most:
        return ""
    eighths = max(1, round(value / most * WIDE * 8))
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def show(out: Console, found: dict[str, Any]) -> None:
    _chart(out, "calls a day", [(day, count, f"{count:,}") for day, count in found["days"].items()])
    _chart(out, "verdicts", [(name, count, f"{count:,}") for name, count in found["verdicts"].items()])
    _chart(out, "denied most", [(_rule(row), row["count"], f"{row['count']:,}") for row in found["denied"]])
    _chart(out, "failures, of the calls of a tool", [_failures(row) for row in found["tools"]])
    _chart(out, "slowest hooks, mean ms", [_hook(row) for row in found["hooks"]])


def _rule(row: dict[str, Any]) -> str:
    return row["rule"] or row["tool"] or "no rule"


def _failures(row: dict[str, Any]) -> tuple[str, float, str]:
    share = row["failed"] / row["calls"]
    return row["tool"] or "no tool", share, f"{share:.1%} of {row['calls']:,}"


def _hook(row: dict[str, Any]) -> tuple[str, float, str]:
    failed = f", {row['failed']} failed" if row["failed"] else ""
    return (
        row["hook"],
        row["mean_ms"],
        f"{row['mean_ms']:.2f}, at most {row['most_ms']:.2f}, {row['runs']:,} runs{failed}",
    )


def _chart(out: Console, title: str, rows: list[tuple[str, float, str]]) -> None:
    if not rows:
        return
    most = max(value for _, value, _ in rows)
    grid = Table.grid(padding=(0, 2, 0, 0))
    for name, value, said in rows:
        grid.add_row(Text(f"  {name}"), Text(bar(value, most), "cyan"), Text(said, "dim"))
    out.print(Text(title, "bold"))
    out.print(grid)
    out.print()
