"""How rows did: for a person, a program, a CI that reads JUnit, a pull request on GitHub."""

import difflib
import json
from collections.abc import Callable, Sequence
from typing import Any
from xml.etree import ElementTree as ET

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hookkit import cases
from hookkit.cli._coverage import Coverage
from hookkit.cli._output import NOTHING, STYLES, console, echo_json, head, plain
from hookkit.system.error_log import describe


class Report:
    """Outcomes, counted."""

    def __init__(self, outcomes: Sequence[cases.Outcome], coverage: Coverage | None = None) -> None:
        self.outcomes = outcomes
        self.failed = [outcome for outcome in outcomes if not outcome.passed]
        self.checked = [outcome for outcome in outcomes if outcome.is_checked]
        self.coverage = coverage

    @property
    def is_good(self) -> bool:
        return not self.failed and (self.coverage is None or self.coverage.is_enough)

    def classes(self) -> dict[str, tuple[int, int]]:
        """Played and failed, for each class that rows name."""
        counts: dict[str, tuple[int, int]] = {}
        for outcome in self.outcomes:
            name = str(outcome.row.get("class", ""))
            played, failed = counts.get(name, (0, 0))
            counts[name] = (played + 1, failed + (not outcome.passed))
        return counts if set(counts) != {""} else {}


# -- for a person ----------------------------------------------------------------------------------------------------


def as_table(report: Report, *, explain: bool) -> None:
    out = console()
    for outcome in report.outcomes if explain else ():
        _explain(out, outcome)
    for outcome in report.failed:
        _difference(out, outcome)
    if report.classes():
        out.print(_classes(report.classes()))
    if report.coverage is not None:
        report.coverage.show(out)
    counts = f"{len(report.outcomes)} played, {len(report.checked)} checked, {len(report.failed)} failed"
    out.print(counts, style="red" if report.failed else "green")


def _classes(counts: dict[str, tuple[int, int]]) -> Table:
    table = Table("class", box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("played", justify="right")
    table.add_column("failed", justify="right")
    for name, (played, failed) in sorted(counts.items()):
        table.add_row(name or NOTHING, str(played), Text(str(failed), "red" if failed else "dim"))
    return table


def _explain(out: Console, outcome: cases.Outcome) -> None:
    """One event as a short story: what came, what hookkit answered, and why."""
    mark, style = ("✓", "green") if outcome.passed else ("✗", "red")
    about = f"{outcome.hook} on {outcome.event.name}" if outcome.hook else str(outcome.row.get("pattern", ""))
    out.print(Text(f"{mark} {outcome.id}", style=f"bold {style}"), Text(about, "dim"))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", min_width=10)
    grid.add_column(overflow="fold")
    asked = _asked(outcome)
    if asked:
        grid.add_row("  agent", Text(head(asked)))
    for name, said in _said(outcome.reply) or [("answer", Text("nothing: the agent goes on", "dim"))]:
        grid.add_row(f"  {name}", said)
    for name, decision in outcome.decisions:
        if decision.reason:
            grid.add_row("  why", Text(decision.reason if outcome.hook == name else f"{name}: {decision.reason}"))
    for problem in outcome.problems:
        grid.add_row("  problem", Text(describe(problem), "red"))
    out.print(grid)
    out.print()


def _asked(outcome: cases.Outcome) -> str:
    """What the event is about, in the agent's or the person's words."""
    event = outcome.event
    given = outcome.row.get("arg", outcome.row.get("args", ""))
    texts = (event.command, event.prompt, event.text("source"), event.text("trigger"))
    return next((text for text in texts if text), given if isinstance(given, str) else json.dumps(given))


def _said(reply: Any) -> list[tuple[str, Text]]:
    """The parts of a reply that a person looks for."""
    if not isinstance(reply, dict):
        name = "verdict" if reply in STYLES or reply in ("match", "no match") else "to model"
        return [(name, Text(head(reply), STYLES.get(reply, "bold")))] if reply else []
    own = reply.get("hookSpecificOutput", {})
    parts = [
        ("verdict", own.get("permissionDecision") or reply.get("decision")),
        ("runs", own["updatedInput"].get("command", str(own["updatedInput"])) if "updatedInput" in own else None),
        ("to person", reply.get("systemMessage")),
        ("to model", own.get("additionalContext")),
    ]
    styles = {"runs": "cyan", "verdict": "bold"}
    return [(name, Text(head(str(value)), styles.get(name, ""))) for name, value in parts if value]


def _difference(out: Console, outcome: cases.Outcome) -> None:
    """What was expected and is not there, and what is there instead."""
    out.print(Text(f"✗ {outcome.id}", "bold red"), Text(_place(outcome), "dim"), soft_wrap=True)
    for name in ("pattern", "tool", "arg", "args", "command", "actor"):
        if name in outcome.row:
            out.print(Text.assemble((f"  {name:9}", "dim"), _text(outcome.row[name])), soft_wrap=True)
    for line in _lines(outcome):
        style = {"-": "red", "+": "green"}.get(line[:1], "dim")
        out.print(Text(f"  {line}", style), soft_wrap=True)
    if outcome.why:
        out.print(Text(f"  {outcome.why}", "dim"), soft_wrap=True)
    for problem in outcome.problems:
        out.print(Text(f"  {describe(problem)}", "red"), soft_wrap=True)


def _lines(outcome: cases.Outcome) -> list[str]:
    if outcome.reply == outcome.expected or not outcome.is_checked:
        return []
    if not isinstance(outcome.reply, dict) or not isinstance(outcome.expected, dict):
        return [f"- expected {_text(outcome.expected)}", f"+ got      {_text(outcome.reply)}"]
    before, after = (_pretty(value).split("\n") for value in (outcome.expected, outcome.reply))
    return [line for line in difflib.ndiff(before, after) if not line.startswith("?")]


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _text(value: Any) -> str:
    return "nothing" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _place(outcome: cases.Outcome) -> str:
    return f"{outcome.row.file}:{outcome.row.line}" if isinstance(outcome.row, cases.Row) else ""


# -- for programs ----------------------------------------------------------------------------------------------------


def as_json(report: Report, **_options: bool) -> None:
    counts: dict[str, Any] = {
        "played": len(report.outcomes),
        "checked": len(report.checked),
        "failed": len(report.failed),
        "classes": {name: {"played": played, "failed": failed} for name, (played, failed) in report.classes().items()},
    }
    if report.coverage is not None:
        counts["coverage"] = report.coverage.as_json()
    echo_json({**counts, "rows": [_as_row(outcome) for outcome in report.outcomes]})


def _as_row(outcome: cases.Outcome) -> dict[str, Any]:
    row = {"id": outcome.id, "place": _place(outcome), "class": outcome.row.get("class"), "passed": outcome.passed}
    if outcome.is_checked:
        row["expected"] = outcome.expected
    return {
        **row,
        "got": outcome.reply,
        "why": outcome.why,
        "problems": [describe(problem) for problem in outcome.problems],
        "ms": round(outcome.ms, 3),
    }


def as_github(report: Report, **_options: bool) -> None:
    """Workflow commands: each failure becomes a remark at the row's own line."""
    for outcome in report.failed:
        file, _, line = _place(outcome).rpartition(":")
        said = "\n".join([*_lines(outcome), outcome.why, *(describe(problem) for problem in outcome.problems)]).strip()
        title = _escaped(outcome.id, "%\r\n:,")
        typer.echo(f"::error file={_escaped(file, '%:,')},line={line},title={title}::{_escaped(said, '%')}")
    if report.coverage is not None and not report.coverage.is_enough:
        typer.echo(f"::error title=coverage::{_escaped(report.coverage.summary(), '%')}")


def _escaped(text: str, special: str) -> str:
    codes = {"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"}
    return "".join(codes[char] if char in special or char in "\r\n" else plain(char) for char in text)


def as_junit(report: Report, **_options: bool) -> None:
    root = ET.Element("testsuites", name="hookkit", tests=str(len(report.outcomes)), failures=str(len(report.failed)))
    for file in dict.fromkeys(_place(outcome).rpartition(":")[0] for outcome in report.outcomes):
        outcomes = [outcome for outcome in report.outcomes if _place(outcome).rpartition(":")[0] == file]
        failed = sum(not outcome.passed for outcome in outcomes)
        suite = ET.SubElement(root, "testsuite", name=file, tests=str(len(outcomes)), failures=str(failed))
        for outcome in outcomes:
            _test_case(suite, outcome)
    if report.coverage is not None:
        case = ET.SubElement(ET.SubElement(root, "testsuite", name="coverage"), "testcase", name="coverage")
        if not report.coverage.is_enough:
            ET.SubElement(case, "failure", message=report.coverage.summary())
    ET.indent(root)
    typer.echo('<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode"))


def _test_case(suite: ET.Element, outcome: cases.Outcome) -> None:
    kind = str(outcome.row.get("class") or outcome.hook or "row")
    case = ET.SubElement(
        suite, "testcase", name=plain(outcome.id), classname=plain(kind), time=f"{outcome.ms / 1000:.6f}"
    )
    if not outcome.passed:
        lines = [*_lines(outcome), *(describe(problem) for problem in outcome.problems)]
        failure = ET.SubElement(case, "failure", message=plain(outcome.why) or "another answer than expected")
        failure.text = "\n".join(plain(line) for line in lines)  # XML cannot say most control characters


RENDERERS: dict[str, Callable[..., None]] = {
    "table": as_table,
    "json": as_json,
    "junit": as_junit,
    "github": as_github,
}
