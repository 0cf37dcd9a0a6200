"""Sessions and efforts in the real client: what the model is held back by, and what it is handed over."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from hookkit.ledger import queries
from hookkit.ledger.row_index import Ledger
from hookkit.work.store import Work
from tests.conftest import HOOKKIT

from .harness import Run, bash, environment, home_of, wire, write
from .terminal import Sitting

Drive = Callable[..., Run]
Sit = Callable[..., Sitting]
MAY = ("--allowedTools", "Bash")
EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd")


def track(project: Path, settings: str) -> None:
    """The parts that are on, every event wired, and an effort that a person has started."""
    write(home_of(project) / ".config" / "hookkit" / "hookkit.toml", settings)
    wire(project, **dict.fromkeys(EVENTS, "hookkit run"))
    environ = environment(home_of(project))
    subprocess.run([HOOKKIT, "effort", "start", "fix"], cwd=project, env=environ, check=True, capture_output=True)


def work_of(project: Path) -> Work:
    return Work({**os.environ, "HOME": str(home_of(project))})


def test_the_work_is_held_until_a_log_entry_is_written(drive: Drive, project: Path) -> None:
    track(project, "[heartbeat]\nenabled = true\nlimit = 3\n")
    entry = "hookkit effort log \"$(cat <<'EOF'\nTwo done; the rest is next.\nEOF\n)\""
    turns = [bash("touch one"), bash("touch two"), bash("touch held"), bash(entry), bash("touch three"), "done"]
    run = drive(project, "go", turns=turns, arguments=MAY)
    results = run.prompts()[-1].tool_results
    held = (
        "3 tool calls without a log entry. Write one, then go on: hookkit effort log 'what was done, what comes next'"
    )
    assert [is_error for _, is_error in results] == [False, False, True, False, False]
    assert held in results[2][0]
    assert results[3][0] == "Logged for effort 1"
    assert sorted(path.name for path in project.iterdir() if path.is_file()) == ["one", "three", "two"]
    assert run.faults() == []
    work = work_of(project)
    assert [row["body"] for row in work.rows("SELECT body FROM messages")] == ['{"text":"Two done; the rest is next."}']
    work.close()


def test_what_one_run_wrote_down_reaches_the_model_in_the_next(drive: Drive, project: Path) -> None:
    track(project, "[sessions]\nparts = ['notes']\n")
    note = "Half of the heron is painted; the legs are next."
    first = drive(project, "go", turns=[bash(f"echo '{note}' | hookkit effort dehydrate"), "done"], arguments=MAY)
    kept = f"Kept {len(note)} characters for effort 1; handed over when its next session starts"
    assert first.prompts()[-1].tool_results == [(kept, False)]
    assert first.faults() == []
    second, third = drive(project, "go on"), drive(project, "go on")
    assert [run.prompts()[0].added.count(note) for run in (first, second, third)] == [0, 1, 0]
    assert second.faults() + third.faults() == []
    work = work_of(project)
    rows = work.rows("SELECT id, effort, previous, ended IS NULL AS open FROM sessions ORDER BY id")
    assert [tuple(row.values()) for row in rows] == [(1, 1, None, 0), (2, 1, 1, 0), (3, 1, 2, 0)]
    work.close()


def test_a_text_that_was_left_is_told_with_the_next_call(drive: Drive, project: Path) -> None:
    track(project, "[sessions]\nparts = ['messages']\n")
    turns = [bash("hookkit effort inject 'The heron is green.'"), bash("true"), "done"]
    run = drive(project, "go", turns=turns, arguments=MAY)
    assert [prompt.added.count("The heron is green.") for prompt in run.prompts()] == [0, 1, 1]
    assert run.faults() == []


def test_a_call_in_the_middle_of_which_the_client_was_killed_is_in_the_ledger(drive: Drive, project: Path) -> None:
    track(project, "[sessions]\nparts = ['status']\n")
    run = drive(project, "go", turns=[bash("touch begun; kill -9 $PPID; sleep 30"), "done"], arguments=MAY)
    assert run.exit_code != 0
    assert (project / "begun").exists()
    ledger = Ledger({**os.environ, "HOME": str(home_of(project))})
    ledger.fold()
    [row] = queries.find(ledger.connection, queries.Filters(unfinished=True), 10)
    ledger.close()
    assert (row.state, row.subject) == ("unfinished", "touch begun; kill -9 $PPID; sleep 30")
    work = work_of(project)
    [session] = work.rows("SELECT status, note, ended FROM sessions")
    assert tuple(session.values()) == ("working", "Bash", None)
    work.close()


def test_a_sub_agent_works_in_a_session_of_its_own_under_the_effort(drive: Drive, project: Path) -> None:
    write(project / "notes.md", "Herons.\n")
    track(project, "[sessions]\nparts = ['subagents', 'status']\n")
    wire(project, **dict.fromkeys((*EVENTS, "SubagentStart", "SubagentStop"), "hookkit run"))
    ask = {"description": "Look", "prompt": "Look at the notes", "subagent_type": "general-purpose"}
    look = {"name": "Read", "input": {"file_path": str(project / "notes.md")}}
    turns = [{"name": "Agent", "input": {**ask, "run_in_background": False}}, look, "Herons.", "done"]
    run = drive(project, "go", turns=turns)
    assert [prompt.added.count(f"effort 1: fix on {project}") for prompt in run.prompts()] == [0, 1, 1, 0]
    assert run.faults() == []
    work = work_of(project)
    rows = work.rows("SELECT part = '' AS main, kind, effort, loaded, status FROM sessions ORDER BY id")
    notes = f'["{project}/notes.md"]'
    assert [tuple(row.values()) for row in rows] == [
        (1, "", 1, "[]", "done"),
        (0, "general-purpose", 1, notes, "done"),
    ]
    assert work.rows("SELECT loaded FROM efforts") == [{"loaded": notes}]
    work.close()


def test_the_clients_status_line_tells_the_size_of_the_context(sit: Sit, project: Path) -> None:
    track(project, "[overflow]\nenabled = true\n")
    path = project / ".claude" / "settings.json"
    line = {"type": "command", "command": "hookkit statusline"}
    path.write_text(json.dumps({**json.loads(path.read_text()), "statusLine": line}))
    then = [("and now?", "All is well.")]  # not the status line: the client ends the hooks of a turn that is cut off
    sitting = sit(project, turns=["Hello there.", "All is well."], until="Hello there.", then=then)
    work = work_of(project)
    assert work.rows("SELECT window FROM sessions") == [{"window": 1_000_000}]
    work.close()
    assert sitting.run.faults() == []
