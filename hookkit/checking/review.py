"""All that is to be said of some files: of each by itself, of each rule, and of the rules among each other."""

from hookkit.checking import patterns, shadows
from hookkit.policy.base import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.documents.finding import Finding, Report


SHIPPED = {(rule["type"], rule["match"]) for rule in RULES}  # known to be meant as they are written


def review(reports: "list[Report]", *, together: bool) -> "list[Finding]":
    """`together` are the layers of one project: a rule of one may leave nothing of another's."""
    found = [finding for report in reports for finding in report.findings]
    for rule in [rule for report in reports for rule in report.rules if (rule.verdict, rule.match) not in SHIPPED]:
        found += patterns.remarks(rule)
    for rules in [[rule for report in reports for rule in report.rules]] if together else [r.rules for r in reports]:
        found += shadows.remarks(rules)
    order = {report.file: number for number, report in enumerate(reports)}
    return sorted(found, key=lambda each: (order[each.file], each.line, each.column, each.severity))
