"""hookkit doctor: settings broken in many ways are named by a stable id, and mended where a program can."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hookkit.agents import doctor
from hookkit.agents.doctor import SERIOUS, Setup
from hookkit.agents.transcripts import past_calls
from hookkit.agents.transcripts.past_calls import Session
from hookkit.agents.wiring import change, launcher, settings_files
from hookkit.errors import HookkitError
from hookkit.server import process
from hookkit.system import error_log
from tests.agents.doctor.breaks import BREAKS, REAL, commands, wire
from tests.conftest import HOOKKIT, slow
from tests.ledger.making import request, write


@pytest.fixture
def settings_file(home: Path, project: Path) -> Path:
    """The person's settings file with hookkit, as init writes it."""
    (home / ".claude").mkdir()
    wire(project, "user")
    return home / ".claude" / "settings.json"


def found(project: Path, *agents: str) -> dict[str, str]:
    """The ids of all problems with their severity."""
    setup = Setup(dict(os.environ), str(project), [settings_files.AGENTS[name] for name in agents or ("claude",)])
    return {each.id: each.severity for each in doctor.problems(setup, live=False)}


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_setup_is_named_and_mended(
    name: str, settings_file: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each break has its id; --fix mends it with a backup, and then finds nothing serious of that kind."""
    monkeypatch.setenv("PATH", os.defpath)
    assert found(project) == {}
    case = BREAKS[name]
    case.apply(settings_file, project)
    assert found(project).get(case.id) == case.severity
    mended = doctor.mend(dict(os.environ), str(project), [settings_files.AGENTS["claude"]])
    assert (case.id in {problem.id for problem, _ in mended}) == case.is_mended
    assert all(Path(backup).exists() for _, backup in mended)
    assert (case.id not in found(project)) == case.is_mended


def test_a_fix_keeps_what_uninit_needs(settings_file: Path, project: Path) -> None:
    """A file mended by doctor still goes back to no file, as before init."""
    commands("hookit run", "Stop")(settings_file, project)
    environ = dict(os.environ)
    doctor.mend(environ, str(project), [settings_files.AGENTS["claude"]])
    place = settings_files.place(settings_files.AGENTS["claude"], "user", str(project), environ)
    assert place
    [back] = change.to_unwire(place, environ)
    assert back.after is None or b"hookkit" not in back.after


@pytest.mark.parametrize("agent", [name for name in settings_files.AGENTS if name != "claude"])
def test_every_agent_is_wired_looked_at_and_cleaned_up(agent: str, home: Path, project: Path) -> None:
    """init, doctor and uninit know the files of every agent; a second init changes nothing."""
    before = {path for path in home.rglob("*") if ".local" not in path.parts}
    wire(project, "user", agent)
    environ = dict(os.environ)
    place = settings_files.place(settings_files.AGENTS[agent], "user", str(project), environ)
    assert place
    assert all(each.is_empty for each in change.to_wire(place, change.Options(REAL, launcher.path(environ))))
    problems = found(project, agent)
    assert [each for each in problems if not each.startswith("trust.")] == []
    for each in reversed(change.to_unwire(place, environ)):
        change.revert(each, environ)
    assert {path for path in home.rglob("*") if ".local" not in path.parts} == before


@pytest.mark.parametrize("agent", ["kimi", "vibe", "cocode"])
def test_toml_of_others_stays(agent: str, home: Path, project: Path) -> None:
    """Rows and comments of others stay where they are, also when the file was changed after init."""
    environ = dict(os.environ)
    place = settings_files.place(settings_files.AGENTS[agent], "user", str(project), environ)
    assert place
    path = Path(place.path)
    path.parent.mkdir(parents=True)
    theirs = '# mine\nmodel = "x"  # note\n\n[[hooks]]\nevent = "Stop"\ntype = "post_agent"\ncommand = "beep"\n'
    path.write_text(theirs)
    wire(project, "user", agent)
    assert path.read_text().startswith(theirs)
    path.write_text(path.read_text() + "\n[later]\nx = 1\n")
    [back] = change.to_unwire(place, environ)
    assert back.after is not None
    assert back.after.decode() == theirs + "\n[later]\nx = 1\n"


def test_untrusted_codex_hooks_are_named(home: Path, project: Path) -> None:
    path = wire(project, "user", "codex")
    assert found(project, "codex") == {"trust.codex": SERIOUS}
    state = f'[hooks.state."{path}:pre_tool_use:0:0"]\ntrusted_hash = "sha256:1"\n'
    (home / ".codex" / "config.toml").write_text(state)
    assert found(project, "codex") == {}


def test_an_untrusted_folder_is_named(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wire(project, "project")
    assert found(project)["launcher.off-path"] == SERIOUS
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable), prepend=os.pathsep)
    assert found(project) == {"trust.folder": "warning"}
    known = {"projects": {str(project): {"hasTrustDialogAccepted": True}}}
    (home / ".claude.json").write_text(json.dumps(known))
    assert found(project) == {}


def transcript(home: Path, project: Path, session: str, *calls: str) -> None:
    at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + 1))
    uses = [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "ls"}} for call in calls]
    row = {"type": "assistant", "timestamp": at, "cwd": str(project), "sessionId": session,
           "message": {"role": "assistant", "content": uses}}  # fmt: skip
    path = home / ".claude" / "projects" / "-p" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(row) + "\n")


def test_a_session_without_rows_is_named(settings_file: Path, home: Path, project: Path) -> None:
    """Tool calls in the transcript and none in the ledger: the hooks did not fire."""
    transcript(home, project, "silent", "toolu_1", "toolu_2")
    assert found(project) == {"live.silent": SERIOUS}


def test_a_session_with_its_rows_is_well(settings_file: Path, home: Path, project: Path) -> None:
    transcript(home, project, "good", "call-1")
    write(dict(os.environ), request(1, session="good", call="call-1"))
    assert found(project) == {}


def test_a_denied_call_with_a_result_is_named(settings_file: Path, home: Path, project: Path) -> None:
    """A mod of the client can overrule a deny: the result of the call gives it away."""
    transcript(home, project, "good", "call-1")
    write(dict(os.environ), {**request(1, session="good", call="call-1"), "verdict": "deny"})
    assert found(project) == {}
    write(dict(os.environ), {"event": "PostToolUse", "session": "good", "call": "call-1", "tool": "Bash"})
    assert found(project) == {"live.overruled": SERIOUS}


def test_a_session_of_before_is_no_problem(settings_file: Path, home: Path, project: Path) -> None:
    transcript(home, project, "before", "toolu_1")
    later = time.time() + 60
    os.utime(settings_file, (later, later))
    assert found(project) == {}


REAL_SESSIONS = Path(__file__).parents[2] / "agents" / "transcripts" / "real"


def real_session(agent: str, home: Path, project: Path) -> Session:
    """A transcript left by the real agent, as if the session had been in this project, just now."""
    at = time.strftime("%Y-%m-%dT%H:%M:", time.gmtime(time.time() + 60))
    for path in (REAL_SESSIONS / f".{agent}").rglob("*"):
        new = home / path.relative_to(REAL_SESSIONS)
        if path.is_file():
            new.parent.mkdir(parents=True, exist_ok=True)
            content = path.read_text().replace("2026-11-18T01:49:", at)
            new.write_text(content.replace("/home/dev/project", str(project)))
    [session] = past_calls.recent(agent, dict(os.environ), 0)
    return session


@pytest.mark.parametrize("agent", ["codex", "gemini", "copilot", "qwen"])
def test_a_silent_session_of_each_agent_is_named(agent: str, home: Path, project: Path) -> None:
    """No row, a row of half of the calls, a row of each call."""
    wire(project, "user", agent)
    session = real_session(agent, home, project)
    known = found(project, agent)
    assert known.pop("live.silent") == SERIOUS
    write(dict(os.environ), {"event": "SessionStart", "session": session.id, "cwd": str(project)})
    assert found(project, agent) == {**known, "live.gaps": "warning"}
    for number, call in enumerate(session.calls if agent == "codex" else ("", "")):
        write(dict(os.environ), request(number, session=session.id, call=call))
    assert found(project, agent) == known


def test_a_silent_session_has_its_cause(home: Path, project: Path) -> None:
    """Codex runs no hook before its trust: doctor says so beside the session."""
    wire(project, "user", "codex")
    real_session("codex", home, project)
    setup = Setup(dict(os.environ), str(project), [settings_files.AGENTS["codex"]])
    [silent] = [each for each in doctor.problems(setup, live=False) if each.id == "live.silent"]
    assert silent.message.startswith("Codex CLI, session 01a1ec58 of ")
    assert "2 tool calls and no hook fired: Codex has not trusted the hooks of" in silent.message


def test_a_missing_warm_server_is_named_unless_it_starts_by_itself(home: Path, project: Path) -> None:
    (home / ".claude").mkdir()
    place = settings_files.place(settings_files.AGENTS["claude"], "user", str(project), dict(os.environ))
    assert place
    options = change.Options(REAL, launcher.path(dict(os.environ)), warm=True)
    launcher.write(options.script, change.launcher_text(options.launcher, dict(os.environ)))
    [one] = change.to_wire(place, options)
    change.apply(one, dict(os.environ))
    assert found(project) == {"server.down": "warning"}
    process.set_on_demand(dict(os.environ), process.ON)
    assert found(project) == {}


def test_a_projects_settings_are_looked_at_without_the_agents_program(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`init --scope project` on a machine without the agent, then a typing mistake in the name of an event."""
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable))
    path = Path(wire(project, "project"))
    path.write_text(path.read_text().replace('"PreToolUse"', '"PreToolUze"'))
    setup = Setup(dict(os.environ), str(project))
    assert [agent.name for agent in setup.agents] == ["claude"]
    assert "wiring.events" in {each.id for each in doctor.problems(setup, live=False)}


def test_hooks_that_run_twice_after_convert_are_named(home: Path, project: Path) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    handler = {"type": "command", "command": "./no-main.sh"}
    path.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}))
    wire(project, "user")
    assert "wiring.converted" not in found(project)
    own = home / ".config" / "hookkit" / "hookkit.toml"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text('[[hooks]]\nevent = "PreToolUse"\n[hooks.shell]\ncommand = "./no-main.sh"\n')
    assert found(project)["wiring.converted"] == "warning"


def test_live_runs_every_command_and_leaves_no_trace(settings_file: Path, home: Path, project: Path) -> None:
    """`rm -rf ~` is denied by the wired command itself; no report, row or mark stays in the home."""
    before = set(home.rglob("*"))  # doctor itself opens the ledger
    setup = Setup(dict(os.environ), str(project), [settings_files.AGENTS["claude"]])
    problems = doctor.problems(setup, live=True)
    assert [(each.id, each.severity) for each in problems] == [("live.speed", "note")]
    assert {path for path in home.rglob("*") if "ledger" not in path.parts} == before
    commands("true", "PreToolUse")(settings_file, project)
    commands(f"{HOOKKIT} run --on-error nonsense; exit 3", "Stop")(settings_file, project)
    setup = Setup(dict(os.environ), str(project), [settings_files.AGENTS["claude"]])
    ids = {each.id for each in doctor.problems(setup, live=True)}
    assert {"wiring.events", "live.exit"} <= ids


# Agents with their own form of event or answer. The last two refuse the call of a late hook by a setting of their own.
@pytest.mark.parametrize(
    "agent", ["copilot", "claude", *slow("agy", "cline", "hermes", "junie", "kiro", "letta", "vibe")]
)
def test_live_delays_kills_and_cuts_short_a_line_that_fails_closed(agent: str, home: Path, project: Path) -> None:
    wire(project, "user", agent, closed=True)
    setup = Setup(dict(os.environ), str(project), [settings_files.AGENTS[agent]])
    late = set() if agent in ("claude", "vibe") else {("live.late", "note")}
    ids = {(each.id, each.severity) for each in doctor.problems(setup, live=True) if each.id.startswith("live.")}
    assert ids == {("live.speed", "note"), *late}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"{HOOKKIT} run --on-error deny || true", "a hook that is killed, or ended because it is late, ends with 0"),
        (f"head -c 4 >/dev/null; {HOOKKIT} run --on-error deny </dev/null | true; exit 0", "is not denied"),
    ],
)
def test_live_names_a_line_that_only_seems_to_fail_closed(
    line: str, said: str, settings_file: Path, project: Path
) -> None:
    commands(line, "PreToolUse")(settings_file, project)
    setup = Setup(dict(os.environ), str(project), [settings_files.AGENTS["claude"]])
    messages = [each.message for each in doctor.problems(setup, live=True) if each.severity == SERIOUS]
    assert any(said in message for message in messages)


@pytest.mark.parametrize(
    ("version", "ids"), [("1.34.0", {"wiring.deaf"}), ("1.9.2", {"wiring.deaf"}), ("1.52.0", set()), ("", set())]
)
def test_a_goose_that_obeys_no_hook_is_named(
    version: str, ids: set[str], home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "goose"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho ' {version}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    wire(project, "user", "goose")
    assert set(found(project, "goose")) == ids


WEBHOOK = """[[hooks]]
event = "PreToolUse"
name = "w"
[hooks.webhook]
url = "http://127.0.0.1:1"
headers = { Authorization = "Bearer ${HOOK_API_KEY}" }
"""
HANDLER = '[[hooks]]\nevent = "{}"\n[hooks.command]\ncommand = "true"\n'


def test_a_handler_of_an_event_that_is_not_wired_is_named_and_mended(
    settings_file: Path, home: Path, project: Path
) -> None:
    """`init` wires 18 of the 33 events; a handler of another one would never run."""
    own = home / ".config" / "hookkit" / "hookkit.toml"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(HANDLER.format("PermissionDenied"))
    environ = dict(os.environ)
    agents = [settings_files.AGENTS["claude"]]
    found = doctor.problems(Setup(environ, str(project), agents), live=False)
    assert [each.message for each in found if each.id == "wiring.events"] == [
        "Claude Code does not call hookkit on PermissionDenied, so your handlers of PermissionDenied never run"
    ]
    doctor.mend(environ, str(project), agents)
    assert "PermissionDenied" in json.loads(settings_file.read_text())["hooks"]
    assert [each.id for each in doctor.problems(Setup(environ, str(project), agents), live=False)] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[rules]]\ntype = "approval_gate"\nconfig = { condition = "effort.ticket == 1" }\n',
         ("approval_gate 'effort.ticket == 1': sessions are off, so nothing supplies effort",
          "switch sessions on: hookkit set sessions.parts +track")),
        ('[[rules]]\ntype = "approval_gate"\nconfig = { condition = "gti.dirty" }\n',
         ("approval_gate 'gti.dirty': there is no fact 'gti'", "correct the name")),
        (WEBHOOK,
         ("webhook 'w': allowed_env does not list HOOK_API_KEY, so the header is sent without the value",
          'add allowed_env = ["HOOK_API_KEY"]')),
    ],
)  # fmt: skip
def test_a_part_without_a_source_is_named_by_doctor_and_at_the_start_of_a_session(
    text: str, said: tuple[str, str], settings_file: Path, home: Path, project: Path
) -> None:
    own = home / ".config" / "hookkit" / "hookkit.toml"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(text)
    setup = Setup(dict(os.environ), str(project), [settings_files.AGENTS["claude"]])
    found = [(each.message, each.fix) for each in doctor.problems(setup, live=False) if each.id == "settings.source"]
    assert found == [said]
    event = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(project), "source": "startup"}
    done = subprocess.run([HOOKKIT, "run"], input=json.dumps(event).encode(), capture_output=True, check=True)
    assert f"hookkit: {'; '.join(said)}" in json.loads(done.stdout)["systemMessage"]


def test_a_long_error_is_cut_at_a_word(project: Path) -> None:
    error_log.record(dict(os.environ), "run PreToolUse", HookkitError("word " * 100))
    setup = Setup(dict(os.environ), str(project))
    [problem] = [each for each in doctor.problems(setup, live=False) if each.id == "errors.recent"]
    assert problem.message.startswith("hooks hit 1 error in the last week; the last: run PreToolUse")
    assert problem.message.endswith(" word …")
