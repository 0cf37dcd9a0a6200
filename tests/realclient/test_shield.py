"""The shield in the real client: the model gets the masked text, whatever the tool and the shape of its output."""

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookkit.hooks import shield

from . import harness, servers
from .harness import Run, bash, home_of, use, wire, write

Drive = Callable[..., Run]
KEY = "sk-ant-api03-" + "A1b2C3d4" * 11
LINE = f"token = {KEY}"
EVENTS = ("PostToolUse", "PostToolUseFailure")
TOOLS = "Bash Read Grep Edit Write NotebookEdit WebFetch WebSearch Agent ReadMcpResourceTool mcp__db"
AGENT = {"description": "look", "prompt": "look", "subagent_type": "general-purpose", "run_in_background": False}


def shielded(project: Path, *, enabled: bool = True) -> None:
    settings = f"[shield]\nenabled = {str(enabled).lower()}\n\n[policy]\nbase = false\n"
    write(home_of(project) / ".config" / "hookkit" / "hookkit.toml", settings)
    wire(project, **dict.fromkeys(EVENTS, "hookkit run"))
    write(project / "notes.txt", f"first\n{LINE}\n")
    cell = {"cell_type": "code", "id": "c1", "source": [LINE], "metadata": {}, "execution_count": 1}
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": [LINE]}]
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    write(project / "book.ipynb", json.dumps(book))
    write(project / "long.txt", f"{LINE}\n" + "a line\n" * 10_000)
    server = {"command": sys.executable, "args": [servers.__file__, "mcp", LINE]}
    write(project.parent / "mcp.json", json.dumps({"mcpServers": {"db": server}}))


def arguments(project: Path) -> tuple[str, ...]:
    return ("--allowedTools", TOOLS.replace(" ", ","), "--mcp-config", str(project.parent / "mcp.json"))


def calls(project: Path) -> dict[str, list[Any]]:
    """The turns of each call whose output holds the secret, and how the masked output begins or what it holds."""
    notes, book = str(project / "notes.txt"), str(project / "book.ipynb")
    return {
        "Bash": [bash("cat notes.txt")],
        "Bash, a long output that the client keeps in a file": [bash("cat long.txt")],
        "Read": [use("Read", file_path=notes)],
        "Read, a notebook": [use("Read", file_path=book)],
        "Grep": [use("Grep", pattern="token", output_mode="content")],
        "NotebookEdit": [use("NotebookEdit", notebook_path=book, cell_id="c1", new_source=f"x = 1 # {LINE}")],
        "an MCP tool, blocks": [use("mcp__db__query")],
        "an MCP tool, a schema of its own": [use("mcp__db__rows")],
        "a resource of an MCP server": [use("ReadMcpResourceTool", server="db", uri="db://notes")],
        "WebSearch": [use("WebSearch", query="herons"), f"Found: {LINE}"],
        "Agent, its report": [use("Agent", **AGENT), f"I found: {LINE}"],
    }


def test_the_model_gets_the_masked_text(drive: Drive, project: Path) -> None:
    """Also where the client has made a preview, and in a sub-agent; the client finds no fault with any shape."""
    shielded(project)
    tried = calls(project)
    edits = [
        use("Edit", file_path=str(project / "notes.txt"), old_string="first", new_string="second"),
        use("Write", file_path=str(project / "new.txt"), content=LINE),
    ]
    inside = [use("Agent", **AGENT), bash("cat notes.txt"), "Nothing."]
    turns = [*(turn for each in tried.values() for turn in each), *edits, *inside, "done"]
    run = drive(project, "go", turns=turns, arguments=arguments(project))
    results = dict(zip((*tried, "Edit", "Write", "sub-agent"), run.prompts()[-1].tool_results, strict=True))
    assert {name: (KEY in said, is_error) for name, (said, is_error) in results.items()} == dict.fromkeys(
        results, (False, False)
    )
    assert [name for name in tried if "[masked]" not in results[name][0]] == []
    assert [request for request in run.requests if KEY in request.said + request.added] == []
    assert run.prompts()[-1].added.count(shield.TOLD) == len(results) - 1  # the sub-agent was told, not its caller
    assert (project / "new.txt").read_text() == LINE
    assert run.faults() == []


def test_without_the_shield_the_model_gets_the_secret(drive: Drive, project: Path) -> None:
    """Off by default; and every call above really shows the secret."""
    shielded(project, enabled=False)
    tried = calls(project)
    turns = [*(turn for each in tried.values() for turn in each), "done"]
    run = drive(project, "go", turns=turns, arguments=arguments(project))
    results = dict(zip(tried, run.prompts()[-1].tool_results, strict=True))
    assert [name for name, (said, _) in results.items() if KEY not in said] == []
    assert run.faults() == []


def test_the_output_of_a_failed_call_is_told_about(drive: Drive, project: Path) -> None:
    """The client takes no new output of a failed call."""
    shielded(project)
    run = drive(project, "go", turns=[bash("cat notes.txt; exit 3"), "done"], arguments=arguments(project))
    [(said, is_error)] = run.prompts()[-1].tool_results
    assert (KEY in said, is_error) == (True, True)
    assert shield.KEEP in run.prompts()[-1].added
    assert [reply["systemMessage"] for reply in run.replies("PostToolUseFailure:Bash")] == [f"hookkit: {shield.SEEN}"]
    assert run.faults() == []


def test_a_page_that_was_fetched_is_masked(drive: Drive, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    openssl = shutil.which("openssl")
    if not openssl:
        pytest.skip("openssl makes the certificate of the page")
    shielded(project)
    certificate, key = project.parent / "page.crt", project.parent / "page.key"
    made = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=page"]
    where = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*made, *where], check=True, capture_output=True)
    serve = shlex.join([sys.executable, servers.__file__, "page", LINE, str(certificate), str(key)])
    wire(project, PostToolUse="hookkit run", SessionStart=f"setsid {serve} >/dev/null 2>&1 & sleep 1")
    path = project / ".claude" / "settings.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "skipWebFetchPreflight": True}))
    usual = harness.environment
    monkeypatch.setattr(harness, "environment", lambda home: {**usual(home), "NODE_EXTRA_CA_CERTS": str(certificate)})
    turns = [use("WebFetch", url=f"https://127.0.0.1:{servers.PORT}/", prompt="Say what it says"), "done"]
    run = drive(project, "go", turns=turns, arguments=arguments(project))
    assert run.prompts()[-1].tool_results == [("token = [masked]", False)]
    assert run.faults() == []


WRONG = """
import json, sys

event = json.load(sys.stdin)
new = event["tool_response"]
if event["tool_name"] == "Read":
    new["file"] = {"content": "replaced"}
elif event["tool_name"] == "Grep":
    new["filenames"] = [5]
else:
    new["stdout"] = "right" if "egret" in new["stdout"] else 5
print(json.dumps({"updatedToolOutput": new}))
"""
HANDLER = """
[[hooks]]
event = "PostToolUse"

[hooks.shell]
command = {command}
"""


def test_a_shape_that_the_client_would_reject_is_never_sent(drive: Drive, project: Path) -> None:
    """A handler of the user's own gives a wrong shape: the tool's output stands, and the client has no complaint."""
    shielded(project)
    script = write(home_of(project) / "wrong.py", WRONG)
    command = json.dumps(shlex.join([sys.executable, str(script)]))
    write(home_of(project) / ".config" / "hookkit" / "hookkit.toml", HANDLER.format(command=command))
    notes = use("Read", file_path=str(project / "long.txt"), limit=2, offset=5)
    turns = [bash("echo egret"), bash("echo heron"), notes, use("Grep", pattern="first", glob="notes.txt"), "done"]
    run = drive(project, "go", turns=turns, arguments=arguments(project))
    assert [said for said, _ in run.prompts()[-1].tool_results] == [
        "right", "heron", "5\ta line\n6\ta line", "Found 1 file\nnotes.txt"
    ]  # fmt: skip
    assert run.faults() == []
