"""The results of a played event and of played rows, for a person and for programs.

Of rows also for a CI that reads JUnit, and for a pull request on GitHub.
"""

import difflib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from hookkit.cli._call import hooks_json, reasons_of, verdict_of
from hookkit.cli._console import NOTHING, STYLES, annotation, facts_table, first_lines, short, verdict
from hookkit.cli._here import Workspace
from hookkit.cli._view import Table, Text, View, Wide, plain
from hookkit.play.player import Played, trace
from hookkit.play.rows import Case
from hookkit.policy.match import NO, UNSURE, YES, Result
from hookkit.system.error_log import describe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from xml.etree import ElementTree as ET

    from hookkit.policy.rules import Rule


# -- one event -------------------------------------------------------------------------------------------------------


def event_view(played: Played, workspace: Workspace) -> list[View]:
    event = played.event
    who = played.judge.actor(event) if played.judge else ""
    head = Text.assemble((f"{event.name}  {event.tool_name}".strip(), "bold"), (f"  {who}" if who else "", "dim"))
    tool_input = json.dumps(event.tool_input, ensure_ascii=False) if event.tool_name else ""
    asked = event.command or event.prompt or tool_input
    parts: list[View] = [head, *([Text(first_lines(asked))] if asked else []), ""]
    parts.append(_hooks(played, workspace) if played.ran else Text("No hook answers this event.", "dim"))
    if not any(ran.hook == "guard" for ran in played.ran):
        parts += [_rule(rule, result, workspace) for rule, result in _about(played.trace)]
    parts += workspace.warnings()
    parts += [Text(describe(problem), "red") for problem in played.problems]
    return [*parts, "", *_sent(played)]


def _about(trace: list[tuple["Rule", Result]]) -> list[tuple["Rule", Result]]:
    return [(rule, result) for rule, result in trace if result.yes != NO]


def _hooks(played: Played, workspace: Workspace) -> Table:
    rows = Table("hook", "verdict", "time", "why", right=("time",), whole=("hook", "verdict", "time"))
    for number, ran in enumerate(played.ran):
        is_again = any(before.hook == ran.hook for before in played.ran[:number])
        lines = [Text("judged as rewritten", "dim")] if is_again else []
        lines += reasons_of(ran)
        results = trace(ran.event, played.judge) if ran.hook == "guard" and played.judge else []
        lines += [_rule(rule, result, workspace) for rule, result in _about(results)]
        rows.add(ran.hook, verdict(verdict_of(ran)), f"{ran.ms:.2f} ms", Text("\n").join(lines))
    return rows


def _rule(rule: "Rule", result: Result, workspace: Workspace) -> Text:
    doubt = f": cannot tell, {short(result.why)}" if result.yes == UNSURE else ""
    return Text.assemble(("↳ ", "dim"), verdict(rule["type"]), " ", workspace.rule(rule), (doubt, "yellow"))


def _sent(played: Played) -> list[View]:
    if played.raw is None:
        return [Text("The agent gets no reply, and continues.", "dim")]
    text = played.raw if isinstance(played.raw, str) else json.dumps(played.raw, indent=2, ensure_ascii=False)
    return [Text("The agent gets", "dim"), Wide(text)]


def event_json(played: Played, workspace: Workspace) -> dict[str, Any]:
    rules = [
        {**workspace.rule_row(rule), "result": "unsure" if result.yes == UNSURE else "match"}
        for rule, result in _about(played.trace)
    ]
    return {"event": played.event.fields, "hooks": hooks_json(played), "rules": rules, "reply": played.raw}


# -- rows ------------------------------------------------------------------------------------------------------------


class Coverage:
    """The rules in force here. The shipped rules are hookkit's own to test; `all_` counts them as well."""

    def __init__(self, workspace: Workspace, played: Iterable[Played], least: float, *, all_: bool) -> None:
        self.workspace = workspace
        self.least = least
        self.rules = [rule for rule in workspace.settings.policy["rules"] if all_ or rule.get("source") != "base"]
        good = [row for row in played if row.is_checked and row.passed]  # another row proves nothing about a rule
        seen = {_key(rule) for row in good for rule, result in row.trace if result.yes == YES}
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
        summary = f"{len(self.rules) - len(self.missing)} of {len(self.rules)} rules exercised ({self.percent:.0f} %)"
        return summary if self.is_enough else f"{summary}, {self.least:g} % wanted"

    def view(self) -> list[View]:
        rows = Table("not exercised", "")
        for rule in self.missing:
            rows.add(verdict(rule["type"]), self.workspace.rule(rule))
        summary = Text(self.summary(), "green" if self.is_enough and not self.missing else "yellow")
        return [rows, summary] if self.missing else [summary]

    def as_json(self) -> dict[str, Any]:
        missing = [self.workspace.rule_row(rule) for rule in self.missing]
        return {"rules": len(self.rules), "percent": round(self.percent, 1), "missing": missing}


def _key(rule: "Rule") -> tuple[str, ...]:
    """Each row loads the settings anew, so two copies of a rule are compared by their content."""
    return (rule["type"], rule.get("match", ""), str(rule.get("source", "")), *rule.get("actors", ()))


class Tally:
    """Played rows, counted."""

    def __init__(self, played: Sequence[Played], coverage: Coverage | None = None) -> None:
        self.played = played
        self.failed = [step for step in played if not step.passed]
        self.checked = [step for step in played if step.is_checked]
        self.coverage = coverage

    @property
    def is_good(self) -> bool:
        return not self.failed and (self.coverage is None or self.coverage.is_enough)

    def classes(self) -> dict[str, tuple[int, int]]:
        """The number of played and of failed rows, for each class that rows name."""
        counts: dict[str, tuple[int, int]] = {}
        for step in self.played:
            name = str(step.row.get("class", ""))
            played, failed = counts.get(name, (0, 0))
            counts[name] = (played + 1, failed + (not step.passed))
        return counts if set(counts) != {""} else {}


# -- for a person ----------------------------------------------------------------------------------------------------


def view(tally: Tally, *, explain: bool) -> list[View]:
    parts: list[View] = [part for played in tally.played if explain for part in _explain(played)]
    parts += [part for played in tally.failed for part in _difference(played)]
    parts += [_classes(tally.classes())] if tally.classes() else []
    parts += tally.coverage.view() if tally.coverage is not None else []
    counts = f"{len(tally.played)} played, {len(tally.checked)} checked, {len(tally.failed)} failed"
    return [*parts, Text(counts, "red" if tally.failed else "green")]


def _classes(counts: dict[str, tuple[int, int]]) -> Table:
    rows = Table("class", "played", "failed", right=("played", "failed"))
    for name, (played, failed) in sorted(counts.items()):
        rows.add(name or NOTHING, str(played), Text(str(failed), "red" if failed else "dim"))
    return rows


def _explain(played: Played) -> list[View]:
    """One event as a short story: the question of the agent, the answer of hookkit, and the reason."""
    mark, style = ("✓", "green") if played.passed else ("✗", "red")
    about = f"{played.hook} on {played.event.name}" if played.hook else str(played.row.get("pattern", ""))
    asked = _call_text(played)
    rows: list[tuple[str, object]] = [("agent", first_lines(asked))] if asked else []
    rows += _reply(played.reply) or [("answer", Text("nothing: the agent continues", "dim"))]
    for name, decision in played.decisions:
        if decision.reason:
            rows.append(("why", decision.reason if played.hook == name else f"{name}: {decision.reason}"))
    rows += [("problem", Text(describe(problem), "red")) for problem in played.problems]
    facts = facts_table([(f"  {name:8}", value) for name, value in rows])
    return [Text.assemble((f"{mark} {played.id}", f"bold {style}"), (f" {about}", "dim")), facts, ""]


def _call_text(played: Played) -> str:
    """The subject of the event, in the agent's or the person's words."""
    event = played.event
    given = played.row.get("arg", played.row.get("args", ""))
    texts = (event.command, event.prompt, event.text("source"), event.text("trigger"))
    return next((text for text in texts if text), given if isinstance(given, str) else json.dumps(given))


def _reply(reply: Any) -> list[tuple[str, object]]:
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


def _difference(played: Played) -> list[View]:
    """The expected answer beside the real one."""
    parts: list[View] = [Wide(Text.assemble((f"✗ {played.id}", "bold red"), (f" {_place(played)}", "dim")))]
    names = [name for name in ("pattern", "tool", "arg", "args", "command", "actor") if name in played.row]
    parts += [Wide(Text.assemble((f"  {name:9}", "dim"), _text(played.row[name]))) for name in names]
    parts += [Wide(f"  {line}", {"-": "red", "+": "green"}.get(line[:1], "dim")) for line in _lines(played)]
    parts += [Wide(f"  {played.why}", "dim")] if played.why else []
    return [*parts, *(Wide(f"  {describe(problem)}", "red") for problem in played.problems)]


def _lines(played: Played) -> list[str]:
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


def _place(played: Played) -> str:
    return f"{played.row.file}:{played.row.line}" if isinstance(played.row, Case) else ""


# -- for programs ----------------------------------------------------------------------------------------------------


def as_json(tally: Tally) -> dict[str, Any]:
    counts: dict[str, Any] = {
        "played": len(tally.played),
        "checked": len(tally.checked),
        "failed": len(tally.failed),
        "classes": {name: {"played": played, "failed": failed} for name, (played, failed) in tally.classes().items()},
    }
    if tally.coverage is not None:
        counts["coverage"] = tally.coverage.as_json()
    return {**counts, "rows": [_as_row(played) for played in tally.played]}


def _as_row(played: Played) -> dict[str, Any]:
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


def as_github(tally: Tally) -> str:
    """Workflow commands: each failure becomes a remark at the line of its row."""
    remarks = []
    for played in tally.failed:
        file, _, line = _place(played).rpartition(":")
        text = "\n".join([*_lines(played), played.why, *(describe(problem) for problem in played.problems)]).strip()
        remarks.append(annotation("error", text, file=file, line=line, title=played.id))
    if tally.coverage is not None and not tally.coverage.is_enough:
        remarks.append(annotation("error", tally.coverage.summary(), title="coverage"))
    return "\n".join(remarks)


def as_junit(tally: Tally) -> str:
    from xml.etree import ElementTree as ET

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
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode")


def _test_case(suite: "ET.Element", played: Played) -> None:
    from xml.etree import ElementTree as ET

    kind = str(played.row.get("class") or played.hook or "row")
    case = ET.SubElement(
        suite, "testcase", name=plain(played.id), classname=plain(kind), time=f"{played.ms / 1000:.6f}"
    )
    if not played.passed:
        lines = [*_lines(played), *(describe(problem) for problem in played.problems)]
        failure = ET.SubElement(case, "failure", message=plain(played.why) or "another answer than expected")
        failure.text = "\n".join(plain(line) for line in lines)  # XML cannot hold most control characters
