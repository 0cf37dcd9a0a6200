"""Every agent's events become hookkit's events, and every decision becomes a reply that the agent obeys."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit import agents, events, registry
from hookkit.agents import _detect, _reading, _unknown
from hookkit.agents.wiring import json_forms, text_forms
from hookkit.model import Decision, Event
from tests.agents.replies import ASKED, CHANGED, RUNS, SCHEMAS, STOPPED, effect, read
from tests.agents.samples import CLAUDES, SAMPLES, UNCLAIMED, Sample, cline, codex, copilot, gemini

NAMES = [name for name in registry.names("agents") if name != "claude"]
# Agents whose events do not tell them apart: Kilo's plugin is OpenCode's and reads the same answers, and Crush, whose
# command names the agent, obeys the answers for an unknown agent too, and so does Kiro.
ALIKE = {"kilo": "opencode", "crush": agents.UNKNOWN, "kiro": agents.UNKNOWN}
each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=str)


texts = st.sampled_from(["", "why", 'a "quoted"\nline', "{not json", "ü\ud800"])
inputs = st.none() | st.just({"command": "make test"})
decisions = st.builds(
    Decision,
    st.sampled_from([None, "allow", "ask", "defer", "deny"]),
    texts,
    updated_input=inputs,
    context=texts,
    message=texts,
)


def parsed(sample: Sample) -> Event:
    event = registry.find("agents", sample.agent).parse(json.loads(json.dumps(sample.value)), {}, "", "/here")
    assert isinstance(event, Event)
    return event


def replied(sample: Sample, event: Event, decision: Decision) -> tuple[str, str]:
    """What the agent does, and all that it is told: stdout, and stderr where the agent obeys exit codes."""
    module = registry.find("agents", sample.agent)
    reply = module.render(event, decision)
    code, said = module.exit_code(event, decision) if hasattr(module, "exit_code") else (0, "")
    return effect(sample, read(sample, reply), code), reply + said


@each_sample
def test_an_event_is_read_in_hookkits_words(sample: Sample) -> None:
    event = parsed(sample)
    assert (event.name, event.tool_name, event.tool_input) == (sample.name, sample.tool, sample.tool_input)
    assert (event.cwd, event.agent) == (sample.cwd, sample.agent)
    assert event.session_id
    assert {name: event.fields.get(name) for name in sample.fields} == sample.fields


@each_sample
def test_the_agent_is_told_by_its_event(sample: Sample) -> None:
    """Without the environment: Claude Code, started by another agent, inherits that agent's variables."""
    assert agents.foreign(sample.value, {}) == ALIKE.get(sample.agent, sample.agent)


# What each agent puts into the environment of a hook; an agent that another agent started inherits it.
VARIABLES = {
    "claude": {"CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": "/srv/app"},
    "copilot": {"COPILOT_PROJECT_DIR": "/srv/app", "COPILOT_CLI": "1", "CLAUDE_PROJECT_DIR": "/srv/app"},
    "gemini": {"GEMINI_SESSION_ID": "g", "GEMINI_PROJECT_DIR": "/srv/app", "CLAUDE_PROJECT_DIR": "/srv/app"},
    "qwen": {"QWEN_CODE_SESSION_ID": "q", "QWEN_PROJECT_DIR": "/srv/app", "GEMINI_PROJECT_DIR": "/srv/app"},
    "grok": {"GROK_SESSION_ID": "r", "GROK_HOOK_EVENT": "pre_tool_use", "CLAUDE_PROJECT_DIR": "/srv/app"},
    "goose": {"PLUGIN_ROOT": "/srv/app"},
    "crush": {"CRUSH": "1", "AGENT": "crush"},
}
EVERY = [(str(sample), sample.value, ALIKE.get(sample.agent, sample.agent)) for sample in SAMPLES]
EVERY += [(str(sample), sample.value, agents.UNKNOWN) for sample in UNCLAIMED]
EVERY += [(f"claude-{number}", value, "") for number, value in enumerate(CLAUDES)]


@pytest.mark.parametrize(("value", "agent"), [row[1:] for row in EVERY], ids=[row[0] for row in EVERY])
def test_no_event_is_taken_for_another_agents(value: dict[str, Any], agent: str) -> None:
    """No mark of another agent is in the event, and the environment of another agent changes nothing.

    Copilot with Claude Code's names sends nothing of its own: only its environment tells it from Gemini and Qwen.
    """
    marks = [name for field, name in _detect.OWN_FIELDS if field in value]
    marks += [name for part, name in _detect.TRANSCRIPTS if part in str(value.get("transcript_path"))]
    marks += [name for event, name in _detect.OWN_EVENTS.items() if value.get("hook_event_name") == event]
    assert set(marks) <= {agent}
    weak = agent == "copilot" and "sessionId" not in value
    for name, variables in VARIABLES.items():
        if not weak or name not in ("gemini", "qwen"):
            assert agents.foreign(value, variables) == agent, name


@pytest.mark.parametrize("sample", UNCLAIMED, ids=str)
def test_a_call_of_an_unknown_agent_is_read_by_the_usual_names(sample: Sample) -> None:
    event = _unknown.parse(json.loads(json.dumps(sample.value)), {}, "", "/srv/app")
    assert (event.name, event.tool_name, event.tool_input) == (sample.name, sample.tool, sample.tool_input)
    assert (event.cwd, event.agent) == (sample.cwd, "unknown")


@pytest.mark.parametrize("sample", [row for row in UNCLAIMED if row.name == "PreToolUse"], ids=str)
@settings(max_examples=60, deadline=None)
@given(decision=decisions)
def test_an_unknown_agent_is_stopped_in_every_usual_way_at_once(sample: Sample, decision: Decision) -> None:
    """Exit code 2, a reason on stderr, and both forms of JSON; nothing at all where nothing is stopped."""
    event = _unknown.parse(sample.value, {}, "", "/srv/app")
    reply, (code, said) = _unknown.render(event, decision), _unknown.exit_code(event, decision)
    if decision.verdict not in ("deny", "ask", "defer") and decision.updated_input is None:
        assert (reply, code) == ("", 0)
        return
    answer = json.loads(reply)
    own = answer["hookSpecificOutput"]
    assert (code, answer["decision"], own["permissionDecision"]) == (2, "block", "deny")
    assert answer["reason"] == own["permissionDecisionReason"] != ""
    assert said.startswith(answer["reason"])


def test_personal_data_and_the_environment_stay_out_of_the_event() -> None:
    for sample in SAMPLES:
        assert not {"user_email", "userId", "env"} & parsed(sample).fields.keys()


@pytest.mark.parametrize("name", registry.names("agents"))
def test_an_agent_tells_init_all_it_needs(name: str) -> None:
    module = registry.find("agents", name)
    assert name == module.NAME
    assert set(module.EVENTS.values()) <= set(events.EVENTS)
    assert set(module.WIRED) <= set(module.EVENTS)
    assert {scope for scope, _ in module.CONFIG} <= {"user", "project", "local"}
    assert f"\n    {module.FORM} " in (agents.__doc__ or "")
    assert module.FORM in {*json_forms.FORMS, *text_forms.FORMS}
    field, units, seconds = module.TIMEOUT
    assert (units in (1, 1000), bool(field) == bool(seconds)) == (True, True)
    assert all(note.endswith(".") for note in (*module.NOTES, getattr(module, "TRUST", ".")))
    can = getattr(module, "CAN", {})
    assert set(can) <= set(module.EVENTS.values())
    assert all(
        set(words.split()) <= set("allow ask deny rewrite context message output".split()) for words in can.values()
    )


def test_every_agent_has_samples_and_replies() -> None:
    assert {sample.agent for sample in SAMPLES} ^ set(NAMES) == set(), "SAMPLES of tests/agents/samples.py"
    assert set(SCHEMAS) ^ set(NAMES) == set(), "SCHEMAS of tests/agents/replies.py"


@each_sample
@settings(max_examples=60, deadline=None)
@given(decision=decisions, output=st.sampled_from([None, "new output", {"a": 1}]))
def test_any_decision_becomes_a_reply_that_the_agent_accepts(sample: Sample, decision: Decision, output: Any) -> None:
    decision.updated_output = output
    event = parsed(sample)
    reply = registry.find("agents", sample.agent).render(event, decision)
    schema = SCHEMAS[sample.agent].get(sample.name)
    if schema is None:
        assert reply == ""
    elif reply:
        jsonschema.Draft202012Validator(schema).validate(read(sample, reply))


STRICT = [sample for sample in SAMPLES if sample.name == "PreToolUse"]


@pytest.mark.parametrize("sample", STRICT, ids=str)
@settings(max_examples=60, deadline=None)
@given(decision=decisions)
def test_a_call_never_runs_against_a_decision(sample: Sample, decision: Decision) -> None:
    """A deny stops, a question stops or asks, a rewrite changes the call or stops it; otherwise nothing stops."""
    found, _ = replied(sample, parsed(sample), decision)
    if decision.verdict == "deny":
        assert found == STOPPED
    elif decision.verdict in ("ask", "defer"):
        assert found in (STOPPED, ASKED)
    elif decision.updated_input is not None:
        assert found in (STOPPED, CHANGED)
    else:
        assert found == RUNS


@pytest.mark.parametrize("sample", STRICT, ids=str)
def test_without_a_person_a_question_is_a_deny_with_the_way_out(sample: Sample) -> None:
    """`policy.unattended` says that no person can answer: in `gemini -p`, a question would end the whole run."""
    event = parsed(sample)
    event.origin.unattended = True
    found, said = replied(sample, event, Decision("ask", "The reason."))
    assert found == STOPPED
    assert "The reason. hookkit would ask a person about this call" in said


# Events on which a deny cannot stop the agent; the reason goes to the model where there is a way.
UNSTOPPED = {
    ("droid", "PostToolUse"), ("cline", "PostToolUse"), ("cline", "Stop"), ("cursor", "PostToolUse"),
    ("qwen", "PostToolUseFailure"), ("copilot", "PostToolUseFailure"), ("kimi", "PostToolUseFailure"),
    ("kimi", "UserPromptSubmit"), ("kimi", "Stop"), ("grok", "PostToolUse"), ("goose", "PostToolUse"),
    ("goose", "UserPromptSubmit"), ("pi", "Stop"), ("auggie", "PostToolUse"),
    ("letta", "PostToolUse"), ("hermes", "PostToolUse"), ("amp", "PostToolUse"), ("amp", "UserPromptSubmit"),
    ("amp", "Stop"),
}  # fmt: skip
SPEECHLESS = {("cline", "Stop"), ("kimi", "PostToolUseFailure"), ("kimi", "Stop"), ("goose", "PostToolUse"),
              ("goose", "UserPromptSubmit"), ("pi", "Stop"), ("hermes", "PostToolUse"),
              ("amp", "PostToolUse"), ("amp", "UserPromptSubmit"), ("amp", "Stop")}  # fmt: skip


@each_sample
def test_a_deny_stops_what_can_be_stopped_and_is_told_otherwise(sample: Sample) -> None:
    row = events.EVENTS.get(sample.name, events.UNKNOWN)
    if "deny" not in row.answers or sample.name == "PreCompact":
        return
    found, said = replied(sample, parsed(sample), Decision("deny", "The reason."))
    place = (sample.agent, sample.name)
    assert (found == STOPPED) == (place not in UNSTOPPED)
    assert ("The reason." in said) == (place not in SPEECHLESS)


@pytest.mark.parametrize(
    ("agent", "value", "expected"),
    [
        ("gemini", gemini("BeforeTool", tool_name="run_shell_command",
                          tool_input={"command": "pytest", "description": "d", "dir_path": "x"}),
         {"command": "make test", "description": "d", "dir_path": "x"}),
        ("cline", cline("tool_call", tool_call={"name": "run_commands", "input": {"commands": ["pytest"]}}),
         {"commands": ["make test"]}),
        ("copilot", copilot(toolName="write_bash", toolArgs={"shellId": "1", "input": "pytest"}),
         {"shellId": "1", "input": "make test"}),
        ("codex", codex("PreToolUse", tool_name="apply_patch", tool_input={"command": "*** Begin Patch\n"}), None),
    ],
)  # fmt: skip
def test_a_rewrite_goes_back_in_the_agents_own_fields(agent: str, value: Any, expected: Any) -> None:
    """Every other field stays; a change that has no field of the agent is no rewrite."""
    event = registry.find("agents", agent).parse(value, {}, "", "/")
    changed = {**event.tool_input, "command" if event.tool_name == "Bash" else "files": "make test"}
    assert _reading.restored(event, changed) == expected


def test_two_fields_with_one_meaning_are_both_judged() -> None:
    """The agent alone knows which of them counts."""
    value = copilot(toolName="view", toolArgs={"path": "/etc/shadow", "file_path": "/srv/app/a"})
    event = registry.find("agents", "copilot").parse(value, {}, "", "/")
    assert event.tool_input == {"file_path": ["/etc/shadow", "/srv/app/a"]}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_value_in_any_field_is_read_and_answered(name: str, data: st.DataObject) -> None:
    sample = data.draw(st.sampled_from([sample for sample in SAMPLES if sample.agent == name]))
    value = json.loads(json.dumps(sample.value))
    where = data.draw(st.sampled_from(sorted(value)))
    value[where] = data.draw(json_values)
    module = registry.find("agents", name)
    event = module.parse(value, {}, "", "/here")
    assert isinstance(module.render(event, Decision("deny", "why", context="c", message="m")), str)
    agents.foreign(value, {})


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_any_value_in_any_field_of_an_unknown_agent_is_read_and_answered(data: st.DataObject) -> None:
    value = json.loads(json.dumps(data.draw(st.sampled_from(UNCLAIMED)).value))
    value[data.draw(st.sampled_from(sorted(value)))] = data.draw(json_values)
    event = _unknown.parse(value, {}, "", "/here")
    assert isinstance(_unknown.render(event, Decision("deny", "why", message="m")), str)
    agents.foreign(value, {})


def test_the_page_about_agents_is_up_to_date() -> None:
    """docs/agents.md is written from the tables: run scripts/agents-page after a change."""
    script = Path(__file__).parents[2] / "scripts" / "agents-page"
    done = subprocess.run([sys.executable, str(script), "--check"], check=False)
    assert done.returncode == 0, "run scripts/agents-page"
