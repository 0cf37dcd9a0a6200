"""Real events of the client, byte for byte, through every hook."""

import json
import os
from pathlib import Path

import pytest

from hookkit import registry
from hookkit.events import EVENTS
from hookkit.pipeline import Invocation

SAMPLES = [path for path in sorted((Path(__file__).parent / "samples").glob("*.json")) if "env_by" not in path.name]
HOOKS = ["run", *registry.names("hooks")]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("hook", HOOKS)
def test_a_sample_is_answered_without_a_problem(path: Path, hook: str) -> None:
    call = Invocation(hook, [], {**os.environ, "HOOKKIT_SESSION_DIR": os.environ["HOME"] + "/sessions"})
    reply = call.answer(path.read_bytes())
    assert call.problems == []
    name = json.loads(path.read_bytes()).get("hook_event_name", "")
    if name not in EVENTS or (hook != "run" and name not in registry.find("hooks", hook).EVENTS):
        assert reply == ""


def test_a_sample_fills_the_event() -> None:
    call = Invocation("redirect", [], dict(os.environ))
    call.answer((Path(__file__).parent / "samples" / "PreToolUse.Bash.json").read_bytes())
    event = call.event
    assert (event.name, event.cwd, event.tool_name) == ("PreToolUse", "/home/dev/app", "Bash")
    assert event.command == "echo hi-from-bash"
    assert event.session_id == "d0fd916d-ae63-4047-8afc-de49eac20224"
