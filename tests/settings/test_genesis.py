"""genesis.key: what it comes to, every mistake with its place, and its part among the layers."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.policy.rules import compile_rules, moments
from hookkit.settings import layers
from hookkit.settings.formats import genesis
from hookkit.settings.formats import genesis as validated
from hookkit.settings.formats.genesis import GenesisFile
from hookkit.settings.keys import BY_NAME
from hookkit.system import jsons
from tests.conftest import Run
from tests.settings.formats import mutations

EXAMPLE = (Path(__file__).parents[2] / "examples" / "policies" / "genesis.key").read_text()
HEAD = 'version: "2.0"\n'
HOOKS = HEAD + "hooks:\n"
BASH = HOOKS + "  pre_tool_use:\n    - matcher: Bash\n"
DENY = HEAD + 'permissions:\n  actors:\n    a:\n      allow: ["Bash(ls)"]\n      deny: ["Bash(rm *)"]\n'


def said(text: str) -> list[str]:
    return [f"{each.line}:{each.column} {each.message} ({each.fix})" for each in GenesisFile("f", text).findings]


def test_hooks_become_rules_and_permissions_become_actors() -> None:
    file = GenesisFile("f", EXAMPLE)
    values, problems = file.values, file.findings
    assert problems == []
    assert values["rules"] == [
        {"type": "genesis_enforcement", "match": "*"},
        {
            "type": "deny",
            "match": "Bash(rm -rf *)",
            "reason": "Recursive force delete is prohibited",
            "instead": "git clean -n",
            "config": {"reason": "Recursive force delete is prohibited", "instead": "git clean -n"},
        },
        {
            "type": "modify",
            "match": "Bash(npm *)",
            "field": "command",
            "regex": "^npm ",
            "with": "pnpm ",
            "config": {"field": "command", "regex": "^npm ", "with": "pnpm "},
        },
        {
            "type": "evidence_capture",
            "match": "Write|Edit",
            "config": {"ledger": True, "kind": "file_change", "event": "PostToolUse"},
        },
        {
            "type": "approval_gate",
            "match": "*",
            "config": {
                "condition": "git.dirty and len(git.files) > 20",
                "approvers": ["human:lead"],
                "event": "Stop",
            },
        },
    ]
    assert values["actors"]["agent:auditor"] == {
        "allow": ["Read(*)", "Bash(pnpm test *)"],
        "deny": ["Write(*)", "Edit(*)"],
    }


def test_a_command_row_becomes_a_rule_that_runs_it() -> None:
    text = (
        HOOKS
        + "  pre_tool_use:\n    - type: command\n      matcher: Bash\n      config: {command: ./ask, timeout: 5}\n"
    )
    file = GenesisFile("f", text)
    assert (file.values, file.findings) == (
        {
            "rules": [
                {
                    "type": "command",
                    "match": "Bash",
                    "timeout": 5,
                    "run": "./ask",
                    "config": {"command": "./ask", "timeout": 5, "event": "PreToolUse"},
                }
            ]
        },
        [],
    )


def test_a_command_for_after_the_tool_never_runs_before_it() -> None:
    text = HOOKS + "  post_tool_use:\n    - type: command\n      config: {command: ./note}\n"
    file = GenesisFile("f", text)
    found, problems = file.values, file.findings
    assert problems == []
    assert [moments(rule) for rule in found["rules"]] == [("PostToolUse", "PostToolUseFailure")]


@pytest.mark.parametrize(
    "text", [HEAD, "version: 2.0\n", HEAD + "hooks:\npermissions:\n", HEAD + "identity: {name: x}\n", DENY]
)
def test_a_file_without_hooks_goes_on_working(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize("head", ["", 'version: "1.0"\n', "version: 1\n", "version: 1.0\n", "version: 2\n"])
def test_a_file_of_an_older_version_or_none_goes_on_working(head: str) -> None:
    text = DENY.replace(HEAD, head)
    assert said(text) == []
    assert GenesisFile("genesis.key", text).values == GenesisFile("genesis.key", DENY).values != {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('version: "3.0"\n', ['1:10 hookkit reads version 2.0, not 3.0 (write version: "2.0")']),
        ("version: [2]\n", ['1:10 hookkit reads version 2.0, not something else (write version: "2.0")']),
        ("- a\n", ["1:1 genesis.key: expected a table, not a list ()"]),
        (HEAD + "hoooks: {}\n", ["2:1 unknown field hoooks (did you mean hooks?)"]),
        (HEAD + "hooks: []\n", ["2:8 hooks: expected a table, not a list ()"]),
        (HEAD + "permission:\n  actors: {}\n", ["2:1 unknown field permission (did you mean permissions?)"]),
        (HOOKS + "  pre_tool_us: []\n", ["3:3 hooks: unknown field pre_tool_us (did you mean pre_tool_use?)"]),
        (HOOKS + "  stop: {}\n", ["3:9 hooks.stop: expected a list, not a table ()"]),
        (HOOKS + "  stop:\n    - 5\n", ["4:7 hooks.stop[0]: expected a table, not 5 ()"]),
        (HOOKS + "  stop:\n    - matcher: '*'\n", ["4:7 hooks.stop[0]: missing type ()"]),
        (HOOKS + "  stop:\n    - type: approval_gat\n",
         ["4:13 hooks.stop[0]: type: unknown 'approval_gat' (did you mean approval_gate?)"]),
        (HOOKS + "  stop:\n    - type: deny\n",
         ["4:13 hooks.stop[0]: deny comes too late after the call (move it to pre_tool_use)"]),
        (HOOKS + '  pre_tool_use:\n    - matcher: "Bash(rm -rf *"\n      type: deny\n',
         ["4:30 expected ) at the end: Bash(rm -rf * (did you mean Bash(rm -rf *)?)"]),
        (BASH + "      type: deny\n      confg: {}\n",
         ["6:7 hooks.pre_tool_use[0]: unknown field confg (did you mean config?)"]),
        (BASH + "      type: deny\n      config: {resaon: x}\n",
         ["6:16 hooks.pre_tool_use[0]: config: unknown field resaon (did you mean reason?)"]),
        (BASH + "      type: modify\n      config: {field: a, with: b}\n",
         ["6:15 hooks.pre_tool_use[0]: config: expected either replace or regex ()"]),
        (BASH + "      type: modify\n      config: {field: a, regex: '*', with: b}\n",
         ["6:33 hooks.pre_tool_use[0]: config: regex: not a regular expression: nothing to repeat at position 0 ()"]),
        (BASH + "      type: deny\n      config: {unless: ['Bash(']}\n",
         ["6:31 expected ) at the end: Bash( (did you mean Bash()?)"]),
        (BASH + "      type: command\n",
         ["4:7 hooks.pre_tool_use[0]: config: missing command ()"]),
        (HOOKS + "  post_tool_use:\n    - type: evidence_capture\n      config: {ledgr: true, kind: 5, mine: [1]}\n",
         ["5:16 hooks.post_tool_use[0]: config: unknown field ledgr (did you mean ledger?)",
          "5:35 hooks.post_tool_use[0]: config: kind: expected text, not 5 ()"]),
        (HEAD + "permissions:\n  actors:\n    a: {alow: []}\n",
         ["4:9 permissions.actors.a: unknown field alow (did you mean allow?)"]),
        (HEAD + "permissions:\n  actors:\n    a: {deny: ['Bash(', 5]}\n",
         ["4:25 permissions.actors.a: deny: expected text, not 5 ()",
          "4:22 expected ) at the end: Bash( (did you mean Bash()?)"]),
        (HEAD + "permissions:\n  actors:\n    a: {deny: ['Bash(']}\n",
         ["4:22 expected ) at the end: Bash( (did you mean Bash()?)"]),
        (HEAD + "permissions:\n\tactors: {}\n", ["3:1 not YAML: a tab (indent with spaces)"]),
        (HEAD + HEAD, ["2:1 'version' stands here twice ()"]),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(text: str, expected: list[str]) -> None:
    assert said(text) == expected


def test_what_works_otherwise_than_it_looks_is_a_warning() -> None:
    text = HOOKS + "  pre_tool_use:\n    - type: deny\n  stop:\n    - type: approval_gate\n      matcher: Bash\n"
    assert said(text) == []
    assert [f"{each.severity} {each}" for each in validated.examine("f", text).findings] == [
        'warning f:4:13: hooks.pre_tool_use[0]: without a matcher this is about every call (write matcher: "*")',
        "warning f:7:7: hooks.stop[0]: a matcher has no effect when the agent stops (remove the matcher)",
    ]


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_any_value_in_any_place_is_taken_or_named_as_a_mistake(data: st.DataObject) -> None:
    """What is taken can be compiled and kept as JSON, for a trusted file and for a stranger's."""
    document = yaml.safe_load(EXAMPLE)
    path = data.draw(st.sampled_from([*mutations.places(document)]))
    changed = mutations.put(document, path, data.draw(mutations.values), data.draw(st.none() | st.just("tpye")))
    try:
        text = yaml.safe_dump(changed, allow_unicode=True)
        text.encode()
    except UnicodeEncodeError:  # no file can hold it
        return
    file = GenesisFile("f", text)
    values, problems = file.values, file.findings
    assert all(problem.line >= 1 and problem.column >= 1 for problem in problems)
    jsons.dumps(compile_rules({**values, "policy.base": False}))
    strict = {name: BY_NAME[name].tighten(value) for name, value in values.items()}  # type: ignore[misc]
    assert {row["type"] for row in strict.get("rules", [])} <= {"deny", "ask", "approval_gate"}


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=60))
def test_any_text_is_taken_or_named_as_a_mistake(text: str) -> None:
    file = GenesisFile("f", text)
    values, problems = file.values, file.findings
    assert problems or not values


# -- among the layers ------------------------------------------------------------------------------


def put(project: Path, text: str) -> Path:
    path = project / ".mentu" / "genesis.key"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def load(project: Path) -> layers.Settings:
    return layers.load(str(project), dict(os.environ))


def lists(project: Path) -> dict[str, dict[str, list[str]]]:
    """What the compiled policy holds for each actor."""
    found: dict[str, dict[str, list[str]]] = {}
    for rule in load(project).policy["rules"]:
        for actor in rule.get("actors", ()):
            found.setdefault(actor, {}).setdefault(rule["type"], []).append(rule["match"])
    return found


def verdict(hookkit: Run, project: Path, command: str, actor: str = "a") -> str:
    event: dict[str, Any] = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
    done = hookkit("guard", "--actor", actor, stdin={**event, "cwd": str(project), "session_id": "s"}, cwd=project)
    reply = json.loads(done.stdout or b"{}")
    return str(reply.get("hookSpecificOutput", {}).get("permissionDecision", ""))


def test_a_strangers_file_only_tightens_until_it_is_trusted(project: Path, hookkit: Run) -> None:
    path = put(project, DENY)
    assert lists(project) == {"a": {"deny": ["Bash(rm *)"]}}
    assert [*load(project).untrusted] == [str(path)]
    assert [verdict(hookkit, project, line) for line in ("rm x", "ls")] == ["deny", ""]
    assert hookkit("trust", cwd=project).returncode == 0
    assert [*load(project).untrusted] == []
    assert [verdict(hookkit, project, line) for line in ("rm x", "ls")] == ["deny", "allow"]
    assert verdict(hookkit, project, "rm x", actor="b") == ""
    put(project, DENY + "# changed\n")
    assert [*load(project).untrusted] == [str(path)]


def test_it_stands_beside_the_projects_own_file(project: Path, hookkit: Run) -> None:
    put(project, DENY)
    (project / "hookkit.toml").write_text('[actors.a]\ndeny = ["Bash(cp *)"]\n')
    assert lists(project)["a"]["deny"] == ["Bash(cp *)", "Bash(rm *)"]
    done = hookkit("trust", cwd=project)
    assert done.returncode == 0
    assert [*load(project).untrusted] == []


def test_a_mistake_is_told_of_and_the_file_cannot_be_trusted(project: Path, hookkit: Run) -> None:
    path = put(project, "version: 3\n")
    assert load(project).broken == [
        f'{path}:1:10: hookkit reads version 2.0, not 3 (write version: "2.0"); the rest of the file counts'
    ]
    assert hookkit("trust", cwd=project).returncode == 1


def test_it_is_read_once_and_then_kept(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(project, DENY)
    first = lists(project)
    monkeypatch.setattr(genesis, "GenesisFile", lambda *_: pytest.fail("read again"))
    assert lists(project) == first
