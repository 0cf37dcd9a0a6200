"""The warm server answers byte for byte like the cold command."""

import json
from pathlib import Path
from typing import Any

import pytest

from hookkit.pipeline import Invocation
from hookkit.play.player import Scratch
from hookkit.play.rows import input_of, load
from tests.conftest import HOOKKIT
from tests.server.conftest import Server

CASES = Path(__file__).parents[1] / "cases"
ROWS = [
    row
    for path in [*sorted(CASES.glob("*.jsonl")), *sorted((CASES / "policy").glob("*.jsonl"))]
    if not path.name.startswith("nudge_")
    for row in load(str(path))
    if "pattern" not in row
]
PIECES = 16  # parts of the rows, so that the test processes share them


def events(row: dict[str, Any], scratch: Scratch) -> list[bytes]:
    """The events of a row, as the player of `simulate` makes them."""
    found = []
    for step in row.get("steps", [row]):
        tool = row.get("tool", "Bash")
        given = input_of(tool, row.get("args", row.get("command")))
        judged = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given}
        event = {"session_id": "s", "cwd": scratch.cwd, **scratch.fill(step.get("event", judged))}
        found.append(json.dumps(event).encode())
    return found


def hook_of(row: dict[str, Any]) -> list[str]:
    return [row.get("hook", "run" if "event" in row or "steps" in row else "guard"), *row.get("options", [])]


def cold(row: dict[str, Any], server: Server) -> list[str]:
    with Scratch(row) as scratch:
        words = hook_of(row)
        environ = {**scratch.environ, "PATH": server.environ["PATH"]}
        said = [Invocation(words[0], words[1:], dict(environ), "/").answer(raw) for raw in events(row, scratch)]
        return [text.replace(scratch.directory, "{here}") for text in said]


def warm(row: dict[str, Any], server: Server) -> list[str]:
    with Scratch(row) as scratch:
        environ = {**scratch.environ, "PATH": server.environ["PATH"]}
        said = [server.ask(hook_of(row), environ, "/", raw) for raw in events(row, scratch)]
        return [part.decode().replace(scratch.directory, "{here}") for part in said]


@pytest.mark.parametrize("piece", range(PIECES))
def test_every_row_is_answered_the_same_by_the_server(
    piece: int, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", [HOOKKIT, "run"])  # the launcher is one of the protected files
    for row in ROWS[piece::PIECES]:
        for said, text in zip(warm(row, server), cold(row, server), strict=True):
            same = said == (f"={text}\n" if text else "=")
            assert same or (said == "cold" and is_with_programs(row)), row["id"]


def is_with_programs(row: dict[str, Any]) -> bool:
    """Whether the row's settings run a program of the user, or a gate: these are left to the cold command."""
    text = json.dumps(row.get("files", {}))
    return row.get("hook") == "gate" or any(word in text for word in ("command", "check", "promise", "run ="))


@pytest.mark.parametrize("row", ROWS[::60], ids=lambda row: str(row["id"]))
def test_a_row_is_answered_the_same_through_the_shim(row: dict[str, Any], server: Server) -> None:
    """With real processes on both sides; each side gets a state of its own."""
    outputs = []
    for run in (server.cold, server.shim):
        with Scratch(row) as scratch:
            own = Path(scratch.environ["XDG_STATE_HOME"], "hookkit")
            own.mkdir(parents=True, exist_ok=True)
            (own / "serve").symlink_to(Path(server.environ["HOME"], ".local/state/hookkit/serve"))
            environ = {**scratch.environ, "PATH": server.environ["PATH"]}
            done = [run(*hook_of(row), stdin=raw, env=environ, cwd="/usr") for raw in events(row, scratch)]
            outputs.append([(one.returncode, one.stdout.replace(scratch.directory.encode(), b"{}")) for one in done])
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("end", [None, -4], ids=["whole", "cut short"])
def test_an_exit_code_for_an_unknown_agent_comes_through_the_shim(end: int | None, server: Server) -> None:
    event = {"hook_event_name": "pre_tool_call", "tool_name": "terminal", "tool_input": {"command": "rm -rf ~"}}
    raw = json.dumps({"session_id": "h", "cwd": "/", **event, "toolName": "terminal"}).encode()[:end]
    done = [run("run", stdin=raw) for run in (server.cold, server.shim)]
    assert [(one.returncode, one.stdout) for one in done] == [(2, done[0].stdout)] * 2
