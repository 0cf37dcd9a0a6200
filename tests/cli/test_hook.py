"""`hookkit hook`: the list of handlers, in a terminal of 80 columns."""

import json
from pathlib import Path

import pytest

from hookkit.settings import hook_rows
from tests.conftest import Run

TEN = "".join(
    f"""[[hooks]]
event = "PreToolUse"
matcher = "Bash|Write"
name = "check-number-{number}"
[hooks.command]
command = "python3 checks/check_{number}.py"
"""
    for number in range(10)
)


@pytest.fixture
def team(project: Path) -> Path:
    (project / "hookkit.toml").write_text(TEN)
    (project / "checks").mkdir()
    for number in range(10):
        (project / "checks" / f"check_{number}.py").write_text("")
    return project


def test_untrusted_handlers_are_listed_as_such(team: Path, hookkit: Run) -> None:
    rows = json.loads(hookkit("hook", "list", "-o", "json", cwd=team).stdout)
    assert [(row["name"], row["state"]) for row in rows] == [
        (f"check-number-{number}", "not trusted") for number in range(10)
    ]
    assert hookkit("hook", "list", cwd=team).stdout.decode().endswith("Read the files, then run: hookkit trust\n")


def test_the_list_has_a_line_a_handler_at_80_columns(team: Path, hookkit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert hookkit("trust", cwd=team).returncode == 0
    lines = hookkit("hook", "list", cwd=team).stdout.decode().splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[:3] for line in lines[1:]] == [
        [f"check-number-{number}", "PreToolUse", "Bash|Write"] for number in range(10)
    ]


def test_a_handler_whose_file_changed_is_listed_as_untrusted(team: Path, hookkit: Run) -> None:
    assert hookkit("trust", cwd=team).returncode == 0
    (team / "checks" / "check_3.py").write_text("import os\n")
    rows = json.loads(hookkit("hook", "list", "-o", "json", cwd=team).stdout)
    assert [row["state"] for row in rows if row["state"]] == ["not trusted: check_3.py changed or is new"]


def test_a_handler_without_a_name_goes_by_its_script_however_deep_it_lies(project: Path, hookkit: Run) -> None:
    command = 'python3 "$CLAUDE_PROJECT_DIR"/tools/agents/hooks/checks/of-every-team/no-main-or-release.py --strict'
    row = {"event": "PreToolUse", "command": {"command": command}}
    (project / "hookkit.toml").write_text(
        f"[[hooks]]\nevent = \"PreToolUse\"\n[hooks.command]\ncommand = '{command}'\n"
    )
    assert b"no-main-or-release.py  PreToolUse" in hookkit("hook", "list", cwd=project).stdout
    assert hook_rows.normal(row, "project", "")["name"] == command.removesuffix(" --strict")
