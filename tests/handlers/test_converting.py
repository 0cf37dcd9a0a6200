"""Hooks of one format as another; parts without an equal are listed."""

import json
from pathlib import Path
from typing import Any

import pytest

from hookkit.handlers import converting
from hookkit.settings.documents.toml_text import TomlDocument
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
    assert rows("/x/SKILL.md", SKILL) == ([{**row, "name": "npm-run-lint"}], [])


def test_the_clients_settings() -> None:
    found, lost = rows("/x/settings.json", json.dumps(SETTINGS))
    assert found == [
        {"event": "Stop", "name": "example.com", "on_failure": "continue",
         "webhook": {"url": "https://example.com/h", "headers": {"A": "$K"}, "allowed_env": ["K"]}},
        {"event": "Stop", "name": "make-lint", "on_failure": "reject", "async": True,
         "command": {"command": ["make", "lint"]}},
    ]  # fmt: skip
    assert lost == ["hooks.Stop[0].hooks[1]: mcp_tool has no equal in hookkit"]


def test_the_flat_json_of_the_document() -> None:
    flat = {"hooks": {"PreToolUse": [{"matcher": "Bash", "command": "validate.sh"}]}, "disableAllHooks": False}
    assert rows("/x/hooks.json", json.dumps(flat)) == (
        [{"event": "PreToolUse", "name": "validate", "matcher": "Bash", "command": {"command": "validate.sh"}}],
        [],
    )


def test_command_rules_of_genesis_key() -> None:
    found, lost = rows("/x/genesis.key", GENESIS)
    assert found == [
        {
            "event": "PreToolUse",
            "name": "check",
            "if": "Bash(git push*)",
            "timeout_sec": 5,
            "command": {"command": "./check.sh"},
        }
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


NO_MAIN = '"$CLAUDE_PROJECT_DIR"/.claude/hooks/no-main.sh'


@pytest.fixture
def settled(project: Path, hookkit: Any, home: Path) -> Path:
    """A project whose own hooks stand beside hookkit in .claude/settings.json."""
    own = {"type": "command", "command": NO_MAIN, "timeout": 5}
    settings = {
        "model": "opus",
        "hooks": {
            "PreToolUse": [{"matcher": "Bash", "hooks": [own, {"type": "mcp_tool", "server": "s"}]}],
            "Stop": [{"hooks": [{**own, "command": "python3 .claude/hooks/no-main.py"}]}],
        },
    }
    path = project / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps(settings, indent=2))
    (project / "hookkit.toml").write_text("# the team's rules\n[policy]\ndefault = 'ask'\n")
    assert hookkit("init", "--yes", "--scope", "project", "--agent", "claude", cwd=project).returncode == 0
    return project


def test_convert_alone_prints_hookkit_toml_without_calls_of_hookkit(settled: Path, hookkit: Any) -> None:
    text = hookkit("convert", ".claude/settings.json", cwd=settled).stdout.decode()
    assert [row["name"] for row in TomlDocument("x", text).data["hooks"]] == ["no-main", "no-main-2"]


def test_moved_hooks_are_out_of_the_old_file_and_run_once(settled: Path, hookkit: Any) -> None:
    old, rules = settled / ".claude" / "settings.json", settled / "hookkit.toml"
    before, wired = old.read_text(), json.loads(old.read_text())["hooks"]
    done = hookkit("convert", ".claude/settings.json", "--move", cwd=settled)
    assert done.returncode == 1, "one hook has no equal and stays"
    assert f"Moved 2 handlers to {rules}: no-main, no-main-2" in done.stdout.decode()
    said = done.stderr.decode()
    assert "stays in the old file: hooks.PreToolUse[0].hooks[1]: mcp_tool has no equal in hookkit" in said
    assert "Run: hookkit trust" in said
    assert "hookkit init" not in said, "the project's own line is enough, also without Claude Code on this machine"
    left = json.loads(old.read_text())
    assert left["model"] == "opus"
    assert NO_MAIN not in old.read_text()
    assert left["hooks"]["PreToolUse"][0]["hooks"] == [{"type": "mcp_tool", "server": "s"}]
    assert left["hooks"]["Stop"] == wired["Stop"][1:], "hookkit's own call stays"
    data = TomlDocument("x", rules.read_text()).data
    assert data["policy"] == {"default": "ask"}
    assert rules.read_text().startswith("# the team's rules\n")
    assert [(row["event"], row["name"], row["timeout_sec"]) for row in data["hooks"]] == [
        ("PreToolUse", "no-main", 5),
        ("Stop", "no-main-2", 5),
    ]
    assert [path.read_text() for path in old.parent.glob("settings.json.*.bak")] == [before]
    assert hookkit("convert", ".claude/settings.json", "--move", cwd=settled).returncode == 1, "nothing is left to move"


def test_doctor_names_hooks_that_run_twice(settled: Path, hookkit: Any) -> None:
    done = hookkit("convert", ".claude/settings.json", cwd=settled)
    (settled / "hookkit.toml").write_text(done.stdout.decode())
    assert hookkit("trust", cwd=settled).returncode == 0
    said = hookkit("doctor", "--agent", "claude", cwd=settled).stdout.decode()
    assert "2 hooks run twice, because hookkit.toml has them too: no-main, no-main-2" in " ".join(said.split())
    hookkit("convert", ".claude/settings.json", "--move", cwd=settled)
    assert "run twice" not in hookkit("doctor", "--agent", "claude", cwd=settled).stdout.decode()


def test_hooks_that_hookkit_toml_has_already_are_only_taken_out(settled: Path, hookkit: Any) -> None:
    """After `convert FILE hookkit.toml`, --move ends the second run instead of adding a third."""
    (settled / "hookkit.toml").unlink()
    done = hookkit("convert", ".claude/settings.json", "hookkit.toml", cwd=settled)
    assert "hookkit convert .claude/settings.json --move" in done.stdout.decode()
    before = (settled / "hookkit.toml").read_text()
    said = hookkit("convert", ".claude/settings.json", "--move", cwd=settled).stdout.decode()
    assert f"{settled}/hookkit.toml has them already: no-main, no-main-2" in said
    assert (settled / "hookkit.toml").read_text() == before
    assert NO_MAIN not in (settled / ".claude" / "settings.json").read_text()


def test_only_claude_codes_settings_are_moved(settled: Path, hookkit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hookkit("convert", "hookkit.toml", "--move", cwd=settled).returncode == 2
    monkeypatch.setenv("CLAUDECODE", "1")
    before = (settled / ".claude" / "settings.json").read_bytes()
    done = hookkit("convert", ".claude/settings.json", "--move", cwd=settled)
    assert (done.returncode, (settled / ".claude" / "settings.json").read_bytes()) == (1, before)


def test_a_link_out_of_the_project_is_not_written_through(settled: Path, hookkit: Any, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.toml").write_text("")
    (settled / "hookkit.toml").unlink()
    (settled / "hookkit.toml").symlink_to(tmp_path / "elsewhere.toml")
    assert hookkit("convert", ".claude/settings.json", "--move", cwd=settled).returncode == 2
    assert (tmp_path / "elsewhere.toml").read_text() == ""
