"""`hookkit run` in the words of each agent: told by --agent or by the event, also where hookkit itself fails."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hookkit import registry
from tests.agents.replies import ASKED, EXITS, STOPPED, effect
from tests.agents.samples import LS, SAMPLES, UNCLAIMED, Sample, claude, codex, gemini
from tests.conftest import HOOKKIT, Run

NAMES = [name for name in registry.names("agents") if name != "claude"]
CALLS = {sample.agent: sample for sample in SAMPLES if sample.tool == "Bash" and sample.tool_input == {"command": "ls"}}
CALLS |= {sample.agent: sample for sample in SAMPLES if sample.tool == "Bash" and sample.name == "PreToolUse"}
DENIED = "This would delete, move or change the rights of your whole home directory."


def run(raw: bytes, *words: str) -> Any:
    done = subprocess.run([HOOKKIT, "run", *words], input=raw, capture_output=True, check=True)
    assert done.stderr == b""
    return json.loads(done.stdout) if done.stdout else {}


def acted(sample: Sample, raw: bytes, *words: str) -> tuple[str, str]:
    """What the agent does with the answer, and all that it is told."""
    done = subprocess.run([HOOKKIT, "run", *words], input=raw, capture_output=True, check=False)
    assert done.returncode == 0 or sample.agent in EXITS
    reply = json.loads(done.stdout) if done.stdout else {}
    return effect(sample, reply, done.returncode), json.dumps(reply) + done.stderr.decode()


def dangerous(sample: Sample) -> bytes:
    """The sample with a command that every policy denies."""
    raw = json.dumps(sample.value).replace('"ls"', '"rm -rf ~"').replace('["cd x", "rm -rf ~"]', '["rm -rf ~"]')
    return raw.encode()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("words", [(), ("--agent",)], ids=["by the event", "by --agent"])
def test_a_deny_is_said_in_the_agents_words(name: str, words: tuple[str, ...]) -> None:
    sample = CALLS[name]
    if name in ("crush", "kiro") and not words:
        pytest.skip(f"nothing in an event of {name} tells the agent: it is answered like an unknown agent")
    found, said = acted(sample, dangerous(sample), *((*words, name) if words else ()))
    assert found == STOPPED
    assert DENIED in said


@pytest.mark.parametrize("name", NAMES)
def test_an_error_of_hookkit_is_answered_in_the_agents_words(name: str) -> None:
    """--on-error deny holds for an event that is no JSON; a call nested too deep to be read is never let through."""
    assert acted(CALLS[name], b"{", "--agent", name, "--on-error=deny")[0] == STOPPED
    native = CALLS[name].native
    raw = f'{{"{native}": 1, "hook_event_name": "{native}", "toolName": {"[" * 100_000}'.encode()
    assert acted(CALLS[name], raw, "--agent", name)[0] != "runs"


def test_an_agent_that_takes_silence_for_a_deny_is_always_answered() -> None:
    """A harmless call, and an event of which nothing is left but the command line's --agent."""
    assert run(json.dumps(CALLS["agy"].value).encode(), "--agent", "agy") == {"decision": ""}
    assert run(json.dumps(CALLS["agy"].value).encode()) == {"decision": ""}
    assert run(b"{}", "--agent", "agy") == {"decision": ""}


@pytest.mark.parametrize(
    "sample", [row for row in UNCLAIMED if row.tool == "Bash" and row.name == "PreToolUse"], ids=str
)
def test_a_deny_reaches_an_agent_that_hookkit_does_not_know(sample: Sample) -> None:
    done = subprocess.run([HOOKKIT, "run"], input=dangerous(sample), capture_output=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["decision"]) == (2, "block")
    assert DENIED in done.stderr.decode().partition("\n")[0]


def test_an_agent_that_hookkit_does_not_know_is_told_once_a_session() -> None:
    value = {"hook_event_name": "before_call", "tool_name": "terminal", "tool_input": {"command": "ls"},
             "session_id": "h-1", "cwd": "/"}  # fmt: skip
    first, second = (subprocess.run([HOOKKIT, "run"], input=json.dumps(value).encode(), capture_output=True, check=True)
                     for _ in range(2))  # fmt: skip
    assert first.stderr.startswith(b"hookkit: an agent that hookkit does not know sent this event (tool 'terminal').")
    assert (first.stdout, second.stdout, second.stderr) == (b"", b"", b"")
    assert (
        b"an agent that hookkit does not know"
        in subprocess.run([HOOKKIT, "errors"], capture_output=True, check=False).stdout
    )


def damaged(raw: bytes) -> dict[str, bytes]:
    """One event, spoilt in every way that a broken pipe or a strange program spoils it."""
    return {
        "cut short": raw[: raw.index(b"rm -rf ~") + 4],
        "with bytes after it": raw + b"}",
        "with invalid UTF-8": raw.replace(b"rm -rf ~", b"rm -rf ~ \xff\xfe"),
        "with a number of 5000 digits": raw[:-1] + b', "n": ' + b"9" * 5000 + b"}",
        "in an array": b"[" + raw + b"]",
    }


@pytest.mark.parametrize("form", damaged(b"rm -rf ~"))
@pytest.mark.parametrize("name", [*NAMES, "claude"])
def test_a_call_that_cannot_be_read_is_asked_about(name: str, form: str) -> None:
    """Asked where the agent can ask, denied where it cannot, by --agent and by what is left of the event.

    If too little is left to tell the agent, the answer is the one for an unknown agent, with exit code 2.
    """
    sample = CALLS.get(name) or Sample(name, "PreToolUse", claude("PreToolUse", tool_name="Bash", tool_input=LS), "")
    raw = damaged(dangerous(sample))[form]
    for words in ((), ("--agent", name)):
        if words or name not in ("opencode", "kilo"):  # the plugin is hookkit's own, and names the agent
            done = subprocess.run([HOOKKIT, "run", *words], input=raw, capture_output=True, check=False)
            assert done.returncode == 2 or effect(sample, json.loads(done.stdout)) in (ASKED, STOPPED)
            assert done.returncode == 0 or not words or name in EXITS
            assert b"hookkit could not read this call, so it is not checked (" in done.stdout + done.stderr


def test_another_event_that_cannot_be_read_is_told_once_a_session() -> None:
    raw = json.dumps(claude("UserPromptSubmit", prompt="go")).encode()[:-1]
    said = "hookkit: run failed and gave no answer: not JSON. Details: hookkit errors"
    assert run(raw) == {"systemMessage": said}
    assert run(raw) == {}


def test_an_unknown_agent_is_told_and_the_event_counts() -> None:
    reply = run(json.dumps(gemini("BeforeTool", tool_name="run_shell_command", tool_input={"command": "rm -rf ~"}))
                .encode(), "--agent", "gemeni")  # fmt: skip
    assert reply["decision"] == "deny"
    assert "--agent takes" in reply["systemMessage"]


def test_every_file_of_a_patch_is_judged() -> None:
    patch = "*** Begin Patch\n*** Update File: README.md\n@@\n*** Delete File: .git/config\n*** End Patch"
    reply = run(json.dumps(codex("PreToolUse", tool_name="apply_patch", tool_input={"command": patch})).encode())
    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_command_is_judged_in_the_directory_that_the_tool_names(project: Path) -> None:
    """`rm -rf .` below the project is not the same as at the root of the disk."""
    (project / "build").mkdir()
    verdicts = []
    for directory in ("build", "/"):
        given = {"command": "rm -rf ./*", "dir_path": directory}
        value = gemini("BeforeTool", tool_name="run_shell_command", tool_input=given)
        verdicts.append(run(json.dumps({**value, "cwd": str(project)}).encode()).get("decision"))
    assert verdicts == [None, "deny"]


def test_text_before_a_tool_comes_with_its_result_once(project: Path, hookkit: Run) -> None:
    """Gemini takes no text before a tool; the model still learns that its command was changed."""
    (project / "Makefile").write_text("test:\n\ttrue\n")
    assert hookkit("trust", cwd=project).returncode == 0
    given = {"command": "pytest -q", "dir_path": "."}
    call = {"tool_name": "run_shell_command", "cwd": str(project)}
    before = run(json.dumps({**gemini("BeforeTool"), **call, "tool_input": given}).encode())
    changed = before["hookSpecificOutput"]["tool_input"]
    assert changed == {"command": "make test", "dir_path": "."}
    raw = json.dumps({**gemini("AfterTool"), **call, "tool_input": changed, "tool_response": {}}).encode()
    told = run(raw)["hookSpecificOutput"]
    assert told["additionalContext"].startswith('hookkit changed "pytest -q" to "make test".')
    assert run(raw) == {}
