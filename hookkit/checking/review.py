"""All findings of some files: of each file, of each rule, and of rules compared with each other."""

from hookkit.checking import patterns, shadows
from hookkit.policy.base import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.documents.finding import Finding
    from hookkit.documents.report import FileReport


SHIPPED = {(rule["type"], rule["match"]) for rule in RULES}  # known to be meant as they are written


def review(reports: "list[FileReport]", *, together: bool) -> "list[Finding]":
    """`together` compares the rules of all files, for the layers of a project."""
    found = [finding for report in reports for finding in report.findings]
    for rule in [rule for report in reports for rule in report.rules if (rule.verdict, rule.match) not in SHIPPED]:
        found += patterns.remarks(rule)
    for rules in [[rule for report in reports for rule in report.rules]] if together else [r.rules for r in reports]:
        found += shadows.remarks(rules)
    order = {report.file: number for number, report in enumerate(reports)}
    return sorted(found, key=lambda each: (order[each.file], each.line, each.column, each.severity))
