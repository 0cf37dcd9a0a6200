"""Ways to break the settings of Claude Code, for the tests of doctor by files and in the real client."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hookkit.agents.doctor import NOTE, SERIOUS, WARNING
from hookkit.agents.wiring import change, launcher, settings_files
from hookkit.agents.wiring.launcher import Launcher
from tests.conftest import HOOKKIT

Break = Callable[[Path, Path], None]
REAL = Launcher(HOOKKIT, sys.executable)
OLD = "[ -x {0} ] && exec {0} run"


def wire(project: Path, scope: str, agent: str = "claude", *, closed: bool = False) -> str:
    environ = dict(os.environ)
    place = settings_files.place(settings_files.AGENTS[agent], scope, str(project), environ)
    assert place
    script = launcher.path(environ)
    launcher.write(script, change.launcher_text(REAL, environ))
    for each in change.to_wire(place, change.Options(REAL, script, closed=closed)):
        change.apply(each, environ)
    return place.path


def edit(path: Path, change_: Callable[[dict[str, Any]], None]) -> None:
    value = json.loads(path.read_text())
    change_(value)
    path.write_text(json.dumps(value, indent=2))


def commands(new: str, *events: str) -> Break:
    """Break the command of some events, or of all."""

    def break_(path: Path, _: Path) -> None:
        def put(value: dict[str, Any]) -> None:
            for event in events or value["hooks"]:
                handler = value["hooks"][event][0]["hooks"][0]
                handler["command"] = new
                handler.pop("args", None)

        edit(path, put)

    return break_


def handler(event: str, **fields: Any) -> Break:
    return lambda path, _: edit(path, lambda value: value["hooks"][event][0]["hooks"][0].update(fields))


def group(event: str, **fields: Any) -> Break:
    return lambda path, _: edit(path, lambda value: value["hooks"][event][0].update(fields))


def moved_venv(path: Path, project: Path) -> None:
    """A launcher whose Python has gone, as after an upgrade of Python."""
    program = project / "hookkit"
    program.write_text("#!/no/such/python\n")
    program.chmod(0o755)
    commands(OLD.format(program))(path, project)


def another_version(path: Path, project: Path) -> None:
    program = project / "hookkit"
    program.write_text("#!/bin/sh\necho hookkit 0.0.1\n")
    program.chmod(0o755)
    commands(OLD.format(program))(path, project)


def without(*events: str) -> Break:
    return lambda path, _: edit(path, lambda value: [value["hooks"].pop(event) for event in events].clear())


def text(content: str) -> Break:
    def break_(path: Path, _: Path) -> None:
        path.write_text(content)

    return break_


def endless(path: Path, _: Path) -> None:
    path.write_text(path.read_text().replace('"timeout": 30 ', '"timeout": 1e999 ', 1))


def also_here(_: Path, project: Path) -> None:
    wire(project, "local")


def broken_policy(_: Path, project: Path) -> None:
    (project / "hookkit.toml").write_text("x = [")


@dataclass(frozen=True)
class Case:
    """`apply(settings file, project)` breaks a good setup. `is_dead`: the client runs no hook for a call of Bash."""

    apply: Break
    id: str
    severity: str
    is_mended: bool
    is_dead: bool


BREAKS = {
    "a typo in the program": Case(
        commands("hookit run", "PreToolUse"), "wiring.misspelt", SERIOUS, is_mended=True, is_dead=True
    ),
    "a bare command off the PATH": Case(
        commands("hookkit run"), "launcher.off-path", SERIOUS, is_mended=True, is_dead=True
    ),
    "a relative path": Case(
        commands(".venv/bin/hookkit run"), "launcher.relative", SERIOUS, is_mended=True, is_dead=True
    ),
    "a deleted program": Case(
        commands("/gone/bin/hookkit run"), "launcher.missing", SERIOUS, is_mended=True, is_dead=True
    ),
    "a moved venv": Case(moved_venv, "launcher.interpreter", SERIOUS, is_mended=True, is_dead=True),
    "another version": Case(another_version, "launcher.version", WARNING, is_mended=True, is_dead=True),
    "a line open to the environment": Case(
        commands(f"{HOOKKIT} run"), "launcher.environment", WARNING, is_mended=True, is_dead=False
    ),
    "a matcher that never fits": Case(
        group("PreToolUse", matcher="bash"), "wiring.matcher", SERIOUS, is_mended=True, is_dead=True
    ),
    "a matcher that leaves tools out": Case(
        group("PreToolUse", matcher="Bash"), "wiring.matcher", SERIOUS, is_mended=True, is_dead=False
    ),
    "milliseconds": Case(
        handler("PreToolUse", timeout=30000), "wiring.timeout", WARNING, is_mended=True, is_dead=False
    ),
    "no time at all": Case(
        handler("PreToolUse", timeout=0), "settings.rejected", SERIOUS, is_mended=False, is_dead=True
    ),
    "less than no time": Case(
        handler("PreToolUse", timeout=-1), "settings.rejected", SERIOUS, is_mended=False, is_dead=True
    ),
    "a limit beyond every number": Case(endless, "settings.rejected", SERIOUS, is_mended=False, is_dead=True),
    "no PreToolUse": Case(without("PreToolUse"), "wiring.events", SERIOUS, is_mended=True, is_dead=True),
    "some events": Case(without("Stop", "PreCompact"), "wiring.events", WARNING, is_mended=True, is_dead=False),
    "hooks switched off": Case(
        lambda path, _: edit(path, lambda value: value.update(disableAllHooks=True)),
        "wiring.disabled",
        SERIOUS,
        is_mended=False,
        is_dead=True,
    ),
    "a broken file": Case(text("{"), "settings.unreadable", SERIOUS, is_mended=False, is_dead=True),
    "no hookkit at all": Case(text("{}"), "wiring.none", SERIOUS, is_mended=False, is_dead=True),
    "a misspelt event": Case(
        lambda path, _: edit(path, lambda value: value["hooks"].update(PreTooluse=value["hooks"].pop("PreToolUse"))),
        "wiring.events",
        SERIOUS,
        is_mended=True,
        is_dead=True,
    ),
    "an async guard": Case(
        handler("PreToolUse", **{"async": True}), "wiring.async", SERIOUS, is_mended=True, is_dead=True
    ),
    "an event that nothing needs": Case(
        lambda path, _: edit(path, lambda value: value["hooks"].update(PostToolBatch=value["hooks"]["PreToolUse"])),
        "wiring.unneeded",
        NOTE,
        is_mended=True,
        is_dead=False,
    ),
    "the same in the project": Case(also_here, "wiring.twice", WARNING, is_mended=False, is_dead=False),
    "a mistake in the policy": Case(broken_policy, "policy.broken", SERIOUS, is_mended=False, is_dead=False),
}
