"""Approval of the project's own commands: only while the person trusts the files that define them."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from hookkit.pipeline import Invocation
from hookkit.redirect import sources
from tests.conftest import Run

MAKE = "include mk/more.mk\ntest:\n\tpytest\n"
PACKAGE = {"scripts": {"test": "jest", "pretest": "tsc"}, "dependencies": {"a": "1"}}
TOLD = 'hookkit changed "pytest -q" to "make test".'
UNTRUSTED = "hookkit does not approve it: Makefile is not trusted. Read the file, then run: hookkit trust"


def answer(project: Path, command: str = "pytest -q", hook: str = "run", **more: Any) -> dict[str, Any]:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}, **more}
    call = Invocation(hook, [], dict(os.environ))
    reply = call.answer(json.dumps({"session_id": "s", "cwd": str(project), **event}).encode())
    assert call.problems == []
    value = json.loads(reply) if reply else {}
    return {"message": value.get("systemMessage"), **value.get("hookSpecificOutput", {})}


def is_approved(project: Path, command: str = "pytest -q", **more: Any) -> bool:
    said = answer(project, command, **more)
    assert "updatedInput" in said
    return said.get("permissionDecision") == "allow"


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tools of these tests are on the PATH of every machine."""
    (tmp_path / "bin").mkdir()
    for name in ("make", "pytest", "yarn", "uv"):
        (tmp_path / "bin" / name).symlink_to("/bin/sh")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)


@pytest.fixture
def made(project: Path) -> Path:
    (project / "Makefile").write_text(MAKE)
    (project / "mk").mkdir()
    (project / "mk" / "more.mk").write_text("build:\n\ttrue\n")
    return project


def test_trust_lets_a_makefile_run_unasked(made: Path, hookkit: Run) -> None:
    assert not is_approved(made)
    shown = hookkit("trust", cwd=made).stdout.decode().splitlines()
    assert shown == [
        "Makefile  make test, make build",
        "mk/more.mk",
        "Trusted. If a file changes that these commands run, hookkit asks again.",
    ]
    assert is_approved(made)
    assert answer(made)["message"] == TOLD
    assert hookkit("trust", "--revoke", cwd=made).stdout == b"Trust taken back.\n"
    assert not is_approved(made)


@pytest.mark.parametrize("name", ["Makefile", "mk/more.mk"])
def test_a_change_of_a_file_ends_its_trust(made: Path, hookkit: Run, name: str) -> None:
    """An agent that writes the Makefile cannot run it unasked by calling pytest."""
    hookkit("trust", cwd=made)
    assert is_approved(made)
    with (made / name).open("a") as file:
        file.write("more:\n\trm -rf ~\n")
    assert not is_approved(made)


def test_a_new_file_that_make_prefers_is_not_trusted(made: Path, hookkit: Run) -> None:
    hookkit("trust", cwd=made)
    (made / "GNUmakefile").write_text("test:\n\trm -rf ~\n")
    assert not is_approved(made)


def test_an_include_that_is_unknown_is_never_trusted(made: Path, hookkit: Run) -> None:
    (made / "Makefile").write_text("include $(MORE)\ntest:\n\ttrue\n")
    done = hookkit("trust", cwd=made)
    unknown = "includes files that hookkit cannot find"
    assert done.stdout.decode().splitlines()[0] == f"Makefile  cannot be trusted: it {unknown}"
    assert done.returncode == 1
    assert not is_approved(made)
    said = answer(made, session_id="other")["permissionDecisionReason"]
    reason = f"hookkit does not approve it: Makefile {unknown}, so it cannot be trusted"
    assert said == f"{reason} ({TOLD.removesuffix('.')})"


@pytest.mark.parametrize(
    ("rules", "is_left"), [(["Bash(pytest *)"], True), (["Bash(pytest *)", "Bash(make test)"], False), ([], False)]
)
def test_a_call_that_the_client_allows_becomes_no_question(made: Path, rules: list[str], *, is_left: bool) -> None:
    (made / ".claude").mkdir()
    (made / ".claude" / "settings.json").write_text(json.dumps({"permissions": {"allow": rules}}))
    assert ("updatedInput" not in answer(made)) is is_left


def test_a_large_project_is_trusted_file_by_file(project: Path, hookkit: Run) -> None:
    """The limit for the files of one command line is no limit for all files of a project."""
    for number in range(6):
        (project / str(number)).mkdir()
        (project / str(number) / "Makefile").write_text("test:\n\ttrue\n" + "#" * 100_000)
    assert len(hookkit("trust", cwd=project).stdout.decode().splitlines()) == 7
    assert is_approved(project / "5")


def test_a_removed_mark_is_told_and_is_no_matter_of_trust(made: Path) -> None:
    said = answer(made, "ls; !pytest")
    assert said["message"] == 'hookkit changed "!pytest" to "pytest".'


def test_scripts_are_pinned_and_dependencies_are_not(project: Path, hookkit: Run) -> None:
    (project / "package.json").write_text(json.dumps(PACKAGE))
    (project / "yarn.lock").touch()
    hookkit("trust", cwd=project)
    assert is_approved(project, "npm test")
    (project / "package.json").write_text(json.dumps({**PACKAGE, "dependencies": {"a": "2"}}))
    assert is_approved(project, "npm test")
    (project / "package.json").write_text(json.dumps({**PACKAGE, "scripts": {"test": "jest", "pretest": "rm -rf ~"}}))
    assert not is_approved(project, "npm test")


def test_a_package_managers_settings_are_part_of_its_commands(project: Path, hookkit: Run) -> None:
    (project / "package.json").write_text(json.dumps(PACKAGE))
    (project / "yarn.lock").touch()
    hookkit("trust", cwd=project)
    (project / ".npmrc").write_text("script-shell=./evil\n")
    assert not is_approved(project, "npm test")


def test_trust_covers_the_packages_of_a_project_and_not_its_dependencies(project: Path) -> None:
    for place in ("", "packages/a/", "node_modules/b/", ".venv/c/"):
        (project / place).mkdir(parents=True, exist_ok=True)
        (project / place / "package.json").write_text(json.dumps(PACKAGE))
    (project / "packages" / "a" / "gradlew").touch()
    (project / "packages" / "a" / "build.gradle").touch()
    found = {os.path.relpath(path, project): commands for path, commands in sources.of_project(str(project)).items()}
    assert found == {
        "package.json": ["script test"],
        "packages/a/package.json": ["script test"],
        "packages/a/gradlew": ["./gradlew test", "./gradlew build"],
        "packages/a/build.gradle": [],
    }


def test_the_dialog_says_what_was_changed_and_why_it_asks(made: Path) -> None:
    """The client shows a reason before the call, and a message only after the person's answer."""
    said = answer(made)
    assert (said["message"], said["permissionDecision"]) == (TOLD, "ask")
    assert said["permissionDecisionReason"] == f"{UNTRUSTED} ({TOLD.removesuffix('.')})"


@pytest.mark.parametrize("rule", ["Bash", "Bash(make test)", "Bash(make:*)", "Bash(make test *)"])
def test_a_call_that_the_client_allows_is_not_asked_about(made: Path, home: Path, rule: str) -> None:
    """hookkit adds no question where the person's own settings of the client have none."""
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(json.dumps({"permissions": {"allow": [rule]}}))
    assert "permissionDecision" not in answer(made)
    (home / ".claude" / "settings.json").write_text(
        json.dumps({"permissions": {"allow": ["Bash(makeup:*)", "Read", 3]}})
    )
    assert answer(made, session_id="other")["permissionDecision"] == "ask"


def test_an_agent_without_a_dialog_of_ours_is_told_of_trust_once_a_session(project: Path) -> None:
    (project / "pyproject.toml").touch()
    (project / "uv.lock").touch()
    told = 'hookkit changed "pytest -q" to "uv run pytest -q".'
    trust = " hookkit does not approve it: pyproject.toml is not trusted. Read the file, then run: hookkit trust"
    said = [answer(project, permission_mode="auto")["message"] for _ in range(2)]
    assert said == [told + trust, told]


def test_after_a_rewrite_that_could_not_run_the_model_learns_the_way_back(made: Path) -> None:
    answer(made, tool_use_id="toolu_1")
    error = "Exit code 2\n/usr/bin/python: No module named pytest\nmake: *** [Makefile:3: test] Error 1"
    failed = {"hook_event_name": "PostToolUseFailure", "tool_use_id": "toolu_1", "error": error}
    said = answer(made, "make test", hook="hint", **failed)["additionalContext"]
    assert said.endswith("To run the original: command pytest -q")
    other = answer(made, "make test", hook="hint", **{**failed, "tool_use_id": "toolu_2"})["additionalContext"]
    assert other.startswith("The test runner is not in this environment.")


@pytest.mark.parametrize("mode", ["auto", "bypassPermissions", "dontAsk"])
def test_where_nobody_is_asked_an_untrusted_line_stays_as_written(made: Path, hookkit: Run, mode: str) -> None:
    first, second = (answer(made, permission_mode=mode) for _ in range(2))
    assert (set(first), second) == ({"message"}, {"message": None})
    hookkit("trust", cwd=made)
    assert is_approved(made, permission_mode=mode)


def test_nothing_is_read_for_a_line_that_is_denied(made: Path) -> None:
    said = answer(made, "pytest; rm -rf /")
    assert (said["permissionDecision"], said["message"]) == ("deny", None)
    assert "additionalContext" not in said


def test_the_stand_alone_hook_answers_as_the_document_says(made: Path) -> None:
    assert answer(made, hook="redirect") == {
        "message": None,
        "hookEventName": "PreToolUse",
        "permissionDecision": "allow",
        "permissionDecisionReason": "Redirected: test",
        "updatedInput": {"command": "make test"},
    }


@pytest.mark.parametrize("kind", ["fifo", "directory", "large"])
def test_a_file_that_cannot_be_pinned_does_not_hang(project: Path, kind: str) -> None:
    path = project / "gradlew"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        path.write_bytes(b"x" * (sources.LIMIT + 1))
    assert sources.content(str(path)) is None
