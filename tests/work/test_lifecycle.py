"""Sessions begin and end; efforts live on across them; what is kept for the next is handed over."""

import json
from pathlib import Path

import pytest

from hookkit.system import clipping
from tests.work.conftest import Agent, Named


def test_a_start_always_makes_a_new_session(agent: Agent) -> None:
    """Also for the same client: after /clear and after a compaction the context is another."""
    agent.work_with()
    agent.send("SessionStart", source="compact")
    agent.send("SessionStart", source="resume")
    rows = agent.rows("SELECT id, effort, previous, source, ended IS NULL AS open FROM sessions ORDER BY id")
    assert [tuple(row.values()) for row in rows] == [
        (1, 1, None, "startup", 0),
        (2, 1, 1, "compact", 0),
        (3, 1, 2, "resume", 1),
    ]


@pytest.mark.parametrize(
    ("who", "effort"), [("a1", 1), ("a2", 3), ("a3", None), ("", 4)], ids=["its own", "the latest", "none", "anybody's"]
)
def test_the_effort_is_the_agents_latest_in_this_project(
    agent: Agent, named: Named, tmp_path: Path, who: str, effort: int | None
) -> None:
    agent.configure()
    for name in ("a1", "a2", "a2", "a4"):
        named(name)
        agent.begin()
    agent.change("UPDATE efforts SET project = ? WHERE id = 5", str(tmp_path))
    named(who)
    agent.send("SessionStart", source="startup")
    assert agent.session()["effort"] == effort


def test_an_effort_that_is_finished_is_nobodys(agent: Agent) -> None:
    agent.work_with()
    agent.change("UPDATE efforts SET lifecycle = 'finished', metadata = ?", guards("deny", "Bash(ls)"))
    assert agent.bash("ls") is None
    agent.send("SessionStart", source="startup")
    assert agent.session()["effort"] is None


def guards(kind: str, match: str) -> str:
    return json.dumps({"guards": [{"type": kind, "match": match}]})


def test_an_end_ends_the_client_with_its_parts(agent: Agent) -> None:
    agent.work_with()
    agent.send("SubagentStart", agent_id="p1", agent_type="Explore")
    agent.send("PostToolUse", agent_id="p1", tool_name="Read", tool_input={"file_path": "a.py"}, tool_response={})
    agent.send("SessionEnd", reason="other")
    assert agent.rows("SELECT count(*) AS n FROM sessions WHERE ended IS NULL") == [{"n": 0}]
    assert agent.rows("SELECT loaded FROM efforts") == [{"loaded": json.dumps([str(agent.project / "a.py")])}]


def test_where_the_session_stands_goes_with_a_start_and_with_every_prompt(agent: Agent) -> None:
    agent.configure("[sessions]\nparts = ['prompts']")
    agent.begin("fix", "careful")
    agent.change("UPDATE efforts SET phase = 'planning'")
    stands = f"effort 1: fix (careful) on {agent.project}; phase planning"
    assert agent.told("SessionStart", source="startup") == f"[NOW; session 1; {stands}]"
    agent.change("UPDATE sessions SET heartbeat = 4")
    assert agent.told("UserPromptSubmit", prompt="go on") == (
        f"[NOW; session 1; {stands}; 4 tool calls since the last log entry]"
    )


def test_without_an_effort_the_line_is_short(agent: Agent) -> None:
    agent.configure("[sessions]\nparts = ['prompts']")
    assert agent.told("SessionStart", source="startup") == "[NOW; session 1]"


def test_a_session_whose_start_nobody_heard_begins_with_its_prompt(agent: Agent) -> None:
    """The settings may have been switched on in the middle of it."""
    agent.configure("[sessions]\nparts = ['prompts']")
    agent.begin()
    assert agent.bash() is None
    assert agent.told("UserPromptSubmit", prompt="hi") == f"[NOW; session 1; effort 1: fix on {agent.project}]"
    assert agent.session()["source"] == "joined"


def test_a_slash_command_that_is_named_begins_an_effort(agent: Agent) -> None:
    agent.configure('[sessions]\ncommands = ["fix"]')
    agent.send("SessionStart", source="startup")
    for command in ("review", "fix", "fix"):
        agent.send("UserPromptExpansion", command_name=command, prompt=f"/{command}", expansion_type="slash_command")
    rows = agent.rows("SELECT id, skill, ordinal, lifecycle FROM efforts")
    assert [tuple(row.values()) for row in rows] == [(1, "fix", 1, "active"), (2, "fix", 2, "active")]
    assert agent.session()["effort"] == 2


class TestDehydration:
    def test_what_was_written_down_is_handed_over_once(self, agent: Agent) -> None:
        agent.configure("[sessions]\nparts = ['notes']")
        agent.begin()
        agent.change("UPDATE efforts SET dehydrated = 'Half is done.'")
        handed = "# Where the work stood\n\nWritten by the session before this one:\n\nHalf is done."
        assert agent.told("SessionStart", source="compact") == handed
        assert agent.told("SessionStart", source="startup") == ""
        assert agent.rows("SELECT kind, body FROM messages") == [
            {"kind": "rehydrated", "body": '{"text":"Half is done."}'}
        ]

    def test_without_it_the_last_log_entries_are_handed_over(self, agent: Agent) -> None:
        """A session that was killed wrote nothing down; the first session of an effort has nothing to know."""
        agent.configure("[sessions]\nparts = ['notes']")
        agent.begin()
        for number in range(6):
            body = json.dumps({"text": f"Entry {number}." + "x" * 600 * (number == 5)})
            agent.change("INSERT INTO messages (effort, at, kind, body) VALUES (1, 0, 'log', ?)", body)
        assert agent.told("SessionStart", source="startup") == ""
        lines = "\n".join(f"- Entry {number}." for number in range(1, 5))
        cut = clipping.clip("Entry 5." + "x" * 600, 500)
        assert agent.told("SessionStart", source="startup") == (
            f"# Where the work stood\n\nThe last log entries of this effort:\n\n{lines}\n- {cut}"
        )

    def test_it_waits_while_the_part_is_off(self, agent: Agent) -> None:
        agent.configure("[sessions]\nparts = ['track']")
        agent.begin()
        agent.change("UPDATE efforts SET dehydrated = 'Half is done.'")
        assert agent.told("SessionStart", source="compact") == ""
        assert agent.rows("SELECT dehydrated FROM efforts") == [{"dehydrated": "Half is done."}]

    def test_the_longest_arrives_whole_beside_the_rest(self, agent: Agent) -> None:
        agent.configure()
        agent.begin()
        agent.change("UPDATE efforts SET dehydrated = ?", "x" * 8_000)
        told = agent.told("SessionStart", source="startup")
        assert told.endswith("\n\n" + "x" * 8_000)
        assert clipping.length(told) < 9_000


class TestPreload:
    def files(self, agent: Agent, *paths: Path) -> None:
        agent.begin()
        agent.change("UPDATE efforts SET preload = ?", json.dumps([str(path) for path in paths]))

    def test_files_are_in_the_context_from_the_start(self, agent: Agent) -> None:
        agent.configure("[sessions]\nparts = ['files']")
        plan, gone = agent.project / "plan.md", agent.project / "gone.md"
        plan.write_text("First this.")
        self.files(agent, plan, gone)
        assert agent.told("SessionStart", source="startup") == (
            f"# {plan}\n\nFirst this.\n\n# {gone}\n\n(not read: it is empty, not there, or the policy keeps it)"
        )
        assert agent.session()["loaded"] == json.dumps([str(plan)])

    def test_what_the_policy_keeps_from_the_agent_is_not_preloaded(self, agent: Agent) -> None:
        agent.configure('[sessions]\nparts = ["files"]\n[[rules]]\ntype = "deny"\nmatch = "Read(.env)"')
        secret = agent.project / ".env"
        secret.write_text("KEY=1")
        self.files(agent, secret)
        assert agent.told("SessionStart", source="startup") == (
            f"# {secret}\n\n(not read: it is empty, not there, or the policy keeps it)"
        )

    def test_many_share_the_room(self, agent: Agent) -> None:
        agent.configure("[sessions]\nparts = ['files']")
        paths = [agent.project / f"{number}.md" for number in range(3)]
        for path in paths:
            path.write_text("x" * 20_000)
        self.files(agent, *paths)
        told = agent.told("SessionStart", source="startup")
        assert clipping.length(told) <= 9_000
        assert [told.count(f"# {path}\n") for path in paths] == [1, 1, 1]


class TestParts:
    def test_a_sub_agent_has_a_session_under_the_parents_effort_and_is_told(self, agent: Agent) -> None:
        agent.configure("[sessions]\nparts = ['subagents']")
        agent.begin()
        agent.send("SessionStart", source="startup")
        agent.change("UPDATE efforts SET directives = ?", '["/a/AGENTS.md"]')
        agent.begin("other")  # moves the parent
        agent.change("UPDATE sessions SET effort = 1")
        told = agent.told("SubagentStart", agent_id="p1", agent_type="Explore")
        assert told == (f"[NOW; session 2; effort 1: fix on {agent.project}]\nDirectives that hold here: /a/AGENTS.md")
        row = agent.session("p1")
        assert (row["effort"], row["kind"], row["client"], row["status"]) == (1, "Explore", "c1", "working")

    def test_what_it_read_is_merged_back(self, agent: Agent) -> None:
        agent.configure("[sessions]\nparts = ['subagents']")
        agent.begin()
        agent.send("SessionStart", source="startup")
        for part, names in (("p1", "ab"), ("p2", "bc")):
            agent.send("SubagentStart", agent_id=part, agent_type="Explore")
            for name in names:
                agent.send("PostToolUse", agent_id=part, tool_name="Read", tool_input={"file_path": f"/{name}"})
        for part in ("p1", "p2"):
            agent.send("SubagentStop", agent_id=part, agent_type="Explore")
        assert agent.rows("SELECT loaded FROM efforts") == [{"loaded": '["/a","/b","/c"]'}]
        assert agent.session("p1")["ended"] is not None
        assert agent.session()["loaded"] == "[]"

    def test_where_they_have_none_their_reading_is_the_parents(self, agent: Agent) -> None:
        agent.configure("[sessions]\nparts = ['track']")
        agent.begin()
        agent.send("SessionStart", source="startup")
        assert agent.told("SubagentStart", agent_id="p1", agent_type="Explore") == ""
        agent.send("PostToolUse", agent_id="p1", tool_name="Read", tool_input={"file_path": "/a"})
        agent.send("SubagentStop", agent_id="p1", agent_type="Explore")
        row = agent.session()
        assert (row["loaded"], row["ended"]) == ('["/a"]', None)


@pytest.mark.parametrize(("prompt", "begun"), [("/fix the test", ["fix"]), ("/other", []), ("fix it", []), ("/", [])])
def test_a_prompt_with_a_slash_command_begins_an_effort_in_an_agent_without_commands(
    agent: Agent, prompt: str, begun: list[str]
) -> None:
    """Only Claude Code sends UserPromptExpansion."""
    agent.configure('[sessions]\ncommands = ["fix"]')
    event = {"hook_event_name": "UserPromptSubmit", "prompt": prompt, "client_type": "kimi_code_cli"}
    agent.send(event.pop("hook_event_name"), **event)
    assert [row["skill"] for row in agent.rows("SELECT skill FROM efforts")] == begun
