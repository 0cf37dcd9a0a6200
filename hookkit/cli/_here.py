"""Here and now: the settings of the working directory, and paths and times as a person writes them."""

import os
import time

from hookkit.cli._console import NOTHING, stop
from hookkit.cli._view import Text, Wide
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.policy.rules import Rule

BUILT_IN = "built in"  # the layer of shipped rules, for people
UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
DATES = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M")
LONGEST = 6  # digits of a span


def home_path(path: str, environ: dict[str, str]) -> str:
    """The path as a person writes it."""
    home = files.home(environ).rstrip("/")
    return f"~{path[len(home) :]}" if home and f"{path}/".startswith(f"{home}/") else path


class Workspace:
    """The working directory of a command, with the settings in force there."""

    def __init__(self, environ: dict[str, str] | None = None) -> None:
        from hookkit.settings import layers  # late: most users of this module need a path or a time

        self.environ = dict(os.environ) if environ is None else environ
        self.cwd = os.getcwd()
        self.project = files.repository(self.cwd)
        self.settings = layers.load(self.cwd, self.environ)
        self.layers = {path: layer for layer, path in layers.layers(self.project, self.environ)}
        self.layers.update({path: "genesis" for path in self.layers if path.endswith(layers.GENESIS)})

    def layer(self, rule: "Rule") -> str:
        """The layer of a rule; a rule from elsewhere goes by the name of its source."""
        source = str(rule.get("source", ""))
        if source == "base":
            return source
        return self.layers.get(source) or ("actors" if source.startswith("actors.") else self.path(source))

    def rule(self, rule: "Rule") -> Text:
        """A rule for people: its pattern, its layer, and its actors."""
        who = f" for {', '.join(rule['actors'])}" if rule.get("actors") else ""
        layer = self.layer(rule)
        return Text.assemble(rule.get("match", "*"), (f"  {BUILT_IN if layer == 'base' else layer}{who}", "dim"))

    def rule_row(self, rule: "Rule") -> "dict[str, Any]":
        """A rule for programs: as written in its file, with its layer."""
        return {**rule, "layer": self.layer(rule)}

    def path(self, path: str) -> str:
        """A path as a person would write it from here."""
        if path == self.cwd:
            return "."
        inside = os.path.join(self.project, "")
        return path[len(inside) :] if self.project and path.startswith(inside) else home_path(path, self.environ)

    def warnings(self) -> list[Wide]:
        """The settings that are not in force: an answer without them would be half of one."""
        from hookkit.settings import trust

        broken = [Wide(f"ignored {mistake}", "red") for mistake in self.settings.broken]
        waiting = [
            f"{self.path(path)} is {trust.untrusted(parts)}. {trust.way_out(path, self.environ)}"
            for path, parts in self.settings.untrusted.items()
        ]
        return broken + [Wide(text, "yellow") for text in waiting]


# -- times -----------------------------------------------------------------------------------------------------------


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
