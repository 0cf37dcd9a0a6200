"""A prompt gets the skill that it is about: the parts that rows in tests/cases/skills.jsonl cannot show."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hookkit.pipeline import Invocation
from hookkit.system import clipping
from tests.conftest import HOOKKIT, Run

PDF = "---\nname: pdf\ndescription: Merge, split and fill PDF files.\n---\n# PDF\n\nUse qpdf.\n"
MERGE = "merge a.pdf and b.pdf"


def write(root: Path, name: str, text: str) -> Path:
    path = root / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def prompt(project: Path, text: str = MERGE, session: str = "s1") -> dict[str, Any]:
    return {"hook_event_name": "UserPromptSubmit", "prompt": text, "session_id": session, "cwd": str(project)}


def context(event: dict[str, Any], hook: str = "nudge") -> str:
    call = Invocation(hook, [], dict(os.environ))
    text = call.answer(json.dumps(event).encode())
    assert call.problems == []
    return str(json.loads(text)["hookSpecificOutput"]["additionalContext"]) if text else ""


def head(path: Path, whose: str) -> str:
    return f'The prompt says "merge", "pdf", so {whose} skill "pdf" may be what it needs. From {path}:\n\n# PDF\n\n'


# --- Where skills are


def test_the_persons_own_skill_wins_over_the_projects_of_the_same_name(project: Path, home: Path) -> None:
    write(project / ".claude", "pdf", PDF)
    mine = write(home / ".claude", "pdf", PDF.replace("qpdf", "pdftk"))
    assert context(prompt(project)) == head(mine, "the user's own") + "Use pdftk."


def test_the_persons_skills_are_where_the_client_is_told(
    project: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home / ".claude", "pdf", PDF)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    assert context(prompt(project)) == ""
    mine = write(tmp_path / "config", "pdf", PDF)
    assert context(prompt(project)) == head(mine, "the user's own") + "Use qpdf."


def test_where_the_session_was_started_counts_beside_the_repository(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = project / "api"
    path = write(api / ".claude", "pdf", PDF)
    (api / "src").mkdir()
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(api))
    assert context(prompt(api / "src")) == head(path, "this project's") + "Use qpdf."


def test_a_project_cannot_bring_a_file_from_outside(project: Path, tmp_path: Path) -> None:
    outside = write(tmp_path, "pdf", PDF)
    (project / ".claude" / "skills" / "pdf").mkdir(parents=True)
    (project / ".claude" / "skills" / "pdf" / "SKILL.md").symlink_to(outside)
    assert context(prompt(project)) == ""


def test_a_file_that_is_swapped_for_a_link_is_no_longer_read(project: Path, tmp_path: Path) -> None:
    path = write(project / ".claude", "pdf", PDF)
    assert context(prompt(project))
    os.rename(path, tmp_path / "SKILL.md")
    path.symlink_to(tmp_path / "SKILL.md")
    assert context(prompt(project, session="s2")) == ""


# --- Once a session


def test_of_sixteen_prompts_at_once_one_gets_the_skill(project: Path) -> None:
    write(project / ".claude", "pdf", PDF)
    raw = json.dumps(prompt(project)).encode()
    calls = [
        subprocess.Popen([HOOKKIT, "nudge"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project)
        for _ in range(16)
    ]
    for call in calls:  # all wait on stdin first, so they start together
        assert call.stdin is not None
        call.stdin.write(raw)
        call.stdin.flush()
    replies = [call.communicate()[0] for call in calls]
    assert sum(bool(reply) for reply in replies) == 1
    assert [call.returncode for call in calls] == [0] * 16


def test_without_a_session_nothing_is_remembered(project: Path) -> None:
    write(project / ".claude", "pdf", PDF)
    event = prompt(project, session="")
    assert context(event) == context(event) != ""
    assert not (project / ".claude" / "tmp").exists()


def test_a_skill_that_changed_is_given_again(project: Path) -> None:
    path = write(project / ".claude", "pdf", PDF)
    assert context(prompt(project))
    path.write_text(PDF.replace("qpdf", "mutool"))
    assert context(prompt(project)) == head(path, "this project's") + "Use mutool."
    assert context(prompt(project)) == ""


def test_the_marker_is_private_and_ignored_by_git(project: Path) -> None:
    write(project / ".claude", "pdf", PDF)
    assert context(prompt(project))
    folder = project / ".claude" / "tmp"
    [marker] = folder.glob("skill-*")
    assert marker.name.startswith("skill-s1-")
    assert stat.S_IMODE(marker.stat().st_mode) == 0o600
    assert (folder / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("enabled", ["true", "false"])
def test_a_compaction_arms_it_again_whether_local_speaks_or_not(project: Path, enabled: str) -> None:
    """`hookkit local` hears of a compaction; it does so for both."""
    write(project / ".claude", "pdf", PDF)
    (project / "LOCAL.md").write_text("note")
    (project / "hookkit.toml").write_text(f"[local]\nenabled = {enabled}\n")
    assert context(prompt(project))
    assert context(prompt(project)) == ""
    event = {"hook_event_name": "SessionStart", "source": "compact", "session_id": "s1", "cwd": str(project)}
    assert bool(context(event, "local")) is (enabled == "true")
    assert context(prompt(project))


# --- Within the budget


def test_a_skill_has_its_own_limit(project: Path) -> None:
    write(project / ".claude", "pdf", PDF + "\n## Merging\n\n" + "x" * 20_000)
    assert 3_900 < clipping.length(context(prompt(project))) <= 4_000
    (project / "hookkit.toml").write_text("[nudge]\nskill_characters = 1000\n")
    assert 900 < clipping.length(context(prompt(project, session="s2"))) <= 1_000
    (project / "hookkit.toml").write_text("[nudge]\nskill_characters = 99999\n")
    assert 9_900 < clipping.length(context(prompt(project, session="s3"))) <= clipping.LIMIT


def test_with_all_that_speaks_the_reply_is_within_the_budget(project: Path) -> None:
    write(project / ".claude", "pdf", PDF + "x" * 20_000)
    (project / "LOCAL.md").write_text("y" * 20_000)
    (project / ".claude" / "agents").mkdir()
    (project / ".claude" / "agents" / "improve.md").touch()
    text = context(prompt(project, f"improve it and {MERGE}"), "run")
    assert text.startswith(f"# LOCAL.md ({project}/LOCAL.md)\n\nyyy")
    assert "When one of these rules keeps you from what was asked, say so" in text
    assert 'The prompt says "improve"' in text
    assert clipping.length(text) <= clipping.LIMIT


# --- In front of people


def test_simulate_shows_the_reason(project: Path, hookkit: Run) -> None:
    write(project / ".claude", "pdf", PDF)
    words = ("--event", "UserPromptSubmit", "--args", MERGE, "--output", "json")
    done = hookkit("simulate", *words, cwd=project)
    hooks = json.loads(done.stdout)["hooks"]
    assert [row["reason"] for row in hooks if row["hook"] == "nudge"] == ['the skill "pdf" ("merge", "pdf")']
    assert not (project / ".claude" / "tmp").exists()


# --- What it costs


# What skills may load beyond a nudge without them: for a prompt about none, about one, and with a slip in it.
LOOKED = {"skills", "skill_cache", "stems", "skill_words"}
TOLD = LOOKED | {"once", "skill_text"}
LOADED = [
    ("run the tests again", LOOKED, {"binascii"}),
    ("the pdf icon is red, and the building learns", LOOKED, {"binascii"}),
    ("merge a.pdf and b.pdf", TOLD, {"binascii", "hookkit.system.clipping"}),
]


def imported(*words: str, **more: Any) -> set[str]:
    done = subprocess.run([sys.executable, "-X", "importtime", *words], capture_output=True, check=True, **more)
    return {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines() if "|" in line}


@pytest.mark.parametrize(("text", "ours", "others"), LOADED)
def test_nothing_more_is_loaded_than_the_prompt_needs(
    project: Path, text: str, ours: set[str], others: set[str], hookkit: Run
) -> None:
    raw = json.dumps(prompt(project, text)).encode()
    usual = imported("-c", "pass") | imported(HOOKKIT, "nudge", input=raw, cwd=project)
    write(project / ".claude", "pdf", PDF)
    for number in range(50):
        write(project / ".claude", f"other-{number}", PDF.replace("PDF", f"kind{number}"))
    assert hookkit("nudge", stdin=prompt(project, "hello"), cwd=project).stdout == b""  # this makes the index
    extra = imported(HOOKKIT, "nudge", input=raw, cwd=project) - usual
    assert extra <= {f"hookkit.prompts.{name}" for name in ours} | others


def test_a_slip_loads_the_library_and_a_plain_prompt_does_not(project: Path) -> None:
    write(project / ".claude", "terraform", "---\ndescription: Modules and state.\n---\nPin it.\n")
    slip, plain = (
        imported(HOOKKIT, "nudge", input=json.dumps(prompt(project, f"write a {word} module")).encode(), cwd=project)
        for word in ("terrafrom", "terraform")
    )
    assert ("rapidfuzz" in slip, "rapidfuzz" in plain) == (True, False)


def test_without_skills_nothing_is_loaded_for_them(project: Path) -> None:
    raw = json.dumps(prompt(project, "merge a.pdf")).encode()
    names = imported(HOOKKIT, "nudge", input=raw, cwd=project)
    assert {name for name in names if name.startswith("hookkit.prompts.")} == {
        "hookkit.prompts.keywords", "hookkit.prompts.nudges", "hookkit.prompts.prose",
    }  # fmt: skip
