"""The warm server in the real client: through the shim, and through the client's own http hooks."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hookkit.ledger import lines
from tests.realclient.harness import Run, home_of, write

PORT, TOKEN = 45_998, "cd" * 24
SERVE = {"type": "command", "command": f"hookkit serve --start --port {PORT}", "timeout": 60}
DENIED = [{"name": "Bash", "input": {"command": "rm -rf /", "description": "x"}}, "done"]


def prepare(project: Path, hook: dict[str, Any]) -> None:
    hooks = {"SessionStart": [{"hooks": [SERVE]}], "PreToolUse": [{"hooks": [hook]}]}
    write(project / ".claude" / "settings.json", json.dumps({"hooks": hooks}))
    place = home_of(project) / ".local" / "state" / "hookkit" / "serve"
    for directory in (place.parent, place):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    write(place / "token", f"{TOKEN}\n").chmod(0o600)
    write(place / "closed", "").chmod(0o600)  # else the server takes a new token


def rows(project: Path) -> list[dict[str, Any]]:
    place = home_of(project) / ".local" / "state" / "hookkit" / "ledger" / "open"
    return [lines.row(line) or {} for path in place.glob("*.log") for line in path.read_bytes().splitlines()]


def denied(run: Run) -> bool:
    return any("every file on the machine" in said for request in run.prompts() for said, _ in request.tool_results)


def test_the_shim_asks_the_server(drive: Callable[..., Run], project: Path) -> None:
    prepare(project, {"type": "command", "command": "hookkit-hook run"})
    run = drive(project, "clean up", turns=DENIED, arguments=("--allowedTools", "Bash"))
    assert denied(run)
    found = [("request" in row, row["verdict"]) for row in rows(project) if row["event"] == "PreToolUse"]
    assert found == [(True, "deny")]


def test_an_http_hook_of_the_client_is_answered(drive: Callable[..., Run], project: Path) -> None:
    url = f"http://127.0.0.1:{PORT}/hooks/run"
    prepare(project, {"type": "http", "url": url, "headers": {"Authorization": f"Bearer {TOKEN}"}})
    run = drive(project, "clean up", turns=DENIED, arguments=("--allowedTools", "Bash"))
    assert denied(run)
    assert [row["verdict"] for row in rows(project) if row["event"] == "PreToolUse"] == ["deny"]


def test_without_a_server_the_client_is_answered_all_the_same(drive: Callable[..., Run], project: Path) -> None:
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": "hookkit-hook run"}]}]}
    write(project / ".claude" / "settings.json", json.dumps({"hooks": hooks}))
    run = drive(project, "clean up", turns=DENIED, arguments=("--allowedTools", "Bash"))
    assert denied(run)
    assert ["request" in row for row in rows(project) if row["event"] == "PreToolUse"] == [False]
