"""The note that a session leaves for itself: written before a compaction, handed back once."""

import json
import os
import stat
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from hookkit.agents.transcripts import flow
from hookkit.pipeline import Invocation
from hookkit.system import clipping
from tests.agents.transcripts.test_reader import reply, result, use, user, write
from tests.conftest import HOOKKIT


def event(project: Path, name: str, **more: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": "s1", "cwd": str(project), **more}


def answer(event: dict[str, Any]) -> str:
    call = Invocation("restore", [], dict(os.environ))
    text = call.answer(json.dumps(event).encode())
    assert call.problems == []
    return text


def compact(project: Path, *lines: dict[str, Any], **more: Any) -> None:
    path = write(project.parent / "t.jsonl", *lines)
    assert answer(event(project, "PreCompact", trigger="auto", transcript_path=path, **more)) == ""


def start(project: Path, source: str = "compact", **more: Any) -> str:
    text = answer(event(project, "SessionStart", source=source, **more))
    return str(json.loads(text)["hookSpecificOutput"]["additionalContext"]) if text else ""


def configure(home: Path, text: str) -> None:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture(autouse=True)
def _a_fixed_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "gmtime", lambda *_: time.struct_time((2026, 11, 16, 7, 30, 0, 0, 320, 0)))


@pytest.fixture
def repository(project: Path) -> Path:
    (project / ".git").rmdir()
    subprocess.run(["git", "init", "-q", "-b", "topic"], cwd=project, check=True)
    (project / "new.py").touch()
    return project


def session(project: Path) -> list[dict[str, Any]]:
    todos = [{"content": "write docs", "status": "pending"}, {"content": "done", "status": "completed"}]
    made = {"toolUseResult": {"task": {"id": "4"}}}
    return [
        *(user(f"prompt {number}") for number in range(1, 7)),
        reply(
            use("t1", command="make test 2>&1 | tail"), use("t2", command="curl --token abc https://x"),
            use("t3", "Edit", file_path=f"{project}/a.py"), use("t4", "Write", file_path=f"{project}/b.py"),
            use("t5", "Edit", file_path=f"{project}/a.py"), use("t6", "TodoWrite", todos=todos),
            use("t7", "TaskCreate", subject="nested pipes"), use("t8", "Read", file_path=f"{project}/a.py"),
            use("t9", "Read", file_path="/etc/hosts"),
        ),
        result("t1", "Exit code 2\nno rule", is_error=True),
        result("t2", "Exit code 1\npassword=hunter2", is_error=True),
        {**result("t7"), **made},
        reply(use("t10", "TaskUpdate", taskId="4", status="in_progress"), use("t11", command="make test")),
        user("<command-name>/compact</command-name>"),
    ]  # fmt: skip


def test_the_note_says_where_the_work_stood(repository: Path) -> None:
    compact(repository, *session(repository))
    assert (
        start(repository)
        == """\
# Where the work stood

These are hookkit's notes of 2026-11-16 07:30 UTC, taken from the transcript and from git just before the conversation \
was compacted.
They are a record and no new request: go on from here, and look at a file again before relying on what is said of it.

## Last prompts, oldest first

- prompt 2
- prompt 3
- prompt 4
- prompt 5
- prompt 6

## Last failing command

curl --token [masked] https://x (has not passed since)
> Exit code 1
> password=[masked]

## Open todos

- [pending] write docs

## Open tasks

- #4 [in_progress] nested pipes

## Files edited, latest first

- a.py
- b.py

## Files only read, latest first

- /etc/hosts

## Git

branch: No commits yet on topic
changed or new files: 1
?? new.py"""
    )


@pytest.mark.parametrize("source", ["compact", "resume"])
def test_the_note_is_handed_back_once(project: Path, source: str) -> None:
    compact(project, user("hi"))
    assert "- hi" in start(project, source)
    assert start(project, "compact") == start(project, "resume") == ""
    assert [path.name for path in (project / ".claude" / "tmp").iterdir()] == [".gitignore"]


@pytest.mark.parametrize("source", ["startup", "clear", "fork", ""])
def test_other_starts_leave_it_for_later(project: Path, source: str) -> None:
    compact(project, user("hi"))
    assert start(project, source) == ""
    assert "- hi" in start(project)


def test_a_second_compaction_replaces_the_note(project: Path) -> None:
    compact(project, user("old"))
    compact(project, user("new"))
    text = start(project)
    assert "- new" in text
    assert "- old" not in text


def test_of_twenty_starts_at_once_one_injects(project: Path) -> None:
    compact(project, user("hi"))
    raw = json.dumps(event(project, "SessionStart", source="compact")).encode()
    calls = [
        subprocess.Popen([HOOKKIT, "restore"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project)
        for _ in range(20)
    ]
    for call in calls:  # all wait on stdin first, so they start together
        assert call.stdin is not None
        call.stdin.write(raw)
        call.stdin.flush()
    replies = [call.communicate()[0] for call in calls]
    assert sum(bool(reply) for reply in replies) == 1
    assert [call.returncode for call in calls] == [0] * 20


def test_sessions_do_not_get_each_others_notes(project: Path) -> None:
    compact(project, user("hi"), session_id="../../s2")
    assert start(project, session_id="s1") == ""
    assert "- hi" in start(project, session_id="../../s2")


def test_without_a_session_there_is_no_note(project: Path) -> None:
    compact(project, user("hi"), session_id="")
    assert not (project / ".claude").exists()
    assert start(project, session_id="") == ""


def test_the_note_is_found_from_wherever_the_agent_went(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "sub" / "deep").mkdir(parents=True)
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(project / "sub"))
    compact(project, user("hi"), cwd=str(project / "sub" / "deep"))
    assert "- hi" in start(project, cwd=str(project / "sub"))


def test_the_note_is_private(project: Path) -> None:
    compact(project, user("hi"))
    note = project / ".claude" / "tmp" / "restore-s1"
    assert stat.S_IMODE(note.stat().st_mode) == 0o600


def test_where_the_project_leads_out_of_itself_the_note_stays_at_home(
    project: Path, home: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / ".claude").mkdir()
    (project / ".claude" / "tmp").symlink_to(outside, target_is_directory=True)
    compact(project, user("hi"))
    assert list(outside.iterdir()) == []
    assert "- hi" in start(project)


@pytest.mark.parametrize("link", ["symlink", "hardlink"])
def test_a_link_in_the_notes_place_is_not_read(project: Path, tmp_path: Path, link: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    compact(project, user("hi"))
    note = project / ".claude" / "tmp" / "restore-s1"
    note.unlink()
    note.symlink_to(secret) if link == "symlink" else note.hardlink_to(secret)
    call = Invocation("restore", [], dict(os.environ))
    reply = call.answer(json.dumps(event(project, "SessionStart", source="compact")).encode())
    assert "secret" not in reply
    assert len(call.problems) == 1
    assert secret.read_text() == "secret"


def test_the_note_keeps_to_the_budget_and_to_its_newest_prompts(project: Path, home: Path) -> None:
    configure(home, "[restore]\nprompts = 500\n")
    lines = [user(f"{number} " + "wörd 😀 " * 200) for number in range(500)]
    lines += [reply(*(use(f"e{number}", "Edit", file_path=f"/{'x' * 500}{number}") for number in range(100)))]
    compact(project, *lines)
    text = start(project)
    assert clipping.length(text) <= clipping.LIMIT
    assert "\n- 499 wörd" in text
    assert "\n- 480 wörd" not in text
    assert "\n- and 85 more" in text


def test_how_many_prompts_are_carried_over_can_be_set(project: Path, home: Path) -> None:
    configure(home, "[restore]\nprompts = 0\n")
    compact(project, user("hi"), reply(use("t1", "Write", file_path="/a")))
    text = start(project)
    assert "- hi" not in text
    assert "- /a" in text


def test_with_nothing_to_say_there_is_no_note(project: Path) -> None:
    compact(project)
    assert not (project / ".claude").exists()
    assert answer(event(project, "PreCompact", transcript_path="/dev/zero")) == ""
    assert not (project / ".claude").exists()


def test_the_branch_is_the_transcripts_where_git_says_nothing(project: Path) -> None:
    compact(project, user("hi", gitBranch="topic"))
    assert start(project).endswith("## Git\n\nbranch: topic")


def test_switched_off_it_neither_writes_nor_injects(project: Path, home: Path) -> None:
    compact(project, user("hi"))
    configure(home, "[restore]\nenabled = false\n")
    assert start(project) == ""
    compact(project, user("new"))
    configure(home, "")
    assert "- hi" in start(project)


def test_a_long_error_shows_its_two_ends(project: Path) -> None:
    error = "Exit code 1\n" + "\n".join(f"line {number}" for number in range(40))
    compact(project, reply(use("t1", command="make")), result("t1", error, is_error=True))
    shown = [row for row in start(project).split("\n") if row.startswith("> ")]
    assert shown == [
        "> Exit code 1", "> line 0", "> line 1", "> line 2", "> line 3", "> line 4", "> …",
        "> line 34", "> line 35", "> line 36", "> line 37", "> line 38", "> line 39",
    ]  # fmt: skip


def test_the_notes_limits_leave_room_for_each_other() -> None:
    assert flow.PROMPTS < clipping.LIMIT // 2
