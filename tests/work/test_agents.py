"""How an agent is doing: what each of the fifteen events says of it."""

import os
from typing import Any

import pytest

from hookkit.work import agents
from hookkit.work.agents import STATUS
from hookkit.work.store import Work
from tests.work.conftest import MORNING, Agent, Clock, Named

BASH = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"}
KEPT = "attention"  # what it was before
# The event, its fields, the status and the note that it leaves; the fifteen events of the document, and StopFailure.
EVENTS: list[tuple[str, dict[str, Any], str, str]] = [
    ("SessionStart", {"source": "clear"}, "checked", ""),
    ("SessionEnd", {"reason": "other"}, "done", "other"),
    ("UserPromptSubmit", {"prompt": "fix the\ntest"}, "working", "fix the test"),
    ("PreToolUse", BASH, "working", "Bash"),
    ("PostToolUse", {**BASH, "tool_response": {}}, "working", "Bash"),
    ("PostToolUseFailure", {**BASH, "error": "Exit code 1"}, "error", "Bash"),
    ("PermissionRequest", BASH, "attention", "Bash"),
    ("Notification", {"message": "Asks.", "notification_type": "permission_prompt"}, "attention", "Asks."),
    ("Notification", {"message": "Idle.", "notification_type": "idle_prompt"}, "attention", "Idle."),
    ("Notification", {"message": "Fill in.", "notification_type": "elicitation_dialog"}, "attention", "Fill in."),
    ("Notification", {"message": "Hello.", "notification_type": "auth_success"}, KEPT, "before"),
    ("PreCompact", {"trigger": "auto"}, "working", ""),
    ("SubagentStart", {"agent_id": "p1", "agent_type": "Explore"}, KEPT, "before"),
    ("SubagentStop", {"agent_id": "p1", "agent_type": "Explore"}, KEPT, "before"),
    ("TaskCompleted", {"task_id": "1", "task_subject": "Docs"}, "checked", "Docs"),
    ("TeammateIdle", {"teammate_name": "a1"}, "done", ""),
    ("TeammateIdle", {"teammate_name": "a2"}, KEPT, "before"),
    ("TeammateIdle", {}, KEPT, "before"),
    ("Stop", {"stop_hook_active": False}, "done", ""),
    ("StopFailure", {"error": "rate_limit"}, "error", "rate_limit"),
    ("ConfigChange", {"source": "user_settings"}, KEPT, "before"),
    ("CwdChanged", {"old_cwd": "/", "new_cwd": "/tmp"}, KEPT, "before"),
]


def start(agent: Agent, named: Named) -> None:
    named("a1")
    agent.configure("[sessions]\nparts = ['status', 'subagents']")
    agent.send("SessionStart", source="startup")
    agent.change("UPDATE sessions SET status = ?, note = 'before'", KEPT)


@pytest.mark.parametrize(("name", "fields", "status", "note"), EVENTS)
def test_each_event_leaves_its_status(
    agent: Agent, named: Named, name: str, fields: dict[str, Any], status: str, note: str
) -> None:
    start(agent, named)
    agent.send(name, **fields)
    row = agent.session()
    assert (row["status"], row["note"]) == (status, note)


def test_every_event_of_the_table_is_tested() -> None:
    assert set(STATUS) == {name for name, *_ in EVENTS} - {"CwdChanged"}
    assert len(STATUS) == 15 + 1


def test_a_part_has_a_status_of_its_own(agent: Agent, named: Named) -> None:
    start(agent, named)
    agent.send("SubagentStart", agent_id="p1", agent_type="Explore")
    assert agent.session("p1")["status"] == "working"
    agent.send("PostToolUseFailure", **BASH, agent_id="p1", error="Exit code 1")
    assert agent.session("p1")["status"] == "error"
    agent.send("SubagentStop", agent_id="p1", agent_type="Explore")
    assert (agent.session("p1")["status"], agent.session()["status"]) == ("done", KEPT)


def test_the_compactions_own_sub_agent_says_nothing_of_the_agent(agent: Agent, named: Named) -> None:
    """It ends without ever having begun."""
    start(agent, named)
    agent.send("SubagentStop", agent_id="p9", agent_type="")
    assert (agent.session()["status"], agent.session()["ended"]) == (KEPT, None)


def test_since_is_when_the_status_began(agent: Agent, named: Named, clock: Clock) -> None:
    start(agent, named)
    clock.ms += 1_000
    agent.send("PreToolUse", **BASH)
    clock.ms += 1_000
    agent.send("PostToolUse", **BASH, tool_response={})
    row = agent.session()
    assert (row["status"], row["since"] - MORNING, row["seen"] - MORNING) == ("working", 1_000, 2_000)


def test_a_note_has_no_secret_and_no_control_characters(agent: Agent, named: Named) -> None:
    start(agent, named)
    agent.send("UserPromptSubmit", prompt="use \x1b[31m sk-live-0123456789abcdef0123 " + "x" * 100)
    assert agent.session()["note"] == "use [31m [masked] " + "x" * 61 + "…"


def test_off_there_is_no_status(agent: Agent) -> None:
    agent.configure("[sessions]\nparts = ['track']")
    agent.send("SessionStart", source="startup")
    agent.send("PostToolUseFailure", **BASH, error="Exit code 1")
    assert (agent.session()["status"], agent.session()["note"]) == ("checked", "")


FIRST = ("Notification", "PostToolUseFailure", "PermissionRequest", "StopFailure", "PreToolUse", "PostToolUse", "Stop")


@pytest.mark.parametrize("name", FIRST)
def test_an_agent_that_is_wired_in_mid_session_is_shown_from_its_first_event_on(
    agent: Agent, named: Named, name: str
) -> None:
    named("a1")
    agent.configure("[sessions]\nparts = ['status']")
    fields, status = next((fields, status) for event, fields, status, _ in EVENTS if event == name)
    agent.send(name, **fields)
    assert [row["status"] for row in agent.rows("SELECT status FROM sessions")] == [status]


def test_a_late_event_does_not_begin_an_ended_session_again(agent: Agent, named: Named) -> None:
    named("a1")
    agent.configure("[sessions]\nparts = ['status']")
    agent.send("SessionStart", source="startup")
    agent.send("SessionEnd", reason="other")
    agent.send("PostToolUse", **BASH, tool_response={})
    assert [bool(row["ended"]) for row in agent.rows("SELECT ended FROM sessions")] == [True]
    agent.send("PreToolUse", **BASH)
    assert [bool(row["ended"]) for row in agent.rows("SELECT ended FROM sessions ORDER BY id")] == [True, False]


def test_an_agent_whose_session_has_ended_is_done_for_an_hour(agent: Agent, clock: Clock, named: Named) -> None:
    named("a1")
    agent.configure("[sessions]\nparts = ['status']")
    agent.send("SessionStart", source="startup")
    agent.send("PreToolUse", **BASH)
    agent.send("SessionEnd", reason="other")

    def shown() -> list[tuple[str, int]]:
        work = Work(dict(os.environ))
        try:
            return [(row["status"], row["sessions"]) for row in agents.agents(work)]
        finally:
            work.close()

    assert shown() == [("done", 1)]
    agent.send("SessionStart", source="resume")
    assert shown() == [("checked", 1)]
    agent.send("SessionEnd", reason="other")
    clock.ms += 3_700_000
    assert shown() == []
