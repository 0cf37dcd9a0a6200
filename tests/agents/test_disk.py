"""The policy in the agents' own rules: exact, or not said at all."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from hookkit import registry
from hookkit.agents import _disk
from hookkit.policy import base
from hookkit.settings.documents.toml_text import TomlDocument
from tests.conftest import Run

RULES: list[Any] = [
    {"type": "deny", "match": "Bash(deploy prod *)", "reason": "By hand."},
    {"type": "ask", "match": "Bash(git push:*)"},
    {"type": "deny", "match": "Read(~/.ssh/*)", "unless": ["Bash(stat *)"]},
    {"type": "deny", "match": "Write(/etc/*)"},
    {"type": "ask", "match": "WebSearch"},
    {"type": "allow", "match": "Bash(ls *)"},
    {"type": "deny", "match": "Bash(curl * | sh)"},
    {"type": "deny", "match": "Bash(make deploy)"},
    {"type": "deny", "match": "Bash(npm publish *)", "unless": ["Bash(* --dry-run *)"]},
    {"type": "deny", "match": "Bash(x *)", "actors": ["agent:a"]},
    {"type": "deny", "match": "Read(src/*)"},
    {"type": "deny", "match": "Delete(~)"},
]
LOST = {"Bash(curl * | sh)", "Bash(make deploy)", "Bash(npm publish *)", "Bash(x *)", "Read(src/*)", "Delete(~)"}
PATHS = {"Read(~/.ssh/*)", "Write(/etc/*)"}


def test_claude_code_gets_permission_rules() -> None:
    text, lost = _disk.export("claude", RULES)
    deny = ["Bash(deploy prod *)", "Read(~/.ssh/**)", "Edit(//etc/**)"]
    assert json.loads(text) == {"permissions": {"deny": deny, "ask": ["Bash(git push *)", "WebSearch"]}}
    assert {match for match, _ in lost} == LOST


def test_codex_gets_prefix_rules() -> None:
    """Codex does not start with a rule whose reason is empty."""
    text, lost = _disk.export("codex", RULES)
    why = "The policy of hookkit: ask Bash(git push:*)"
    assert text.splitlines()[1:] == [
        'prefix_rule(pattern = ["deploy", "prod"], decision = "forbidden", justification = "By hand.")',
        f'prefix_rule(pattern = ["git", "push"], decision = "prompt", justification = "{why}")',
    ]
    assert {match for match, _ in lost} == LOST | PATHS | {"WebSearch"}


def test_gemini_gets_rules_by_priority() -> None:
    text, lost = _disk.export("gemini", RULES)
    assert TomlDocument("p.toml", text).data["rule"] == [
        {"toolName": "run_shell_command", "commandPrefix": "deploy prod", "decision": "deny", "priority": 900},
        {"toolName": "run_shell_command", "commandPrefix": "git push", "decision": "ask_user", "priority": 800},
        {"toolName": "google_web_search", "decision": "ask_user", "priority": 800},
    ]
    assert {match for match, _ in lost} == LOST | PATHS


def test_opencode_gets_permissions_with_the_strictest_last() -> None:
    text, _ = _disk.export("opencode", RULES)
    assert list(json.loads(text)["permission"]["bash"].items()) == [("git push *", "ask"), ("deploy prod *", "deny")]


@pytest.mark.parametrize("agent", _disk.parts("native_rules"))
def test_every_pattern_of_the_shipped_policy_is_said_or_listed(agent: str) -> None:
    module = registry.find(f"agents/{agent}", "disk")
    text, lost = _disk.export(agent, base.RULES)
    assert module.CANNOT in {why for _, why in lost}
    assert len(lost) < len(base.RULES)
    assert text == _disk.export(agent, base.RULES)[0]


def test_a_written_file_that_has_drifted_is_named_by_validate(hookkit: Run, home: Path, project: Path) -> None:
    own = home / ".config" / "hookkit" / "hookkit.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[[rules]]\ntype = "deny"\nmatch = "Bash(deploy *)"\n')
    done = hookkit("policy", "export", "--agent", "codex", "--write", cwd=project)
    file = home / ".codex" / "rules" / "hookkit.rules"
    assert (done.returncode, '["deploy"]' in file.read_text()) == (0, True)
    assert "policy export" not in hookkit("validate", cwd=project).stderr.decode()
    own.write_text('[[rules]]\ntype = "deny"\nmatch = "Bash(release *)"\n')
    said = hookkit("validate", cwd=project).stderr.decode()
    assert f"{file} says something else than the policy" in said.replace("\n", " ")
    assert "hookkit policy export --agent codex --write" in said.replace("\n", " ")


@pytest.mark.parametrize(("agent", "file"), [("claude", ".claude/settings.json"),
                                             ("opencode", ".config/opencode/opencode.json")])  # fmt: skip
def test_rules_that_a_person_put_into_an_agents_settings_are_compared_too(
    agent: str, file: str, hookkit: Run, home: Path, project: Path
) -> None:
    """A new rule of the policy is missing there. A file with a rule or two of its own is nobody's export."""
    own, settings = home / ".config" / "hookkit" / "hookkit.toml", home / file
    for path in (own, settings):
        path.parent.mkdir(parents=True, exist_ok=True)
    exported = hookkit("policy", "export", "--agent", agent, cwd=project).stdout
    settings.write_bytes(exported)
    same = hookkit("validate", cwd=project)
    assert (same.returncode, b"rules of the policy" in same.stderr) == (0, False)
    own.write_text('[[rules]]\ntype = "deny"\nmatch = "Bash(release *)"\n')
    said = hookkit("validate", cwd=project).stderr.decode().replace("\n", " ")
    rule = "permissions.deny: Bash(release *)" if agent == "claude" else "permission.bash.release *: deny"
    assert f"{file} lacks rules of the policy: {rule}; " in said
    assert f"add them by hand: hookkit policy export --agent {agent}" in said
    settings.write_text('{"permissions": {"deny": ["Bash(x *)"]}, "permission": {"bash": {"chmod -R 777 *": "ask"}}}')
    assert b"rules of the policy" not in hookkit("validate", cwd=project).stderr


@pytest.mark.parametrize(("words", "said"), [(("nobody",), "--agent takes claude"), (("claude", "--write"), "no file")])
def test_an_agent_without_such_rules_is_named(hookkit: Run, words: tuple[str, ...], said: str) -> None:
    done = hookkit("policy", "export", "--agent", *words)
    assert (done.returncode, said in done.stderr.decode()) == (2, True)


def test_the_file_moves_with_the_agents_home() -> None:
    assert _disk.rules_file("codex", {**os.environ, "CODEX_HOME": "/srv/codex"}) == "/srv/codex/rules/hookkit.rules"
