"""Times: as a person types them, and as a person reads them."""

import time

from hookkit.cli._console import NOTHING, stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
DATES = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M")
LONGEST = 6  # digits of a span


def seconds(text: str, units: str) -> int | None:
    """The seconds of a span such as 30m or 2h; None for another text, and for a unit that is not among these."""
    number, unit = text[:-1], text[-1:]
    is_span = unit != "" and unit in units and number.isdecimal() and len(number) <= LONGEST
    return int(number) * UNITS[unit] if is_span else None


def moment(since: str) -> int:
    """`2h`, `3d` or a date, in milliseconds since 1970; an empty text is 0."""
    if not since:
        return 0
    span = seconds(since, "smhdw")
    if span is not None:
        return int((time.time() - span) * 1000)
    for form in DATES:
        try:
            return int(time.mktime(time.strptime(since, form)) * 1000)
        except (ValueError, OverflowError):  # noqa: PERF203 - four forms
            continue
    return stop(f"--since {since}: write 30m, 2h, 3d, 1w, or a date as in 2026-01-31 or 2026-01-31T12:00")


def when(at: "Any", form: str = "%m-%d %H:%M:%S") -> str:
    """The time of so many milliseconds since 1970."""
    try:
        return time.strftime(form, time.localtime(at / 1000))
    except (TypeError, ValueError, OverflowError, OSError):
        return NOTHING


def ago(at: int) -> str:
    """The span since a time in its largest unit: 3m, 2h, 5d."""
    span = max(0, int(time.time() - at / 1000))
    unit = next((unit for unit in "dhm" if span >= UNITS[unit]), "s")
    return f"{span // UNITS[unit]}{unit}"
