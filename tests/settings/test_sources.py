"""Nothing that is set up does nothing in silence: settings and handlers without an effect are named."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hookkit.policy.rules import EVENTS
from hookkit.settings import sources
from hookkit.settings.documents.finding import FileReport
from hookkit.settings.formats import genesis, hookkit_toml
from hookkit.settings.keys import BY_NAME

SESSIONS = '[sessions]\nparts = ["documents"]\ndirective_files = ["A.md"]\n'
TOML = '[[rules]]\ntype = "approval_gate"\nconfig = {{ condition = "{0}" }}\n'
YAML = 'version: "2.0"\nhooks:\n  stop:\n    - type: approval_gate\n      config:\n        condition: "{0}"\n'
FORMATS = [(hookkit_toml.examine, TOML, (3, 25)), (genesis.examine, YAML, (6, 21))]
LABEL = {(3, 25): "rules: config."}
Examine = Callable[[str, str], FileReport]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[heartbeat]\nlimit = 5\n",
         [(2, "heartbeat.limit has no effect: heartbeat.enabled is false", "set heartbeat.enabled = true")]),
        ("[heartbeat]\nenabled = true\nlimit = 5\n", []),
        ("[undo]\nenabled = false\nmegabytes = 9\n",
         [(3, "undo.megabytes has no effect: undo.enabled is false", "set undo.enabled = true")]),
        ("[gate]\npromise_budget = 5\n",
         [(2, "gate.promise_budget has no effect: gate.promise is not set", "set gate.promise")]),
        ("[gate]\ncheck_seconds = 5\n",
         [(2, "gate.check_seconds has no effect: nothing here uses it", "set gate.checks")]),
        ('[gate]\nchecks = ["true"]\ncheck_seconds = 5\n', []),
        ("[gate]\nblocks = 2\n", [(2, "gate.blocks has no effect: nothing here uses it", "set gate.commit = true")]),
        ("[budget]\nwarn = 50\n", [(2, "budget.warn has no effect: nothing here uses it", "set budget.tokens")]),
        ('[llm]\nbase_url = "http://127.0.0.1:1"\n',
         [(2, "llm.base_url has no effect: llm.provider is claude", "set it to anthropic or openai")]),
        ('[llm]\nprovider = "openai"\nbase_url = "http://127.0.0.1:1"\n', []),
        ('[llm]\nprovider = "openai"\ncommand = "x"\n',
         [(3, "llm.command has no effect: llm.provider is openai", "set it to claude")]),
        ('[fleet]\npolicy = "https://example.com/p"\n',
         [(2, "fleet.policy has no effect: fleet.signers is not set", "set fleet.signers")]),
        ('[[skills]]\nname = "fix"\n',
         [(1, "skills has no effect: nothing here uses it", "set sessions.parts")]),
        ('[sessions]\ndirective_files = ["A.md"]\n',
         [(2, "sessions.directive_files has no effect: sessions.parts is not set", "set sessions.parts")]),
        (SESSIONS, []),
        ('[policy]\noff = ["delete.hoem", "delete.home", "git.*"]\n',
         [(2, "policy.off has no effect: there is no rule delete.hoem", "did you mean delete.home?")]),
        ("[heartbeat]\nenabled = true\nlimit = 0\n",
         [(3, "heartbeat.limit has no effect: 0 is never reached", "write 1 to 10000")]),
        ("[overflow]\nenabled = true\npercent = 150\n",
         [(3, "overflow.percent has no effect: 150 is never reached", "write 1 to 100")]),
        ("[gate]\ncommit = true\nblocks = 0\n",
         [(3, "gate.blocks has no effect: 0 is never reached", "write 1 to 8")]),
        ("[redirect]\nenabled = false\ntell = true\n",
         [(3, "redirect.tell has no effect: redirect.enabled is false", "set redirect.enabled = true")]),
        ('[policy]\nbase = false\noff = ["delete.home"]\n',
         [(3, "policy.off has no effect: policy.base is false", "set policy.base = true")]),
    ],
)  # fmt: skip
def test_a_setting_without_an_effect_is_a_warning(
    text: str, expected: list[tuple[int, str, str]], home: Path, project: Path
) -> None:
    own = home / ".config" / "hookkit" / "hookkit.toml"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(text)
    findings = hookkit_toml.examine(str(own), text).findings
    assert [(each.line, each.message, each.fix) for each in findings] == expected
    assert {each.severity for each in findings} <= {"warning"}


def test_every_setting_that_another_one_needs_is_a_setting() -> None:
    named = {*sources.NEEDS, *sources.OF_PROVIDER, *(name for names in sources.NEEDS.values() for name in names)}
    assert named | {name for names, *_ in sources.THROUGH for name in names} <= BY_NAME.keys()


@pytest.mark.parametrize(
    ("event", "matcher", "expected"),
    [
        ("Stop", "Bash", [("Stop has nothing to match, so the handler never runs", "remove the matcher")]),
        ("Stop", "*", []),
        ("PreToolUse", "Bsh", [("there is no tool Bsh", "did you mean Bash?")]),
        ("PreToolUse", "Edit|Wrte", [("there is no tool Wrte", "did you mean Write?")]),
        ("PreToolUse", "Edit|Write", []),
        ("PreToolUse", "Edit, Write", [("a comma separates no names, so the handler never runs", "write Edit|Write")]),
        ("PreToolUse", "mcp__github", [("mcp__github is the name of a server, not of a tool",
                                        "write mcp__github__.*")]),
        ("PreToolUse", "mcp__github__.*", []),
        ("PreToolUse", "deploy_everything", []),
        ("SessionStart", "startpu", [("SessionStart never has the value startpu", "did you mean startup?")]),
        ("SessionStart", "startup|resume", []),
    ],
)  # fmt: skip
def test_a_matcher_that_never_matches_is_a_mistake(event: str, matcher: str, expected: list[tuple[str, str]]) -> None:
    assert [*sources.never_matched(event, matcher)] == expected
    text = f'[[hooks]]\nevent = "{event}"\nmatcher = "{matcher}"\ncommand = {{ command = "true" }}\n'
    findings = hookkit_toml.examine("hookkit.toml", text).findings
    assert [(each.line, each.message, each.fix) for each in findings] == [
        (3, f"matcher: {why}", fix) for why, fix in expected
    ]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ('event = "PreToolUse"\nif = "Bsh(git push *)"',
         (3, "error", "if: there is no tool Bsh, so the handler never runs", "did you mean Bash?")),
        ('event = "PreToolUse"\nasync = true\non_failure = "reject"',
         (4, "warning", "on_failure: an async handler answers too late to hold anything", "remove async")),
        ('event = "Notification"\non_failure = "reject"',
         (3, "warning", "on_failure: Notification is only told: nothing can be held", "use an event before the act")),
        ('event = "Stop"\non_failure = "ask"',
         (3, "warning", "on_failure: Stop cannot ask, so the handler's failure is passed over", 'write "reject"')),
        ('event = "PreToolUse"\non_failure = "ask"', None),
        ('event = "PermissionRequest"\non_failure = "ask"', None),
        ('event = "PreToolUse"\nif = "Bash(git push *)"\non_failure = "reject"', None),
    ],
)  # fmt: skip
def test_a_field_of_a_handler_that_never_counts_is_named(
    fields: str, expected: tuple[int, str, str, str] | None
) -> None:
    text = f'[[hooks]]\n{fields}\ncommand = {{ command = "true" }}\n'
    findings = hookkit_toml.examine("hookkit.toml", text).findings
    assert [(each.line, each.severity, each.message, each.fix) for each in findings] == ([expected] if expected else [])


# -- conditions of approval gates, in either of the files that have them --


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
