"""What a condition may ask about."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hookkit.model import Event
from hookkit.policy.conditions import ROOTS
from hookkit.settings.layers import Settings
from hookkit.work.gates import approval
from hookkit.work.gates.answer import GateState


def gather(project: Path, *roots: str, **fields: object) -> dict[str, Any]:
    event = Event("Stop", {"session_id": "s1", "cwd": str(project), **fields})
    known, _ = approval.gather(roots, GateState(event, Settings(dict(os.environ))))
    return known


def git(project: Path, *words: str) -> None:
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@y", *words]
    subprocess.run(command, cwd=project, check=True, capture_output=True)


def test_there_is_a_source_for_every_root_that_the_language_knows() -> None:
    assert tuple(approval.SOURCES) == ROOTS


def test_what_git_says(project: Path) -> None:
    git(project, "init", "-q", "-b", "topic")
    assert gather(project, "git")["git"]["branch"] == "topic"
    (project / "a").write_text("1\n2\n")
    git(project, "add", "a")
    git(project, "commit", "-qm", "a")
    (project / "a").write_text("1\n3\n4\n")
    (project / "new").touch()
    assert gather(project, "git") == {
        "git": {
            "root": str(project),
            "branch": "topic",
            "dirty": True,
            "files": ["a", "new"],
            "insertions": 2,
            "deletions": 1,
        }
    }
    git(project, "stash", "-u")
    git(project, "checkout", "-q", "--detach")
    found = gather(project, "git")["git"]
    assert (found["branch"], found["dirty"], found["files"], found["insertions"]) == ("", False, [], 0)


def test_without_a_repository_git_says_nothing(tmp_path: Path) -> None:
    assert gather(tmp_path, "git") == {"git": {}}


def test_the_event_and_the_session(project: Path) -> None:
    found = gather(project, "event", "session", "unknown", last_assistant_message="hi")
    assert found == {
        "event": {
            "session_id": "s1",
            "cwd": str(project),
            "last_assistant_message": "hi",
            "name": "Stop",
            "project": str(project),
        },
        "session": {"id": "s1", "blocks": 0, "actor": ""},
        "unknown": {},
    }


def test_without_an_effort_there_are_no_facts_about_it(project: Path) -> None:
    assert gather(project, "effort") == {"effort": {}}


@pytest.mark.parametrize(
    ("root", "fields", "unknown"),
    [
        ("effort", {}, "sessions are off, so nothing supplies effort"),
        ("commitment", {}, "sessions are off, so nothing supplies commitment"),
        ("commitment", {"commitment": {"requires_review": False}}, ""),
        ("comitment", {}, "there is no fact 'comitment'"),
        ("event", {}, ""),
    ],
)
def test_a_fact_that_nothing_supplies_is_told(project: Path, root: str, fields: dict[str, Any], unknown: str) -> None:
    event = Event("Stop", {"session_id": "s1", "cwd": str(project), **fields})
    assert approval.gather([root], GateState(event, Settings(dict(os.environ))))[1] == unknown
