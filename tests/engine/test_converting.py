"""Hooks of one format as another; parts without an equal are listed."""

import json
from pathlib import Path
from typing import Any

import pytest

from hookkit.documents.toml_text import TomlDocument
from hookkit.engine import converting
from hookkit.settings.mistakes import SettingsCheck

SKILL = """---
name: lint
hooks:
  PreToolUse:
    - matcher: "Write|Edit"
      hooks:
        - type: command
          command: "npm run lint --fix"
          timeout: 60
          once: true
---
text
"""
SETTINGS = {"hooks": {"Stop": [{"hooks": [
    {"type": "http", "url": "https://example.com/h", "headers": {"A": "$K"}, "allowedEnvVars": ["K"]},
    {"type": "mcp_tool", "server": "s", "tool": "t"},
    {"type": "command", "command": "make", "args": ["lint"], "onFailure": "block", "async": True},
]}]}}  # fmt: skip
COCODE = """
[[hooks]]
event = "PreToolUse"
tool_matcher = "Bash*"
timeout_sec = 60
[hooks.shell]
command = "python check.py"
pass_context = true
parse_result = true

[[hooks]]
event = "SubagentStart"
[hooks.webhook]
url = "https://example.com"
method = "Put"
"""
GENESIS = """
version: "2.0"
hooks:
  pre_tool_use:
    - matcher: "Bash(git push*)"
      type: command
      config: {command: "./check.sh", timeout: 5}
    - matcher: "Bash(rm *)"
      type: deny
"""


def rows(path: str, text: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows after a way through hookkit.toml, which has no mistakes."""
    found = converting.read(path, text)
    new, lost = converting.write(found, "hookkit")
    data = TomlDocument("x", new).data
    assert SettingsCheck(data, "/").defects == []
    return data.get("hooks", []), lost


def test_a_skill() -> None:
    command = {"command": "npm run lint --fix"}
    row = {"event": "PreToolUse", "matcher": "Write|Edit", "once": True, "timeout_sec": 60, "command": command}
    assert rows("/x/SKILL.md", SKILL) == ([row], [])


def test_the_clients_settings() -> None:
    found, lost = rows("/x/settings.json", json.dumps(SETTINGS))
    assert found == [
        {"event": "Stop", "on_failure": "continue",
         "webhook": {"url": "https://example.com/h", "headers": {"A": "$K"}, "allowed_env": ["K"]}},
        {"event": "Stop", "on_failure": "reject", "async": True, "command": {"command": ["make", "lint"]}},
    ]  # fmt: skip
    assert lost == ["hooks.Stop[0].hooks[1]: mcp_tool has no equal in hookkit"]


def test_the_flat_json_of_the_document() -> None:
    flat = {"hooks": {"PreToolUse": [{"matcher": "Bash", "command": "validate.sh"}]}, "disableAllHooks": False}
    assert rows("/x/hooks.json", json.dumps(flat)) == (
        [{"event": "PreToolUse", "matcher": "Bash", "command": {"command": "validate.sh"}}],
        [],
    )


def test_command_rules_of_genesis_key() -> None:
    found, lost = rows("/x/genesis.key", GENESIS)
    assert found == [
        {"event": "PreToolUse", "if": "Bash(git push*)", "timeout_sec": 5, "command": {"command": "./check.sh"}}
    ]
    assert lost == ["deny Bash(rm *): a rule, which hookkit reads from genesis.key itself"]


@pytest.mark.parametrize(
    ("target", "expected", "lost"),
    [
        ("claude", {"hooks": {
            "PreToolUse": [{"matcher": "Bash.*",
                            "hooks": [{"type": "command", "command": "python check.py", "timeout": 60}]}],
            "SubagentStart": [{"hooks": [{"type": "http", "url": "https://example.com"}]}]}},
         ["SubagentStart webhook: method = Put"]),
        ("gemini", {"hooks": {"BeforeTool": [{"matcher": "run_shell_command", "sequential": True, "hooks": [
            {"type": "command", "command": "python check.py", "timeout": 60_000}]}]}},
         ["SubagentStart webhook: Gemini CLI has no event like SubagentStart"]),
        ("codex", {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
            {"type": "command", "command": "python check.py", "timeout": 60}]}]}},
         ["SubagentStart webhook: a handler of kind webhook has no equal here"]),
    ],
)  # fmt: skip
def test_rows_for_another_agent(target: str, expected: dict[str, Any], lost: list[str]) -> None:
    text, gone = converting.write(converting.read("/x/hooks.toml", COCODE), target)
    assert json.loads(text) == expected
    assert gone == lost


def test_the_command_writes_a_file_and_never_over_another(hookkit: Any, tmp_path: Path) -> None:
    (tmp_path / "hooks.toml").write_text(COCODE)
    done = hookkit("convert", "hooks.toml", "claude.json", cwd=tmp_path)
    assert (done.returncode, b"not carried over: SubagentStart webhook: method = Put" in done.stderr) == (1, True)
    written = (tmp_path / "claude.json").read_bytes()
    assert hookkit("convert", "hooks.toml", "claude.json", cwd=tmp_path).returncode == 2
    assert (tmp_path / "claude.json").read_bytes() == written
    assert hookkit("convert", "hooks.toml", "claude.json", "--force", cwd=tmp_path).returncode == 1
    assert len(list(tmp_path.glob("claude.json.*.bak"))) == 1
    assert hookkit("convert", "missing.toml", "claude", cwd=tmp_path).returncode == 2
