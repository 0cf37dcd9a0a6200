"""Inputs and failures in the real client: what it checks itself, what reaches the hooks, and what the model is told."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hookkit.prompts.hint_advice import ADVICE

from .harness import Run, bash, home_of, wire, write

Drive = Callable[..., Run]

# A server with one tool. It keeps what it was asked, and refuses a call without `to`, as most do: in words of its own.
SERVER = """\
import json, sys

TOOL = {"name": "send", "description": "Send.", "inputSchema": {"type": "object"}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    params = asked.get("params", {})
    result = {}
    if asked["method"] == "initialize":
        server = {"name": "s", "version": "1"}
        result = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    elif asked["method"] == "tools/list":
        result = {"tools": [TOOL]}
    elif asked["method"] == "tools/call":
        with open(sys.argv[1], "a") as log:
            print(json.dumps(params["arguments"]), file=log)
        wrong = "to" not in params["arguments"]
        said = "1 validation error for send\\nto\\n  Field required" if wrong else "sent"
        result = {"content": [{"type": "text", "text": said}], "isError": wrong}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
SCHEMA = "[schemas.mcp__s__send.properties.to]\ntype = 'string'\nminLength = 3\n"
ALLOWED = ("--allowedTools", "Bash,Edit,mcp__s__send")


def call(name: str, **fields: object) -> dict[str, Any]:
    return {"name": name, "input": fields}


def wire_all(project: Path) -> None:
    wire(project, **dict.fromkeys(("PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch"), "hookkit run"))


def serve(project: Path) -> tuple[str, ...]:
    """The arguments that give the client the server."""
    command = [str(write(project.parent / "server.py", SERVER)), str(project / "asked.jsonl")]
    servers = {"mcpServers": {"s": {"command": sys.executable, "args": command}}}
    return (*ALLOWED, "--mcp-config", str(write(project.parent / "mcp.json", json.dumps(servers))))


def test_the_client_checks_its_own_tools_before_any_hook(drive: Drive, project: Path) -> None:
    """Only the batch tells of it; there the model gets the fields and an example, beside the client's own words."""
    wire_all(project)
    run = drive(project, "go", turns=[call("Edit", file_path="a.txt"), "done"], arguments=ALLOWED)
    assert {"PreToolUse", "PostToolUse", "PostToolUseFailure"}.isdisjoint(run.fired())
    assert "PostToolBatch" in run.fired()
    [(result, is_error)] = run.prompts()[-1].tool_results
    assert (is_error, result.startswith("<tool_use_error>InputValidationError: Edit failed")) == (True, True)
    assert "Edit refused its input.\n- old_string: missing, expected text" in run.prompts()[-1].added
    assert run.faults() == []


def test_a_wrong_call_of_a_server_is_stopped_before_it_and_a_right_one_is_not(drive: Drive, project: Path) -> None:
    """The client itself hands anything on to a server."""
    wire_all(project)
    write(home_of(project) / ".config" / "hookkit" / "hookkit.toml", SCHEMA)
    turns = [call("mcp__s__send", to="x"), call("mcp__s__send", to="ann"), "done"]
    run = drive(project, "go", turns=turns, arguments=serve(project))
    assert (project / "asked.jsonl").read_text() == '{"to": "ann"}\n'
    (refused, first), (sent, second) = run.prompts()[-1].tool_results
    assert (first, second, sent) == (True, False, "sent")
    assert "- to: expected at least 3 characters, found 1\nAn input that would pass: " in refused
    assert run.faults() == []


def test_a_servers_own_refusal_brings_a_hint(drive: Drive, project: Path) -> None:
    wire_all(project)
    run = drive(project, "go", turns=[call("mcp__s__send", n=1), "done"], arguments=serve(project))
    assert run.prompts()[-1].added.count("mcp__s__send refused its input.") == 1
    assert run.faults() == []


def test_a_hint_reaches_the_model_once(drive: Drive, project: Path) -> None:
    """A failing command fires PostToolUseFailure and then PostToolBatch with the same text, and here does so twice."""
    wire_all(project)
    turns = [bash("nosuchprogram"), bash("another-one"), bash("nosuchprogram; true"), "done"]
    run = drive(project, "go", turns=turns, arguments=ALLOWED)
    assert run.prompts()[-1].added.count(ADVICE["no-command"]) == 1
    assert run.faults() == []


def test_an_edit_that_finds_nothing_brings_the_next_step(drive: Drive, project: Path) -> None:
    """The client's own checks of an edit show in no other event than the batch."""
    wire_all(project)
    path = write(project / "a.txt", "one\n")
    turns = [
        call("Read", file_path=str(path)),
        call("Edit", file_path=str(path), old_string="two", new_string="x"),
        "done",
    ]
    run = drive(project, "go", turns=turns, arguments=ALLOWED)
    assert ADVICE["edit-not-found"] in run.prompts()[-1].added
    assert run.faults() == []
