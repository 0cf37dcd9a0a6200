"""Variables of a project's files that could switch hooks off are named, for the agents that read these files."""

from pathlib import Path

import pytest

from hookkit.system import client_settings


@pytest.mark.parametrize(
    ("name", "text", "agent", "told"),
    [
        (".claude/settings.json", '{"env": {"LD_PRELOAD": "x", "A": "b"}}', "claude", "LD_PRELOAD"),
        (".claude/settings.local.json", '{"env": {"HOOKKIT_ACTOR": "human:me"}}', "claude", "HOOKKIT_ACTOR"),
        (".claude/settings.json", '{"env": {"CLAUDE_CODE_SHELL_PREFIX": "x"}}', "claude", "CLAUDE_CODE_SHELL_PREFIX"),
        (".claude/settings.json", '{"env": {"PYTHONPATH": "x"}}', "claude", ""),
        (".claude/settings.json", '{"env": ["LD_PRELOAD"]}', "claude", ""),
        (".claude/settings.json", '{"env": ', "claude", ""),
        (".env", "A=b\nexport BASH_ENV=x\n", "gemini", "BASH_ENV"),
        (".qwen/.env", "LD_AUDIT = x", "qwen", "LD_AUDIT"),
        (".env", "LD_PRELOAD=x", "claude", ""),
    ],
)
def test_variables_that_steer_hooks_are_named(tmp_path: Path, name: str, text: str, agent: str, told: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    rows = [*client_settings.found(str(tmp_path), [agent])]
    assert [said.partition(":")[0] for _, said in rows] == ([f"sets {told}"] if told else [])
