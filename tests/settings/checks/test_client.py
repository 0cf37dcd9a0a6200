"""Mistakes in wiring hookkit into the client."""

import json
from typing import Any

import pytest

from hookkit.settings.formats import claude_settings

ALONE = "hookkit run is wired on PreToolUse only, and would also answer PostToolUse, "


def said(hooks: dict[str, str]) -> list[tuple[str, str, str]]:
    """Severity, message and fix, for a command on each event."""
    groups: dict[str, Any] = {
        event: [{"hooks": [{"type": "command", "command": command}]}] for event, command in hooks.items()
    }
    report = claude_settings.examine("settings.json", json.dumps({"hooks": groups}))
    return [(each.severity, each.message, each.fix) for each in report.findings]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("hookit run", "hookit"),
        ("hook-kit run --on-error ask", "hook-kit"),
        ("/usr/local/bin/hookitt guard", "hookitt"),
        ("Hookkit run", "Hookkit"),
        ("timeout 5 hokkit run", "hokkit"),
    ],
)
def test_a_misspelt_program_is_found(command: str, name: str) -> None:
    hook = "guard" if "guard" in command else "run"
    expected = f"hooks.PreToolUse[0].hooks[0]: there is no program {name}"
    assert said({"PreToolUse": command}) == [("error", expected, f"did you mean hookkit {hook}?")]


@pytest.mark.parametrize("command", ["hookshot fire", "hookit deploy", "npm run", "webhook run", "./hooks/run run"])
def test_other_programs_are_left_alone(command: str) -> None:
    assert said({"PreToolUse": command}) == []


def test_run_on_a_single_event_is_a_warning() -> None:
    ((severity, message, fix),) = said({"PreToolUse": "hookkit run"})
    assert (severity, fix) == ("warning", "run: hookkit init")
    assert message.startswith(ALONE)


@pytest.mark.parametrize(
    "hooks",
    [
        {"PreToolUse": "hookkit run", "Stop": "hookkit run"},
        {"PreToolUse": "hookkit guard"},
        {"Notification": "hookkit run"},
        {},
    ],
)
def test_run_on_more_events_and_single_hooks_are_meant(hooks: dict[str, str]) -> None:
    assert said(hooks) == []
