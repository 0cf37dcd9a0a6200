"""An event that only a handler asks for is added to the settings that have hookkit; every other line stays."""

import json
import os
from pathlib import Path

import pytest

from hookkit.agents.wiring import change, events, settings_files
from hookkit.events import EVENTS
from tests.agents.doctor.breaks import REAL
from tests.cli.conftest import Command, command
from tests.conftest import Run

__all__ = ["command"]


def wire(project: Path, agent: str, *, closed: bool = False) -> Path:
    environ = dict(os.environ)
    place = settings_files.place(settings_files.AGENTS[agent], "user", str(project), environ)
    assert place
    for each in change.to_wire(place, change.Options(REAL, "/x/hookkit/hook", closed=closed)):
        change.apply(each, environ)
    return Path(place.path)


@pytest.mark.parametrize("event", EVENTS)
def test_a_handler_of_any_event_is_wired_by_hook_add_alone(event: str, project: Path, command: Command) -> None:
    path = wire(project, "claude", closed=True)
    before = json.loads(path.read_text())["hooks"]
    done = command("hook", "add", event, "--command", "true", "--name", "x")
    after = json.loads(path.read_text())["hooks"]
    assert done.code == 0
    assert event in after
    assert {name: after[name] for name in before} == before
    assert ("Claude Code now calls hookkit on" in done.out) is (event not in before)


def test_an_agent_whose_file_takes_no_single_line_is_named(project: Path, home: Path, command: Command) -> None:
    path = wire(project, "kimi")
    before = path.read_text()
    done = command("hook", "add", "PermissionRequest", "--command", "true", "--name", "x")
    said = "Kimi Code does not call hookkit on PermissionRequest, so your handlers of PermissionRequest never run; "
    assert f"{said}run: hookkit init" in " ".join(done.err.split())
    assert path.read_text() == before


def test_an_event_that_the_agent_lacks_is_told(project: Path, command: Command) -> None:
    wire(project, "vibe")
    done = command("hook", "add", "SessionStart", "--command", "true", "--name", "x")
    assert "Mistral Vibe has no event SessionStart: the handler does not run there" in " ".join(done.err.split())


def test_lines_with_hooks_of_choice_are_left_alone(project: Path) -> None:
    environ = dict(os.environ)
    place = settings_files.place(settings_files.AGENTS["claude"], "user", str(project), environ)
    assert place
    for each in change.to_wire(place, change.Options(REAL, "/x/hookkit/hook", ["guard"])):
        change.apply(each, environ)
    assert events.to_add(place, ["CwdChanged"]) is None


HANDLER = '[[hooks]]\nevent = "FileChanged"\ncommand = { command = "true" }\n'
UNWIRED = "Claude Code does not call hookkit on FileChanged, so your handlers of FileChanged never run"
NO_OUTPUT = "Mistral Vibe lets no hook change what a tool printed: shield.enabled has no effect there"


@pytest.mark.parametrize(
    ("agent", "text", "said"),
    [
        ("claude", HANDLER, UNWIRED),
        ("vibe", HANDLER, "Mistral Vibe has no event FileChanged: the handler does not run there"),
        ("vibe", "[shield]\nenabled = true\n", NO_OUTPUT),
        ("claude", "[shield]\nenabled = true\n", ""),
        ("claude", '[[hooks]]\nevent = "PreToolUse"\ntimeout_sec = 200\ncommand = { command = "true" }\n',
         "Claude Code: PreToolUse: handlers may take 200 s, and have 25 s"),
        ("kimi", '[gate]\nchecks = ["true"]\n', "Kimi Code cannot be held at the end of a turn: gate.checks has no"),
    ],
)  # fmt: skip
def test_what_an_agent_leaves_without_effect_is_named_by_every_command(
    agent: str, text: str, said: str, project: Path, home: Path, command: Command, hookkit: Run
) -> None:
    """By validate, doctor, set, hook add, and at the start of a session of that agent."""
    wire(project, agent)
    own = home / ".config" / "hookkit" / "hookkit.toml"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(text)
    event = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(project), "source": "startup"}
    answers = [command("validate").err, command("doctor").out]
    answers += [hookkit("run", stdin=event).stdout.decode()] if agent == "claude" else []
    answers += [command("init", "--agent", agent, "--yes").err] if agent != "claude" else []
    for answer in answers:
        assert said in " ".join(answer.split())
        assert said or "has no effect" not in answer


def test_set_names_what_the_agents_here_leave_without_effect(project: Path, command: Command) -> None:
    wire(project, "vibe")
    assert NO_OUTPUT in " ".join(command("set", "shield.enabled", "true").err.split())
    assert NO_OUTPUT not in " ".join(command("set", "undo.megabytes", "9").err.split())  # it is known


def test_validate_reads_the_file_of_hook_add_as_hookkits_own(project: Path, command: Command) -> None:
    """Its name is that of cocode's file, which knows neither projects nor Claude Code's other events."""
    command("hook", "add", "CwdChanged", "--command", "true", "--name", "x")
    done = command("validate")
    assert (done.code, "No mistakes" in done.out) == (0, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("PreToolUse", "--if", "Bsh(git push)"), "'Bsh(git push)': there is no tool Bsh, so the handler never runs"),
        (("PreToolUse", "--async", "--reject"), "an async handler answers too late to hold anything; remove async"),
        (("Notification", "--reject"), "Notification is only told: nothing can be held"),
        (("Stop", "--ask"), "Stop cannot ask, so the handler's failure is passed over"),
        (("Stop", "--matcher", "Bash"), "Stop has nothing to match, so the handler never runs; remove the matcher"),
        (("PreToolUse", "--matcher", "Bash"), ""),
    ],
)
def test_hook_add_names_what_never_counts(words: tuple[str, ...], said: str, project: Path, command: Command) -> None:
    wire(project, "claude")
    told = " ".join(command("hook", "add", *words, "--command", "true", "--name", "x").err.split())
    assert said in told
    assert said or told == ""


@pytest.mark.parametrize(
    ("text", "files", "said"),
    [
        ('[nudge]\nkeywords = { ship = "/ship" }\n', {},
         "nudge.keywords: ship has no effect: there is no /ship under .claude; correct the name"),
        ('[nudge]\nkeywords = { ship = "/ship" }\n', {".claude/commands/ship.md": "Ship."}, ""),
        ('[nudge]\nkeywords = { ship = "/ship" }\ntargets = "all"\n', {}, ""),
        ('[statusline]\ncommand = "date"\n', {},
         "statusline.command has no effect: no settings file of Claude Code calls hookkit statusline"),
        ('[statusline]\ncommand = "date"\n',
         {".claude/settings.json": '{"statusLine": {"type": "command", "command": "hookkit statusline"}}'}, ""),
        ('[suggest_files]\ncommand = "ls"\n', {},
         "suggest_files.command has no effect: no settings file of Claude Code calls hookkit suggest-files"),
    ],
)  # fmt: skip
def test_a_setting_that_waits_for_a_file_is_named(
    text: str, files: dict[str, str], said: str, project: Path, home: Path, command: Command
) -> None:
    for name, content in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(content)
    own = home / ".config" / "hookkit" / "hookkit.toml"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(text)
    told = " ".join(command("validate").err.split())
    assert said in told
    assert said or "has no effect" not in told


def test_hook_add_tells_that_handlers_are_off(project: Path, command: Command) -> None:
    wire(project, "claude")
    command("set", "disable_all_hooks", "true")
    done = command("hook", "add", "Stop", "--command", "true", "--name", "x")
    assert "hooks has no effect: disable_all_hooks is true; set disable_all_hooks = false" in " ".join(done.err.split())
