"""Which rules the rows put to the test: a rule that nothing exercises is a guess."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table

from hookkit import cases
from hookkit.cli._output import Here, rule_row, verdict
from hookkit.policy.match import YES


class Coverage:
    """The rules in force where you are; those that ship are hookkit's own business, unless `all_` is wanted."""

    def __init__(self, here: Here, outcomes: Iterable[cases.Outcome], least: float, *, all_: bool) -> None:
        self.here = here
        self.least = least
        self.rules = [rule for rule in here.settings.policy["rules"] if all_ or rule.get("source") != "base"]
        seen = {_key(rule) for outcome in outcomes for rule, found in outcome.trace if found.yes == YES}
        self.missing = [rule for rule in self.rules if _key(rule) not in seen]

    @property
    def percent(self) -> float:
        return 100 * (len(self.rules) - len(self.missing)) / len(self.rules) if self.rules else 100.0

    @property
    def is_enough(self) -> bool:
        return self.percent >= self.least

    def summary(self) -> str:
        if not self.rules:
            return "there are no rules of yours here to cover"
        said = f"{len(self.rules) - len(self.missing)} of {len(self.rules)} rules exercised ({self.percent:.0f} %)"
        return said if self.is_enough else f"{said}, {self.least:g} % wanted"

    def show(self, out: Console) -> None:
        if self.missing:
            table = Table("not exercised", "", box=None, padding=(0, 2, 0, 0), header_style="dim")
            for rule in self.missing:
                table.add_row(verdict(rule["type"]), self.here.rule(rule))
            out.print(table)
        out.print(self.summary(), style="green" if self.is_enough and not self.missing else "yellow")

    def as_json(self) -> dict[str, Any]:
        missing = [rule_row(rule, self.here) for rule in self.missing]
        return {"rules": len(self.rules), "percent": round(self.percent, 1), "missing": missing}


def _key(rule: dict[str, Any]) -> tuple[str, ...]:
    """Rows load the settings each for themselves, so a rule is known by what it says."""
    return (rule["type"], rule.get("match", ""), str(rule.get("source", "")), *rule.get("actors", ()))
