"""Rows of `[[hooks]]` in the files of every layer: mistakes, cocode's files, rows that a person adds."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.pipeline import Invocation
from hookkit.settings import hook_rows, layers
from hookkit.settings.documents.toml_text import written
from hookkit.settings.mistakes import SettingsCheck
from hookkit.settings.reading import TomlFile


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"event": "PreTolUse", "command": {"command": "x"}}, "event: there is no event 'PreTolUse'"),
        ({"event": "Stop"}, "expected one handler, not none"),
        ({"event": "Stop", "shell": {"command": "x"}, "prompt": {"prompt": "x"}}, "not shell and prompt"),
        ({"event": "Stop", "command": {"comand": "x"}}, "command: unknown field comand"),
        ({"event": "Stop", "command": {}}, "command: missing command"),
        ({"event": "Stop", "command": {"command": 5}}, "command: command: expected text, or a list of texts, not 5"),
        ({"event": "Stop", "webhook": {"url": "ftp://x"}}, "webhook: url: expected http:// or https://"),
        ({"event": "Stop", "webhook": {"url": "http://x", "method": "Get"}}, "method: expected one of post, put"),
        ({"event": "Stop", "inline": {"function": "checks.py"}}, "function: expected file.py:name"),
        ({"event": "Stop", "command": {"command": "x"}, "mode": "paralel"}, "mode: expected one of sequence, parallel"),
        ({"event": "Stop", "command": {"command": "x"}, "matcher": "^("}, "matcher: not a regular expression"),
        ({"event": "Stop", "command": {"command": "x"}, "if": "Bash(x)"}, "if: this event is not about a tool"),
        ({"event": "PreToolUse", "command": {"command": "x"}, "if": "Bash(x"}, "if: "),
        ({"event": "Stop", "command": {"command": "x"}, "timeout_sec": 0}, "timeout_sec: expected a number of seconds"),
        ({"command": {"command": "x"}}, "missing event"),
    ],
)
def test_a_mistake_in_a_row_is_named(row: dict[str, Any], said: str) -> None:
    checked = SettingsCheck({"hooks": [row]}, "/")
    assert any(said in defect.message for defect in checked.defects)
    assert checked.values["hooks"] == []


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = ["event", "matcher", "if", "mode", "timeout_sec", "scope", *hook_rows.SPELLED]


@settings(deadline=None)  # a busy machine
@given(st.dictionaries(st.sampled_from(NAMES), ANY | st.sampled_from(["Stop", "PreToolUse"]), max_size=6))
def test_any_row_is_right_or_a_mistake(row: dict[str, Any]) -> None:
    """A row without a mistake can be normalised."""
    checked = SettingsCheck({"hooks": [row]}, "/")
    for right in checked.values.get("hooks", []):
        assert hook_rows.normal(right, "user", "/x")["event"]


@settings(deadline=None)  # a busy machine
@given(
    st.dictionaries(st.text(max_size=5), st.text() | st.integers() | st.booleans() | st.lists(st.text()), max_size=5)
)
def test_what_the_writer_writes_reads_the_same(table: dict[str, Any]) -> None:
    """Except lone surrogates and line ends that TOML does not have."""
    clean = json.loads(json.dumps(table).encode("utf-8", "replace").replace(b"\\ud", b"x"))
    clean = {name.replace("\r", ""): value for name, value in clean.items()}
    file = TomlFile("/x", written({"hooks": [clean]}))
    assert file.document.problem is None
    assert file.document.data.get("hooks", [{}])[0] == clean


COCODE = """
[[hooks]]
event = "PreToolUse"
tool_matcher = "Bash*"
name = "c"
[hooks.shell]
command = "exit 3"
"""


def ask(project: Path) -> Any:
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(project), "tool_name": "Bash",
             "tool_input": {"command": "git status"}, "tool_use_id": "t"}  # fmt: skip
    text = Invocation("run", [], dict(os.environ)).answer(json.dumps(event).encode())
    return json.loads(text) if text else None


def test_rows_of_cocodes_own_file_keep_its_defaults(home: Path, project: Path) -> None:
    """A failure rejects, stdout is not read."""
    path = home / ".config" / "cocode" / "hooks.toml"
    path.parent.mkdir(parents=True)
    path.write_text(COCODE)
    assert ask(project)["hookSpecificOutput"]["permissionDecisionReason"] == "c failed: exited with 3"
    path.write_text(COCODE.replace('"exit 3"', """'echo {\\"Reject\\":{\\"reason\\":\\"no\\"}}'"""))
    assert ask(project) is None


def test_a_projects_cocode_file_needs_trust(project: Path, hookkit: Any) -> None:
    path = project / ".cocode" / "hooks.toml"
    path.parent.mkdir()
    path.write_text(COCODE)
    assert "is not trusted: " in ask(project)["systemMessage"]
    assert hookkit("trust", cwd=project).returncode == 0
    assert ask(project)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_the_documents_flat_json_runs(home: Path, project: Path) -> None:
    path = home / ".config" / "cocode" / "hooks.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"hooks": {"PreToolUse": [{"matcher": "Bash", "command": "echo no >&2; exit 2"}]}}')
    assert ask(project)["hookSpecificOutput"]["permissionDecisionReason"] == "no"


def test_only_the_managed_file_has_policy_rows(home: Path, project: Path) -> None:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text('[[hooks]]\nevent = "Stop"\nscope = "policy"\n[hooks.shell]\ncommand = "x"\n')
    [row] = layers.load(str(project), dict(os.environ)).values["hooks"]
    assert row["scope"] == "session"


def test_a_person_adds_and_removes_a_handler(project: Path, hookkit: Any, tmp_path: Path) -> None:
    words = ("hook", "add", "PreToolUse", "--matcher", "Bash", "--command", "echo no >&2; exit 2", "--name", "check")
    assert hookkit(*words, cwd=project).returncode == 0
    assert ask(project)["hookSpecificOutput"]["permissionDecisionReason"] == "no"
    assert ask(tmp_path) is None, "another project"
    listed = json.loads(hookkit("hook", "list", "-o", "json", cwd=project).stdout)
    assert [(row["name"], row["scope"]) for row in listed] == [("check", "session")]
    assert hookkit("hook", "remove", "check", cwd=project).returncode == 0
    assert hookkit("hook", "remove", "check", cwd=project).returncode == 1
    assert ask(project) is None
    assert hookkit("hook", "add", "PreTolUse", "--command", "x", cwd=project).returncode == 2


def test_a_name_stands_for_one_handler_of_a_project(project: Path, hookkit: Any, tmp_path: Path) -> None:
    words = ("hook", "add", "PreToolUse", "--command", "x", "--name", "check")
    assert hookkit(*words, cwd=project).returncode == 0
    again = hookkit(*words, cwd=project)
    assert (again.returncode, b"hookkit hook remove check" in again.stderr) == (1, True)
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    assert hookkit(*words, cwd=other).returncode == 0, "another project"
    assert hookkit(*words, "--session", "s", cwd=project).returncode == 0, "one session"
    assert hookkit("hook", "remove", "check", cwd=project).stdout == b"Removed 2 handlers of the name check.\n"
    assert hookkit("hook", "remove", "check", cwd=other).returncode == 0, "a handler of another project stays"


def test_a_wrong_event_is_named_with_the_event_that_is_meant(project: Path, hookkit: Any) -> None:
    done = hookkit("hook", "add", "pretooluse", "--command", "x", cwd=project)
    assert (done.returncode, b"did you mean PreToolUse?" in done.stderr) == (2, True)
