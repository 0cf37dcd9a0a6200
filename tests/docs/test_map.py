"""docs/map.md tells the truth: each walk names modules that the real command enters, in that order."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hookkit

PACKAGE = Path(hookkit.__file__).parent
MAP = (PACKAGE.parent / "docs" / "map.md").read_text()
WALKS = {
    "A harmless call": ("PreToolUse", "ls"),
    "A deny": ("PreToolUse", "cd x && sudo rm -rf ~"),
    "A rewrite": ("PreToolUse", "pytest -q"),
    "A prompt": ("UserPromptSubmit", "improve the tests of the parser"),
    "`hookkit why ls`": ("", "ls"),
}


def named(walk: str) -> list[str]:
    """The modules of a walk on the page."""
    section = MAP.partition(f"**{walk}**")[2].partition("\n\n")[0]
    return re.findall(r"`([\w/]+\.py)`", section)


def entered(event: str, text: str, project: Path) -> list[str]:
    """The modules that the command enters, in the order of its first step into each."""
    fields: dict[str, object] = {"hook_event_name": event, "session_id": "s", "cwd": str(project), "tool_name": "Bash"}
    fields |= {"tool_input": {"command": text}, "prompt": text, "tool_use_id": "t"}
    words = ["run"] if event else ["why", text]
    script = Path(__file__).with_name("walks.py")
    done = subprocess.run(
        [sys.executable, script, *words],
        input=json.dumps(fields).encode(),
        capture_output=True,
        check=True,
        cwd=project,
    )
    return done.stderr.decode().splitlines()


@pytest.mark.parametrize("walk", WALKS)
def test_a_walk_names_the_modules_that_a_call_enters_in_their_order(walk: str, project: Path) -> None:
    (project / "Makefile").write_text(".PHONY: test\ntest:\n\tpytest\n")
    entered(*WALKS["A harmless call"], project)  # the first call compiles the settings
    seen, modules = entered(*WALKS[walk], project), named(walk)
    assert len(modules) > 5
    assert [module for module in modules if module not in seen] == []
    assert sorted(modules, key=seen.index) == modules


def test_every_module_on_the_page_is_there() -> None:
    names = {*re.findall(r"`([\w/]+\.py)`", MAP)} - {"handlers/kinds/KIND.py"}
    assert [name for name in names if not (PACKAGE / name).exists() and not (PACKAGE.parent / name).exists()] == []
