"""The status line and the files offered after `@`."""

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from hookkit.hooks._screen import statusline, suggest_files

FIELDS: dict[str, Any] = {
    "session_id": "s", "model": {"display_name": "Opus"}, "context_window": {"used_percentage": 12},
}  # fmt: skip


def line(hookkit: Any, project: Path, **fields: Any) -> str:
    stdin = {**FIELDS, "cwd": str(project), "workspace": {"current_dir": str(project), "project_dir": str(project)}}
    text = str(hookkit("statusline", stdin=json.dumps({**stdin, **fields}).encode(), cwd=project).stdout.decode())
    for code in (statusline.DIM, statusline.PLAIN):
        text = text.replace(code, "")
    return text.rstrip("\n")


@pytest.fixture
def wired(project: Path) -> Path:
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text('{"hooks": {"Stop": [{"hooks": ["hookkit run"]}]}}')
    (project / ".git" / "HEAD").write_text("ref: refs/heads/topic\n")
    return project


def test_the_line_names_model_context_and_branch(hookkit: Any, wired: Path) -> None:
    assert line(hookkit, wired) == "Opus · 12% context · topic"


@pytest.mark.parametrize("name", ["statusline", "suggest-files"])
def test_no_question_gives_no_answer_and_no_error(hookkit: Any, project: Path, name: str) -> None:
    assert hookkit(name, stdin=b"\n", cwd=project).stdout == b""
    assert hookkit("errors").stdout == b"No errors.\n"


def test_the_context_warns(hookkit: Any, wired: Path) -> None:
    assert f"{statusline.YELLOW}70% context" in line(hookkit, wired, context_window={"used_percentage": 70})
    assert f"{statusline.RED}90% context" in line(hookkit, wired, context_window={"used_percentage": 90})


def test_denied_calls_of_the_session_are_counted(hookkit: Any, wired: Path) -> None:
    call = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(wired), "tool_name": "Bash",
            "tool_input": {"command": "rm -rf ~"}, "tool_use_id": "t"}  # fmt: skip
    hookkit("run", stdin=call)
    assert line(hookkit, wired).endswith(f"{statusline.YELLOW}1 denied")
    assert "denied" not in line(hookkit, wired, session_id="other")


def test_hookkit_off_is_said(hookkit: Any, project: Path) -> None:
    assert line(hookkit, project).endswith("hookkit off")


def test_the_effort_and_its_phase(hookkit: Any, wired: Path, home: Path) -> None:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[sessions]\nparts = ['track']\n")
    hookkit("run", stdin={"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(wired), "source": "startup"})
    assert hookkit("effort", "start", "fix", cwd=wired).returncode == 0
    hookkit("run", stdin={"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(wired), "prompt": "x"})
    assert "fix 1" in line(hookkit, wired)


def test_a_command_of_the_users_replaces_the_line(hookkit: Any, wired: Path, home: Path) -> None:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[statusline]\ncommand = 'echo mine; echo two'\n")
    assert line(hookkit, wired) == "mine\ntwo"
    path.write_text("disable_all_hooks = true\n[statusline]\ncommand = 'echo mine'\n")
    assert line(hookkit, wired) == ""
    path.write_text("[statusline]\ncommand = 'exit 1'\n")
    assert line(hookkit, wired) == ""


@pytest.mark.parametrize("stdin", [b"", b"{", b"[]", b'{"model": 5, "cwd": 7}', b'{"query": 5}'])
def test_any_question_is_answered_with_exit_0(hookkit: Any, stdin: bytes) -> None:
    for name in ("statusline", "suggest-files"):
        done = hookkit(name, stdin=stdin)
        assert (done.returncode, done.stderr) == (0, b"")


def test_git_decides_which_files_are_offered(hookkit: Any, tmp_path: Path) -> None:
    project = tmp_path / "p"
    subprocess.run(["git", "init", "--quiet", str(project)], check=True)
    for name in ("src/main.py", "src/domain.py", "docs/main.md", "secret.log", ".gitignore"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("*.log\n")
    ask = json.dumps({"query": "main", "cwd": str(project)}).encode()
    assert hookkit("suggest-files", stdin=ask).stdout.decode().split() == [
        "src/main.py",
        "docs/main.md",
        "src/domain.py",
    ]
    ask = json.dumps({"query": "log", "cwd": str(project)}).encode()
    assert hookkit("suggest-files", stdin=ask).stdout == b""


def test_a_new_file_shows_up_after_the_list_is_made_again(hookkit: Any, project: Path, home: Path) -> None:
    ask = json.dumps({"query": "new", "cwd": str(project)}).encode()
    assert hookkit("suggest-files", stdin=ask).stdout == b""
    (project / "new.py").touch()
    [kept] = (home / ".local/state/hookkit/files").iterdir()
    for _ in range(100):
        subprocess.run(["touch", "-d", "1 hour ago", str(kept)], check=True)
        if hookkit("suggest-files", stdin=ask).stdout == b"new.py\n":
            return
        time.sleep(0.1)
    raise AssertionError("the list is never made again")


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("pipeline", "hookkit/pipeline.py"),
        ("hk/pipe", "hookkit/pipeline.py"),
        ("pipelnie", "hookkit/pipeline.py"),
        ("TEST_PIPE", "tests/test_pipeline.py"),
        ("handlers/", "hookkit/handlers/answer.py"),
    ],
)
def test_the_best_match_comes_first(query: str, best: str) -> None:
    names = ["README.md", "hookkit/pipeline.py", "tests/test_pipeline.py", "hookkit/handlers/answer.py"]
    assert suggest_files.ranked(query, names)[0] == best
