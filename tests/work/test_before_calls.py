"""Before a tool runs: the heartbeat, the room that is left, the effort's own rules."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookkit.pipeline import Invocation
from hookkit.work import efforts
from hookkit.work.store import Work
from tests.agents.transcripts.test_reader import answer, lines_of
from tests.conftest import HOOKKIT
from tests.work.conftest import Agent, Clock

HELD = (
    "{count} tool calls without a log entry. Write one, then go on: hookkit effort log 'what was done, what comes next'"
)


def write_entry(agent: Agent) -> None:
    work = Work(dict(os.environ))
    efforts.log(work, 1, "what was done")
    work.close()


class TestHeartbeat:
    def start(self, agent: Agent, more: str = "") -> None:
        agent.configure(f"[heartbeat]\nenabled = true\n{more}")
        agent.begin()
        agent.send("SessionStart", source="startup")

    def test_the_tenth_call_is_held_until_an_entry_is_written(self, agent: Agent) -> None:
        self.start(agent)
        assert [agent.bash() for _ in range(9)] == [None] * 9
        assert agent.bash() == HELD.format(count=10)
        assert agent.bash("hookkit effort log 'what was done'") is None
        write_entry(agent)
        assert [agent.bash() for _ in range(9)] == [None] * 9
        assert agent.bash() == HELD.format(count=10)

    def test_limit_and_message_are_settings(self, agent: Agent) -> None:
        self.start(agent, 'limit = 2\nmessage = "Log it ({count})."')
        assert [agent.bash(), agent.bash()] == [None, "Log it (2)."]

    def test_a_limit_of_none_only_counts(self, agent: Agent) -> None:
        self.start(agent, "limit = 0")
        assert [agent.bash() for _ in range(12)] == [None] * 12
        assert agent.session()["heartbeat"] == 12

    def test_an_agent_that_cannot_write_one_is_not_trapped(self, agent: Agent, clock: Clock) -> None:
        self.start(agent, "limit = 2")
        agent.bash()
        for count in (2, 3, 4):
            clock.ms += 1_000
            assert agent.bash() == HELD.format(count=count)
        clock.ms += 1_000
        assert agent.bash() == {
            "systemMessage": "hookkit: no log entry was written after three reminders; going on without one."
        }
        assert [agent.bash(), agent.bash()] == [None, HELD.format(count=2)]

    def test_calls_of_one_answer_are_held_together(self, agent: Agent, clock: Clock) -> None:
        """Else an agent that calls many tools at once would never have to write one."""
        self.start(agent, "limit = 2")
        agent.bash()
        for _ in range(3):
            clock.ms += 1_000
            assert None not in [agent.bash() for _ in range(5)]
        assert agent.session()["blocked"] == 3

    def test_without_an_effort_nothing_is_held(self, agent: Agent) -> None:
        """There would be nothing to write an entry for."""
        agent.configure("[heartbeat]\nenabled = true\nlimit = 1")
        agent.send("SessionStart", source="startup")
        assert [agent.bash() for _ in range(3)] == [None] * 3

    def test_a_call_that_a_rule_denies_is_none(self, agent: Agent) -> None:
        self.start(agent, 'limit = 2\n[[rules]]\ntype = "deny"\nmatch = "Bash(rm *)"\nreason = "No."')
        agent.hook = "run"
        assert [agent.bash("rm x") for _ in range(4)] == ["hookkit: rm x: No."] * 4
        assert [agent.bash(), agent.bash()] == [None, HELD.format(count=2)]

    def test_each_sub_agent_has_a_count_of_its_own(self, agent: Agent) -> None:
        self.start(agent, "limit = 2\n[sessions]\nparts = ['subagents']")
        agent.send("SubagentStart", agent_id="p1", agent_type="Explore")
        part = {"agent_id": "p1"}
        assert [agent.bash(), agent.bash(**part), agent.bash(**part)] == [None, None, HELD.format(count=2)]
        write_entry(agent)
        assert [row["heartbeat"] for row in agent.rows("SELECT heartbeat FROM sessions")] == [0, 0]


# Lines that do nothing but keep the log, and lines that only look so.
KEEPING = [
    "hookkit effort log x",
    "hookkit effort log 'a; rm -rf b'",
    "cd x && hookkit effort log 'a; b'",
    "hookkit effort log \"$(cat <<'EOF'\nIt's done; $(rm -rf y)\nEOF\n)\"",
    "hookkit effort log <<'EOF'\nIt's done; $(rm -rf y)\nEOF",
    "echo done | hookkit effort log",
    "printf '%s' done | hookkit effort dehydrate",
    "cat notes.md | hookkit effort dehydrate",
    'hookkit effort log "$(date): done"',
    "hookkit effort log x 2>&1 || true",
    "hookkit effort log x >/dev/null && hookkit effort phase testing",
    "/usr/local/bin/hookkit effort log x",
    "AGENT_ID=a1 hookkit effort log x",
    "uv run hookkit effort log x",
    "hookkit task new tickets/42",
]
WORKING = [
    "hookkit effort log x; rm -rf y",
    "rm -rf y && hookkit effort log x",
    'hookkit effort log "$(rm -rf y)"',
    "hookkit effort log <<EOF\n$(rm -rf y)\nEOF",
    "hookkit effort log <(rm y)",
    "hookkit effort log x | sh",
    "hookkit effort log x > src/main.py",
    "cat a > b; hookkit effort log x",
    "hookkit() { rm -rf y; }; hookkit effort log x",
    "./hookkit effort log x",
    "uv run pytest; hookkit effort log x",
    "$TOOL x; hookkit effort log x",
    "echo hookkit effort log x",
    "hookkit toolchain",
    "git commit -m 'hookkit effort log x'",
    "make test # hookkit effort log x",
]


@pytest.mark.parametrize("command", KEEPING)
def test_a_line_that_keeps_the_log_passes(agent: Agent, command: str) -> None:
    agent.configure("[heartbeat]\nenabled = true\nlimit = 1")
    agent.begin()
    agent.send("SessionStart", source="startup")
    assert agent.bash(command) is None


@pytest.mark.parametrize("command", WORKING)
def test_a_line_that_does_more_is_held(agent: Agent, command: str) -> None:
    agent.configure("[heartbeat]\nenabled = true\nlimit = 1")
    agent.begin()
    agent.send("SessionStart", source="startup")
    assert agent.bash(command) == HELD.format(count=1)


class TestOverflow:
    def start(self, agent: Agent, more: str = "", *, effort: bool = True) -> None:
        agent.configure(f"[overflow]\nenabled = true\n{more}")
        if effort:
            agent.begin()
        agent.send("SessionStart", source="startup")

    def warning(self, percent: int, first: str = "") -> dict[str, Any]:
        said = (
            f"{percent}% of the context is used. Before it is full, write down for the next session what is done, what "
            f"is left and what was decided: {first}run `hookkit effort dehydrate` with that text on its standard input."
        )
        own = {"hookEventName": "PreToolUse", "additionalContext": said}
        message = f"hookkit: {percent}% of the context is used. To go on in a new session, run: hookkit resume"
        return {"systemMessage": message, "hookSpecificOutput": own}

    def test_it_warns_once_at_ninety_percent_and_again_after_the_compaction(self, agent: Agent, tmp_path: Path) -> None:
        self.start(agent)
        below = lines_of(tmp_path / "a.jsonl", answer(179_999))
        above = lines_of(tmp_path / "b.jsonl", answer(180_000))
        assert agent.bash(transcript_path=below) is None
        assert agent.session()["usage"] == 0.9  # rounded for people; the warning counts tokens
        assert agent.bash(transcript_path=above) == self.warning(90)
        assert agent.bash(transcript_path=above) is None
        agent.send("SessionStart", source="compact")
        assert agent.bash(transcript_path=above) == self.warning(90)

    def test_window_and_percent_are_settings(self, agent: Agent, tmp_path: Path) -> None:
        self.start(agent, "window = 1000000\npercent = 50")
        assert agent.bash(transcript_path=lines_of(tmp_path / "a.jsonl", answer(499_999))) is None
        assert agent.bash(transcript_path=lines_of(tmp_path / "b.jsonl", answer(500_000))) == self.warning(50)

    def test_the_size_of_the_window_comes_from_the_clients_status_line(self, agent: Agent, tmp_path: Path) -> None:
        self.start(agent)
        window = {"context_window_size": 1_000_000}
        said = {"session_id": agent.client, "cwd": str(agent.project), "context_window": window}
        subprocess.run([HOOKKIT, "statusline"], input=json.dumps(said).encode(), check=True, capture_output=True)
        assert agent.session()["window"] == 1_000_000
        assert agent.bash(transcript_path=lines_of(tmp_path / "a.jsonl", answer(190_000))) is None
        assert agent.bash(transcript_path=lines_of(tmp_path / "b.jsonl", answer(950_000))) == self.warning(95)

    def test_more_tokens_than_the_usual_window_holds_mean_a_large_window(self, agent: Agent, tmp_path: Path) -> None:
        self.start(agent)
        assert agent.bash(transcript_path=lines_of(tmp_path / "a.jsonl", answer(300_000))) is None
        assert agent.bash(transcript_path=lines_of(tmp_path / "b.jsonl", answer(900_000))) == self.warning(90)

    def test_without_an_effort_it_says_how_to_start_one(self, agent: Agent, tmp_path: Path) -> None:
        self.start(agent, effort=False)
        path = lines_of(tmp_path / "a.jsonl", answer(190_000))
        assert agent.bash(transcript_path=path) == self.warning(95, "run `hookkit effort start NAME`, then ")

    def test_a_sub_agent_is_not_warned_of_its_parents_context(self, agent: Agent, tmp_path: Path) -> None:
        self.start(agent)
        path = lines_of(tmp_path / "a.jsonl", answer(190_000))
        assert agent.bash(transcript_path=path, agent_id="p1") is None
        assert agent.bash(transcript_path=path) == self.warning(95)

    @pytest.mark.parametrize("path", ["", "relative.jsonl", "/nowhere/t.jsonl", "/dev/zero", "/", "/a\0b", "/\ud800"])
    def test_a_transcript_that_is_not_to_be_had_says_nothing(self, agent: Agent, path: str) -> None:
        self.start(agent)
        assert agent.bash(transcript_path=path) is None


class TestGuards:
    def start(self, agent: Agent, guards: Any) -> None:
        agent.configure("[sessions]\nparts = ['rules']")
        agent.begin()
        agent.change("UPDATE efforts SET metadata = ?", json.dumps({"guards": guards}))
        agent.send("SessionStart", source="startup")

    def test_the_efforts_rules_hold_as_rules_do(self, agent: Agent) -> None:
        self.start(agent, [{"type": "deny", "match": "Bash(git push *)", "reason": "Not yet."}])
        assert agent.bash("cd x && sudo git push origin main") == "hookkit: git push origin main: Not yet."
        assert agent.bash("echo git push") is None

    def test_what_another_hook_made_of_the_call_is_judged_too(self, agent: Agent) -> None:
        self.start(agent, [{"type": "deny", "match": "Bash(make test)", "reason": "Not yet."}])
        (agent.project / "Makefile").write_text("test:\n\ttrue\n")
        agent.hook = "run"
        assert agent.bash("pytest -q") == "hookkit: make test: Not yet."

    def test_an_ask_asks(self, agent: Agent) -> None:
        self.start(agent, [{"type": "ask", "match": "Bash(make deploy)"}])
        own = {
            "permissionDecision": "ask",
            "permissionDecisionReason": "hookkit: make deploy: Bash(make deploy) is set to ask.",
        }
        assert agent.bash("make deploy") == {"hookSpecificOutput": {"hookEventName": "PreToolUse", **own}}

    @pytest.mark.parametrize(
        "guards",
        [
            [{"type": "allow", "match": "Bash(ls)"}],
            [{"type": "deny", "match": "Bash(ls"}],
            [{"type": "deny"}],
            [{"type": "deny", "match": 5}],
            [{"type": ["deny"], "match": "Bash(ls)"}],
            ["Bash(ls)"],
            {"type": "deny"},
            "Bash(ls)",
            None,
        ],
    )
    def test_what_is_no_rule_that_tightens_is_left_out(self, agent: Agent, guards: Any) -> None:
        self.start(agent, guards)
        assert agent.bash("ls") is None

    def test_they_are_not_asked_while_the_part_is_off(self, agent: Agent) -> None:
        self.start(agent, [{"type": "deny", "match": "Bash(ls)"}])
        assert agent.bash("ls") == "hookkit: ls: Bash(ls) is set to deny."
        agent.configure("[sessions]\nparts = ['track']")
        assert agent.bash("ls") is None


def test_an_agent_without_a_start_and_without_prompts_is_guarded_and_held(
    agent: Agent, command: Callable[..., Any]
) -> None:
    """Mistral Vibe sends its calls and the end of a turn, and nothing else."""
    agent.configure("[sessions]\nparts = ['rules']\n[heartbeat]\nenabled = true\nlimit = 3\n")
    command("effort", "start", "fix")
    command("effort", "guard", "deny", "Bash(git log *)")
    vibe = {"hook_event_name": "pre_tool", "session_id": "v-1", "parent_session_id": None, "cwd": str(agent.project),
            "tool_name": "file_system.bash", "transcript_path": "/home/u/.vibe/logs/v-1"}  # fmt: skip

    def send(line: str) -> Any:
        raw = json.dumps({**vibe, "tool_input": {"command": line}}).encode()
        return json.loads(Invocation("run", [], dict(os.environ)).answer(raw) or "{}").get("decision")

    assert send("git log -3") == "deny"
    assert "deny" in [send("ls") for _ in range(12)]
