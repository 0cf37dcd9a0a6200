"""An event that only a handler asks for is added to the settings that have hookkit; every other line stays."""

import json
import os
from pathlib import Path

import pytest

from hookkit.events import EVENTS
from hookkit.wiring import change, events, places
from tests.cli.conftest import Command, command
from tests.doctor.breaks import REAL

__all__ = ["command"]


def wire(project: Path, agent: str, *, closed: bool = False) -> Path:
    environ = dict(os.environ)
    place = places.place(places.AGENTS[agent], "user", str(project), environ)
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
    assert "Kimi Code does not call hookkit on PermissionRequest yet. Run: hookkit init" in " ".join(done.err.split())
    assert path.read_text() == before


def test_an_event_that_the_agent_lacks_is_told(project: Path, command: Command) -> None:
    wire(project, "vibe")
    done = command("hook", "add", "SessionStart", "--command", "true", "--name", "x")
    assert "Mistral Vibe has no event SessionStart: the handler does not run there" in " ".join(done.err.split())


def test_lines_with_hooks_of_choice_are_left_alone(project: Path) -> None:
    environ = dict(os.environ)
    place = places.place(places.AGENTS["claude"], "user", str(project), environ)
    assert place
    for each in change.to_wire(place, change.Options(REAL, "/x/hookkit/hook", ["guard"])):
        change.apply(each, environ)
    assert events.to_add(place, ["CwdChanged"]) is None
