"""The rules that the played rows exercise: a rule without a row is a guess."""

from collections.abc import Iterable
from typing import Any

from hookkit import cases
from hookkit.cli._console import Console, table, verdict
from hookkit.cli._here import Here
from hookkit.policy.match import YES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.types import Rule


class Coverage:
    """The rules in force here. The shipped rules are hookkit's own to test; `all_` counts them as well."""

    def __init__(self, here: Here, played: Iterable[cases.Played], least: float, *, all_: bool) -> None:
        self.here = here
        self.least = least
        self.rules = [rule for rule in here.settings.policy["rules"] if all_ or rule.get("source") != "base"]
        seen = {_key(rule) for each in played for rule, found in each.trace if found.yes == YES}
        self.missing = [rule for rule in self.rules if _key(rule) not in seen]

    @property
    def percent(self) -> float:
        return 100 * (len(self.rules) - len(self.missing)) / len(self.rules) if self.rules else 100.0

    @property
    def is_enough(self) -> bool:
        return self.percent >= self.least

    def summary(self) -> str:
        if not self.rules:
            return "No rules of your own are in force here: nothing to cover."
        said = f"{len(self.rules) - len(self.missing)} of {len(self.rules)} rules exercised ({self.percent:.0f} %)"
        return said if self.is_enough else f"{said}, {self.least:g} % wanted"

    def show(self, out: Console) -> None:
        if self.missing:
            rows = table("not exercised", "")
            for rule in self.missing:
                rows.add_row(verdict(rule["type"]), self.here.rule(rule))
            out.print(rows)
        out.print(self.summary(), style="green" if self.is_enough and not self.missing else "yellow")

    def as_json(self) -> dict[str, Any]:
        missing = [self.here.rule_row(rule) for rule in self.missing]
        return {"rules": len(self.rules), "percent": round(self.percent, 1), "missing": missing}


def _key(rule: "Rule") -> tuple[str, ...]:
    """Each row loads the settings anew, so two copies of a rule are compared by their content."""
    return (rule["type"], rule.get("match", ""), str(rule.get("source", "")), *rule.get("actors", ()))
