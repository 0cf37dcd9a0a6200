"""What an effort remembers of tool calls, and what waits to be told on the next of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.work.conftest import Agent

SECRET = "sk-live-0123456789abcdef0123"
LS = {"tool_name": "Bash", "tool_input": {"command": "ls"}}


def leave(agent: Agent, *texts: str) -> None:
    for text in texts:
        agent.change("INSERT INTO injections (effort, at, text) VALUES (1, 0, ?)", text)


class TestInjections:
    @pytest.fixture(autouse=True)
    def _started(self, agent: Agent) -> None:
        agent.configure("[sessions]\nparts = ['messages']")
        agent.begin()
        agent.send("SessionStart", source="startup")

    @pytest.mark.parametrize(
        ("name", "fields"),
        [
            ("SessionStart", {"source": "clear"}),
            ("UserPromptSubmit", {"prompt": "hi"}),
            ("PreToolUse", LS),
            ("PostToolUse", {**LS, "tool_response": {}}),
            ("PostToolUseFailure", {**LS, "error": "Exit code 1"}),
        ],
    )
    def test_they_are_told_with_the_next_event_and_cleared(
        self, agent: Agent, name: str, fields: dict[str, Any]
    ) -> None:
        leave(agent, "One.", "Two.")
        assert agent.told(name, **fields) == "One.\n\nTwo."
        assert agent.told(name, **fields) == ""
        assert agent.rows("SELECT kind, body FROM messages WHERE kind = 'injected'") == [
            {"kind": "injected", "body": '{"text":"One."}'},
            {"kind": "injected", "body": '{"text":"Two."}'},
        ]

    @pytest.mark.parametrize("name", ["Stop", "Notification", "SubagentStart", "PermissionRequest", "SessionEnd"])
    def test_an_event_that_the_model_does_not_hear_leaves_them(self, agent: Agent, name: str) -> None:
        leave(agent, "One.")
        assert agent.send(name, agent_id="p1") is None
        assert agent.told("SessionStart", source="clear") == "One."

    def test_a_sub_agent_does_not_take_what_is_meant_for_the_agent(self, agent: Agent) -> None:
        leave(agent, "One.")
        assert agent.told("PreToolUse", **LS, agent_id="p1") == ""
        assert agent.told("PreToolUse", **LS) == "One."

    def test_a_call_that_is_denied_does_not_take_them_along(self, agent: Agent) -> None:
        agent.configure(
            '[sessions]\nparts = ["messages"]\n[[rules]]\ntype = "deny"\nmatch = "Bash(rm *)"\nreason = "No."'
        )
        agent.hook = "run"
        leave(agent, "One.")
        assert agent.bash("rm x") == "hookkit: rm x: No."
        assert agent.told("PreToolUse", **LS) == "One."

    def test_another_efforts_are_its_own(self, agent: Agent) -> None:
        leave(agent, "One.")
        agent.begin("other")
        assert agent.told("PreToolUse", **LS) == ""

    def test_off_they_wait(self, agent: Agent) -> None:
        leave(agent, "One.")
        agent.configure("[sessions]\nparts = ['track']")
        assert agent.told("PreToolUse", **LS) == ""
        agent.configure("[sessions]\nparts = ['messages']")
        assert agent.told("PreToolUse", **LS) == "One."


QUESTION = {
    "question": "Which one?",
    "header": "Which",
    "options": [{"label": "A"}, {"label": "B"}],
    "multiSelect": False,
}
ANSWERED = {"questions": [QUESTION], "answers": {"Which one?": "A"}}


class TestDialogues:
    @pytest.mark.parametrize(
        ("given", "response", "answers"),
        [
            ({"questions": [QUESTION]}, ANSWERED, {"Which one?": "A"}),
            (ANSWERED, {}, {"Which one?": "A"}),
            ({"questions": [QUESTION]}, "The person said A", "The person said A"),
            ({"questions": [QUESTION]}, {"answers": {"Which one?": SECRET}}, {"Which one?": "[masked]"}),
        ],
        ids=["in the response", "in the input", "as a text", "with a secret"],
    )
    def test_questions_are_kept_with_their_answers(
        self, agent: Agent, given: dict[str, Any], response: Any, answers: Any
    ) -> None:
        agent.configure("[sessions]\nparts = ['questions']")
        agent.begin()
        agent.send("SessionStart", source="startup")
        ask = {"tool_name": "AskUserQuestion", "tool_input": given, "tool_response": response}
        assert agent.send("PostToolUse", **ask) is None
        [row] = agent.rows("SELECT effort, session, kind, body FROM messages")
        assert (row["effort"], row["session"], row["kind"]) == (1, 1, "dialogue")
        assert json.loads(row["body"]) == {"questions": [QUESTION], "answers": answers}

    def test_off_nothing_is_kept(self, agent: Agent) -> None:
        agent.configure("[sessions]\nparts = ['track']")
        agent.send("SessionStart", source="startup")
        agent.send("PostToolUse", tool_name="AskUserQuestion", tool_input=ANSWERED, tool_response=ANSWERED)
        assert agent.rows("SELECT * FROM messages") == []


def test_failures_are_kept_for_a_month_without_their_secrets(agent: Agent, clock: Any) -> None:
    agent.configure("[sessions]\nparts = ['status']")
    agent.begin()
    agent.send("SessionStart", source="startup")
    agent.send("PostToolUseFailure", **LS, error=f"Exit code 1\n{SECRET} refused")
    kept = [{"kind": "failure", "body": '{"tool":"Bash","error":"Exit code 1\\n[masked] refused"}'}]
    assert agent.rows("SELECT kind, body FROM messages") == kept
    clock.ms += 30 * 86_400_000
    agent.send("SessionStart", source="clear")
    assert agent.rows("SELECT kind, body FROM messages") == kept
    clock.ms += 1
    agent.send("SessionStart", source="clear")
    assert agent.rows("SELECT kind, body FROM messages") == []


class TestDirectives:
    @pytest.fixture(autouse=True)
    def _started(self, agent: Agent) -> None:
        agent.configure("[sessions]\nparts = ['documents']")
        agent.begin()
        agent.send("SessionStart", source="startup")

    def touch(self, agent: Agent, path: str, tool: str = "Read", field: str = "file_path") -> str:
        return agent.told("PostToolUse", tool_name=tool, tool_input={field: path}, tool_response={})

    def lay(self, agent: Agent, **texts: str) -> None:
        for name, text in texts.items():
            path = agent.project / name.replace("__", "/")
            path = path.with_name(path.name + ".md")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def test_they_are_found_from_the_file_up_to_the_root_and_told_once_an_effort(self, agent: Agent) -> None:
        self.lay(agent, AGENTS="All.", api__AGENTS="Here.", api__v1__DIRECTIVES="Deep.", web__AGENTS="There.")
        near, root = agent.project / "api" / "AGENTS.md", agent.project / "AGENTS.md"
        deep = agent.project / "api" / "v1" / "DIRECTIVES.md"
        assert self.touch(agent, "api/main.py") == f"# {near} holds here\n\nHere.\n\n# {root} holds here\n\nAll."
        assert self.touch(agent, str(agent.project / "api" / "v1" / "x.py"), "Edit") == f"# {deep} holds here\n\nDeep."
        assert self.touch(agent, "api/v1/y.ipynb", "NotebookEdit", "notebook_path") == ""
        agent.send("SessionEnd", reason="other")
        assert agent.told("SessionStart", source="startup") == f"Directives that hold here: {near}, {root}, {deep}"

    @pytest.mark.parametrize(
        ("tool", "given", "response"),
        [
            ("Bash", {"command": "cat api/main.py"}, {"stdout": ""}),
            ("Bash", {"command": "cd api && make"}, {"stdout": ""}),
            ("Bash", {"command": "ls | sort > api/out.txt"}, {"stdout": ""}),
            ("Grep", {"pattern": "x", "path": "api"}, {"filenames": []}),
            ("Grep", {"pattern": "x"}, {"filenames": ["api/main.py"]}),
            ("Glob", {"pattern": "**/*.py"}, {"filenames": ["api/main.py", 5]}),
        ],
    )
    def test_they_are_found_through_command_lines_and_searches_too(
        self, agent: Agent, tool: str, given: dict[str, Any], response: dict[str, Any]
    ) -> None:
        self.lay(agent, api__AGENTS="Here.")
        (agent.project / "api" / "main.py").touch()
        said = agent.told("PostToolUse", tool_name=tool, tool_input=given, tool_response=response)
        assert said == f"# {agent.project / 'api' / 'AGENTS.md'} holds here\n\nHere."

    def test_what_they_are_called_is_a_setting(self, agent: Agent) -> None:
        agent.configure('[sessions]\nparts = ["documents"]\ndirective_files = ["HOUSE.md"]')
        self.lay(agent, AGENTS="All.", HOUSE="Wipe your feet.")
        assert self.touch(agent, "a.py") == f"# {agent.project / 'HOUSE.md'} holds here\n\nWipe your feet."

    def test_nothing_leads_out_of_the_project(self, agent: Agent, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "AGENTS.md").write_text("Not ours.")
        (tmp_path / "AGENTS.md").write_text("Above.")
        (agent.project / "AGENTS.md").symlink_to(outside / "AGENTS.md")
        (agent.project / "linked").symlink_to(outside)
        for path in ("a.py", "linked/a.py", str(outside / "a.py"), "../outside/a.py", "a\0b", "\ud800"):
            assert self.touch(agent, path) == ""

    def test_a_long_one_is_cut(self, agent: Agent) -> None:
        self.lay(agent, AGENTS="x" * 5_000)
        told = self.touch(agent, "a.py")
        assert len(told) < 2_200
        assert told.endswith(f"more characters in {agent.project / 'AGENTS.md'}]")

    def test_a_pipe_of_that_name_does_not_hang(self, agent: Agent) -> None:
        import os

        os.mkfifo(agent.project / "AGENTS.md")
        assert self.touch(agent, "a.py") == ""
