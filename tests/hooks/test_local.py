"""LOCAL.md: the parts that rows in tests/cases/local.jsonl cannot show."""

import json
import os
import stat
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from hookkit.pipeline import Invocation
from hookkit.system import clipping
from tests.conftest import HOOKKIT


def prompt(project: Path, text: str = "hi", session: str = "s1") -> dict[str, Any]:
    return {"hook_event_name": "UserPromptSubmit", "prompt": text, "session_id": session, "cwd": str(project)}


def context(event: dict[str, Any]) -> str:
    call = Invocation("local", [], dict(os.environ))
    text = call.answer(json.dumps(event).encode())
    assert call.problems == []
    return str(json.loads(text)["hookSpecificOutput"]["additionalContext"]) if text else ""


@pytest.mark.parametrize("text", ["hi", "continue"])
def test_of_twenty_first_prompts_at_once_one_injects(project: Path, text: str) -> None:
    (project / "LOCAL.md").write_text("note")
    raw = json.dumps(prompt(project, text)).encode()
    calls = [
        subprocess.Popen([HOOKKIT, "local"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project)
        for _ in range(20)
    ]
    for call in calls:  # all wait on stdin first, so they start together
        assert call.stdin is not None
        call.stdin.write(raw)
        call.stdin.flush()
    replies = [call.communicate()[0] for call in calls]
    assert sum(bool(reply) for reply in replies) == 1
    assert [call.returncode for call in calls] == [0] * 20


def test_the_state_is_private_and_ignored_by_git(project: Path) -> None:
    (project / "LOCAL.md").write_text("note")
    assert context(prompt(project))
    folder = project / ".claude" / "tmp"
    assert stat.S_IMODE((folder / "local-s1").stat().st_mode) == 0o600
    assert (folder / ".gitignore").read_text() == "*\n"


def test_changed_notes_are_sent_again_when_asked_for(project: Path) -> None:
    (project / "LOCAL.md").write_text("old")
    assert "old" in context(prompt(project))
    (project / "LOCAL.md").write_text("new")
    assert context(prompt(project)) == ""
    assert "new" in context(prompt(project, "continue"))
    assert context(prompt(project, "continue")) == ""


@pytest.mark.parametrize("filler", ["x", "ä", "🎉", "word "])
def test_long_notes_are_cut_with_a_mark_and_the_rules_kept(project: Path, filler: str) -> None:
    (project / "LOCAL.md").write_text(filler * 30_000)
    text = context(prompt(project))
    assert clipping.LIMIT - 2 <= clipping.length(text) <= clipping.LIMIT
    assert f"\n[… cut by hookkit: read the rest in {project}/LOCAL.md]\n\n# Rules" in text


def test_notes_with_many_large_imports_are_read_only_as_far_as_there_is_room(project: Path) -> None:
    """Fifty imports of a megabyte cost what one costs; the model learns where the rest is."""
    names = [f"docs/{number}.md" for number in range(50)]
    (project / "docs").mkdir()
    for name in names:
        (project / name).write_text("@ word /\n" * 100_000)
    (project / "LOCAL.md").write_text("begin\n" + "".join(f"@{name}\n" for name in names))
    start = time.process_time()
    text = context(prompt(project))
    assert time.process_time() - start < 0.5
    assert clipping.LIMIT - 10 <= clipping.length(text) <= clipping.LIMIT
    assert text.startswith(f"# LOCAL.md ({project}/LOCAL.md)\n\nbegin\n@ word /\n")
    mark = f"[… cut by hookkit: read the rest in {project}/docs/0.md, {project}/LOCAL.md]\n\n# Rules"
    assert mark in text


def test_imports_that_fit_are_whole(project: Path) -> None:
    (project / "one.md").write_text("x" * 4_000)
    (project / "two.md").write_text("y" * 4_000)
    (project / "LOCAL.md").write_text("@one.md\n@two.md\nend\n")
    text = context(prompt(project))
    assert f"{'x' * 4_000}\n{'y' * 4_000}\nend\n\n# Rules" in text
    assert "cut by hookkit" not in text


def test_notes_that_link_out_of_the_project_are_not_read(project: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("SECRET")
    (project / "LOCAL.md").symlink_to(tmp_path / "secret")
    assert "[LOCAL.md not read: it leads out of the project]" in context(prompt(project))


def test_an_import_is_not_followed_through_a_link_that_leaves_the_project(project: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "notes.md").write_text("SECRET")
    (project / "docs").symlink_to(tmp_path / "outside")
    (project / "LOCAL.md").write_text("@docs/notes.md")
    text = context(prompt(project))
    assert "SECRET" not in text
    assert "[notes.md not read: it leads out of the project]" in text


def test_a_link_within_the_project_is_followed(project: Path) -> None:
    (project / "notes.md").write_text("inside")
    (project / "LOCAL.md").symlink_to("notes.md")
    assert "inside" in context(prompt(project))


@pytest.mark.parametrize("kind", ["fifo", "directory", "dangling"])
def test_notes_that_are_no_file_do_not_hang_the_hook(project: Path, kind: str) -> None:
    path = project / "LOCAL.md"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to("gone")
    assert "[LOCAL.md not read: it is not a regular file]" in context(prompt(project))


def test_state_is_not_written_through_a_planted_link(project: Path, tmp_path: Path, home: Path) -> None:
    """The project's own folder leads elsewhere, so the marker goes to hookkit's state."""
    (project / "LOCAL.md").write_text("note")
    (tmp_path / "elsewhere").mkdir()
    (project / ".claude").mkdir()
    (project / ".claude" / "tmp").symlink_to(tmp_path / "elsewhere")
    assert context(prompt(project))
    assert context(prompt(project)) == ""
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert (home / ".local/state/hookkit/sessions/local-s1").exists()


def test_a_planted_state_file_that_links_out_is_not_followed(project: Path, tmp_path: Path) -> None:
    (project / "LOCAL.md").write_text("note")
    (tmp_path / "victim").write_text("precious")
    folder = project / ".claude" / "tmp"
    folder.mkdir(parents=True)
    (folder / "local-s1").symlink_to(tmp_path / "victim")
    call = Invocation("local", [], dict(os.environ))
    call.answer(json.dumps(prompt(project, "continue")).encode())
    assert (tmp_path / "victim").read_text() == "precious"


def test_a_hostile_session_id_stays_in_the_folder(project: Path) -> None:
    (project / "LOCAL.md").write_text("note")
    for session in ["../../x", "/etc/passwd", "a/b", "x" * 5000, "\0", "..", "ü", "a b;c"]:
        assert context(prompt(project, session=session))
        assert context(prompt(project, session=session)) == ""
    assert {path.parent for path in project.rglob("local-*")} == {project / ".claude" / "tmp"}


def test_old_markers_are_forgotten(project: Path) -> None:
    (project / "LOCAL.md").write_text("note")
    old = project / ".claude" / "tmp" / "local-old"
    old.parent.mkdir(parents=True)
    old.touch()
    os.utime(old, (0, 0))
    assert context(prompt(project))
    assert not old.exists()
