"""What `validate` says of a condition, in either of the files that have them."""

from collections.abc import Callable

import pytest

from hookkit.policy.rules import EVENTS
from hookkit.settings.documents.finding import FileReport
from hookkit.settings.formats import genesis, hookkit_toml

TOML = '[[rules]]\ntype = "approval_gate"\nconfig = {{ condition = "{0}" }}\n'
YAML = 'version: "2.0"\nhooks:\n  stop:\n    - type: approval_gate\n      config:\n        condition: "{0}"\n'
FORMATS = [(hookkit_toml.examine, TOML, (3, 25)), (genesis.examine, YAML, (6, 21))]
LABEL = {(3, 25): "rules: config."}
Examine = Callable[[str, str], FileReport]


@pytest.mark.parametrize(("examine", "text", "begins"), FORMATS)
@pytest.mark.parametrize(
    ("condition", "at", "expected"),
    [
        ("git.dirty and", 13,
         ("error", "condition: expected a value, not the end: git.dirty and", "see docs/gates.md")),
        ("git.dirty = true", 10,
         ("error", "condition: expected == for a comparison: git.dirty = true", "see docs/gates.md")),
        ("ticket.requires_review == true", 0,
         ("error", "condition: there is no fact 'ticket'",
          "there are facts about event, session, effort, commitment, git")),
        ("git.dirty and sesion.blocks > 2", 14,
         ("error", "condition: there is no fact 'sesion'", "did you mean session?")),
        ("commitment.requires_review == true", 0,
         ("error", "condition: sessions are off, so nothing supplies commitment",
          "switch sessions on: hookkit set sessions.parts +track")),
    ],
)  # fmt: skip
def test_a_condition_is_looked_at(
    examine: Examine, text: str, begins: tuple[int, int], condition: str, at: int, expected: tuple[str, str, str]
) -> None:
    [found] = examine("f", text.format(condition)).findings
    assert (found.line, found.column, found.caret) == (begins[0], begins[1] + at, True)
    label = LABEL.get(begins, "") if "docs/gates.md" in found.fix else ""
    severity, message, fix = expected
    assert (found.severity, found.message, found.fix) == (severity, f"{label}{message}", fix)


@pytest.mark.parametrize(("examine", "text"), [row[:2] for row in FORMATS])
def test_a_right_one_is_not_complained_of(examine: Examine, text: str) -> None:
    assert examine("f", text.format("git.dirty and len(git.files) > 3 or event.name == 'Stop'")).findings == []


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ('type = "approval_gate"\nconfig = { condition = 5 }',
         ["3:24 rules: config.condition: expected any text, not 5"]),
        ('type = "approval_gate"\nconfig = { approvers = "ann" }',
         ["3:24 rules: config.approvers: expected a list of texts, not 'ann'"]),
        ('type = "approval_gate"\nconfig = { event = "Stopp" }',
         [f"3:1 rules: config.event: expected one of {', '.join(EVENTS)}, not 'Stopp'"]),
        ('type = "command"\nrun = "true"\nconfig = { event = "Stop" }', []),
        ('type = "command"\nrun = "true"',
         ["1:1 rules: missing match: a rule of type command needs a pattern"]),
    ],
)  # fmt: skip
def test_the_rest_of_a_gates_rule_is_looked_at(rule: str, expected: list[str]) -> None:
    found = hookkit_toml.examine("f", f"[[rules]]\n{rule}\n").findings
    assert [f"{each.line}:{each.column} {each.message}" for each in found] == expected


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "~/x", "", "./"])
def test_an_artefact_is_below_the_project(name: str) -> None:
    text = f'[[gate.artefacts]]\nagent = "a"\nfiles = ["ok", "{name}"]\n'
    [found] = hookkit_toml.examine("f", text).findings
    assert f"{found.line}: {found.message}" == (
        f"3: gate.artefacts: files: expected names below the project, not {name!r}"
    )
