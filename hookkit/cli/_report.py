"""The results of played rows: for a person, a program, a CI that reads JUnit, a pull request on GitHub."""

import difflib
import json
from collections.abc import Callable, Sequence
from typing import Any
from xml.etree import ElementTree as ET

from rich.table import Table

from hookkit import cases
from hookkit.cli._console import NOTHING, STYLES, Console, Text, console, echo, echo_json, first_lines, plain, table
from hookkit.cli._coverage import Coverage
from hookkit.cli._github import annotation
from hookkit.system.error_log import describe


class Tally:
    """Played rows, counted."""

    def __init__(self, played: Sequence[cases.Played], coverage: Coverage | None = None) -> None:
        self.played = played
        self.failed = [each for each in played if not each.passed]
        self.checked = [each for each in played if each.is_checked]
        self.coverage = coverage

    @property
    def is_good(self) -> bool:
        return not self.failed and (self.coverage is None or self.coverage.is_enough)

    def classes(self) -> dict[str, tuple[int, int]]:
        """The number of played and of failed rows, for each class that rows name."""
        counts: dict[str, tuple[int, int]] = {}
        for each in self.played:
            name = str(each.row.get("class", ""))
            played, failed = counts.get(name, (0, 0))
            counts[name] = (played + 1, failed + (not each.passed))
        return counts if set(counts) != {""} else {}


# -- for a person ----------------------------------------------------------------------------------------------------


def as_table(tally: Tally, *, explain: bool) -> None:
    out = console()
    for played in tally.played if explain else ():
        _explain(out, played)
    for played in tally.failed:
        _difference(out, played)
    if tally.classes():
        out.print(_classes(tally.classes()))
    if tally.coverage is not None:
        tally.coverage.show(out)
    counts = f"{len(tally.played)} played, {len(tally.checked)} checked, {len(tally.failed)} failed"
    out.print(counts, style="red" if tally.failed else "green")


def _classes(counts: dict[str, tuple[int, int]]) -> Table:
    rows = table("class")
    rows.add_column("played", justify="right")
    rows.add_column("failed", justify="right")
    for name, (played, failed) in sorted(counts.items()):
        rows.add_row(name or NOTHING, str(played), Text(str(failed), "red" if failed else "dim"))
    return rows


def _explain(out: Console, played: cases.Played) -> None:
    """One event as a short story: the question of the agent, the answer of hookkit, and the reason."""
    mark, style = ("✓", "green") if played.passed else ("✗", "red")
    about = f"{played.hook} on {played.event.name}" if played.hook else str(played.row.get("pattern", ""))
    out.print(Text(f"{mark} {played.id}", style=f"bold {style}"), Text(about, "dim"))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", min_width=10)
    grid.add_column(overflow="fold")
    asked = _asked(played)
    if asked:
        grid.add_row("  agent", Text(first_lines(asked)))
    for name, said in _said(played.reply) or [("answer", Text("nothing: the agent goes on", "dim"))]:
        grid.add_row(f"  {name}", said)
    for name, decision in played.decisions:
        if decision.reason:
            grid.add_row("  why", Text(decision.reason if played.hook == name else f"{name}: {decision.reason}"))
    for problem in played.problems:
        grid.add_row("  problem", Text(describe(problem), "red"))
    out.print(grid)
    out.print()


def _asked(played: cases.Played) -> str:
    """The subject of the event, in the agent's or the person's words."""
    event = played.event
    given = played.row.get("arg", played.row.get("args", ""))
    texts = (event.command, event.prompt, event.text("source"), event.text("trigger"))
    return next((text for text in texts if text), given if isinstance(given, str) else json.dumps(given))


def _said(reply: Any) -> list[tuple[str, Text]]:
    """The parts of a reply that a person looks for."""
    if not isinstance(reply, dict):
        name = "verdict" if reply in STYLES or reply in ("match", "no match") else "to model"
        return [(name, Text(first_lines(reply), STYLES.get(reply, "bold")))] if reply else []
    own = reply.get("hookSpecificOutput", {})
    parts = [
        ("verdict", own.get("permissionDecision") or reply.get("decision")),
        ("runs", own["updatedInput"].get("command", str(own["updatedInput"])) if "updatedInput" in own else None),
        ("to person", reply.get("systemMessage")),
        ("to model", own.get("additionalContext")),
    ]
    styles = {"runs": "cyan", "verdict": "bold"}
    return [(name, Text(first_lines(str(value)), styles.get(name, ""))) for name, value in parts if value]


def _difference(out: Console, played: cases.Played) -> None:
    """The expected answer beside the real one."""
    out.print(Text(f"✗ {played.id}", "bold red"), Text(_place(played), "dim"), soft_wrap=True)
    for name in ("pattern", "tool", "arg", "args", "command", "actor"):
        if name in played.row:
            out.print(Text.assemble((f"  {name:9}", "dim"), _text(played.row[name])), soft_wrap=True)
    for line in _lines(played):
        style = {"-": "red", "+": "green"}.get(line[:1], "dim")
        out.print(Text(f"  {line}", style), soft_wrap=True)
    if played.why:
        out.print(Text(f"  {played.why}", "dim"), soft_wrap=True)
    for problem in played.problems:
        out.print(Text(f"  {describe(problem)}", "red"), soft_wrap=True)


def _lines(played: cases.Played) -> list[str]:
    if played.reply == played.expected or not played.is_checked:
        return []
    if not isinstance(played.reply, dict) or not isinstance(played.expected, dict):
        return [f"- expected {_text(played.expected)}", f"+ got      {_text(played.reply)}"]
    before, after = (_pretty(value).split("\n") for value in (played.expected, played.reply))
    return [line for line in difflib.ndiff(before, after) if not line.startswith("?")]


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _text(value: Any) -> str:
    return "nothing" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _place(played: cases.Played) -> str:
    return f"{played.row.file}:{played.row.line}" if isinstance(played.row, cases.Case) else ""


# -- for programs ----------------------------------------------------------------------------------------------------


def as_json(tally: Tally, **_options: bool) -> None:
    counts: dict[str, Any] = {
        "played": len(tally.played),
        "checked": len(tally.checked),
        "failed": len(tally.failed),
        "classes": {name: {"played": played, "failed": failed} for name, (played, failed) in tally.classes().items()},
    }
    if tally.coverage is not None:
        counts["coverage"] = tally.coverage.as_json()
    echo_json({**counts, "rows": [_as_row(played) for played in tally.played]})


def _as_row(played: cases.Played) -> dict[str, Any]:
    row = {"id": played.id, "place": _place(played), "class": played.row.get("class"), "passed": played.passed}
    if played.is_checked:
        row["expected"] = played.expected
    return {
        **row,
        "got": played.reply,
        "why": played.why,
        "problems": [describe(problem) for problem in played.problems],
        "ms": round(played.ms, 3),
    }


def as_github(tally: Tally, **_options: bool) -> None:
    """Workflow commands: each failure becomes a remark at the line of its row."""
    for played in tally.failed:
        file, _, line = _place(played).rpartition(":")
        said = "\n".join([*_lines(played), played.why, *(describe(problem) for problem in played.problems)]).strip()
        echo(annotation("error", said, file=file, line=line, title=played.id))
    if tally.coverage is not None and not tally.coverage.is_enough:
        echo(annotation("error", tally.coverage.summary(), title="coverage"))


def as_junit(tally: Tally, **_options: bool) -> None:
    root = ET.Element("testsuites", name="hookkit", tests=str(len(tally.played)), failures=str(len(tally.failed)))
    for file in dict.fromkeys(_place(played).rpartition(":")[0] for played in tally.played):
        rows = [played for played in tally.played if _place(played).rpartition(":")[0] == file]
        failed = sum(not played.passed for played in rows)
        suite = ET.SubElement(root, "testsuite", name=plain(file), tests=str(len(rows)), failures=str(failed))
        for played in rows:
            _test_case(suite, played)
    if tally.coverage is not None:
        case = ET.SubElement(ET.SubElement(root, "testsuite", name="coverage"), "testcase", name="coverage")
        if not tally.coverage.is_enough:
            ET.SubElement(case, "failure", message=tally.coverage.summary())
    ET.indent(root)
    echo('<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode"))


def _test_case(suite: ET.Element, played: cases.Played) -> None:
    kind = str(played.row.get("class") or played.hook or "row")
    case = ET.SubElement(
        suite, "testcase", name=plain(played.id), classname=plain(kind), time=f"{played.ms / 1000:.6f}"
    )
    if not played.passed:
        lines = [*_lines(played), *(describe(problem) for problem in played.problems)]
        failure = ET.SubElement(case, "failure", message=plain(played.why) or "another answer than expected")
        failure.text = "\n".join(plain(line) for line in lines)  # XML cannot hold most control characters


RENDERERS: dict[str, Callable[..., None]] = {
    "table": as_table,
    "json": as_json,
    "junit": as_junit,
    "github": as_github,
}
