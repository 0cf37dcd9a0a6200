"""The gates of an event as one answer."""

import json
import os
from pathlib import Path

import pytest

from hookkit import registry
from hookkit.hooks import gate
from hookkit.model import Decision
from hookkit.pipeline import Invocation
from hookkit.policy.rules import STOPS
from hookkit.system import clipping, error_log
from hookkit.work.gates import answer
from hookkit.work.gates.state import together


@pytest.mark.parametrize("name", sorted({name for names in answer.GATES.values() for name in names}))
def test_a_gate_is_a_file_with_run(name: str) -> None:
    module = registry.find("work/gates", name)
    assert callable(module.run)
    assert module.__doc__


def test_every_event_of_the_hook_has_gates_and_may_have_rules() -> None:
    assert tuple(answer.GATES) == gate.STOPS == STOPS


def test_every_reason_and_every_message_is_said_once() -> None:
    said = [Decision("deny", "a", message="m"), Decision("deny", "b"), Decision("deny", "a"), Decision(message="m")]
    decision = together(said)
    assert decision is not None
    assert (decision.verdict, decision.reason, decision.message) == ("deny", "a\n\nb", "m")
    assert together([]) is None
    assert together([Decision()]) is None


def test_a_reason_fits_what_the_client_takes() -> None:
    decision = together([Decision("deny", str(number) * 2_000) for number in range(9)])
    assert decision is not None
    assert 9_990 < clipping.length(decision.reason) <= clipping.LIMIT


def test_what_the_client_would_not_show_is_in_the_log(project: Path, home: Path) -> None:
    config = home / ".config" / "hookkit" / "hookkit.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[[rules]]\ntype = "command"\nrun = "gone-program"\nconfig = { event = "TaskCompleted" }\n')
    event = {"hook_event_name": "TaskCompleted", "session_id": "s", "task_id": "1", "cwd": str(project)}
    call = Invocation("gate", [], dict(os.environ))
    assert call.answer(json.dumps(event).encode()) == ""
    [line] = Path(error_log.path(dict(os.environ))).read_text().splitlines()
    assert line.partition(" ")[2] == (
        "gate TaskCompleted: HookkitError: hookkit: gone-program was not found, so it does not hold the agent back."
    )
