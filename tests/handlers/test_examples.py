"""The handlers in examples/handlers work as their comments say."""

import json
import shutil
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from .making import denied, own

Ask = Callable[..., Any]
EXAMPLES = Path(__file__).parents[2] / "examples" / "handlers"


def install(home: Path, url: str = "http://127.0.0.1:9/") -> None:
    """The examples as the person's own settings, with the address of a server that exists."""
    place = home / ".config" / "hookkit"
    place.mkdir(parents=True)
    shutil.copy(EXAMPLES / "checks.py", place)
    text = (EXAMPLES / "hookkit.toml").read_text()
    (place / "hookkit.toml").write_text(text.replace("https://hooks.slack.com/services/xxx", url))


def test_the_examples_have_no_mistake(hookkit: Any) -> None:
    assert hookkit("validate", str(EXAMPLES / "hookkit.toml")).returncode == 0


def test_dangerous_commands_are_blocked(home: Path, ask: Ask) -> None:
    install(home)
    assert own(ask(tool_input={"command": "sudo rm x"})) == denied("Dangerous command blocked")
    assert ask() == ""


def test_edits_are_logged(home: Path, ask: Ask) -> None:
    install(home)
    (home / ".cocode").mkdir()
    ask("PostToolUse", tool_name="Edit", tool_input={"file_path": "/x"})
    ask("PostToolUse", tool_name="Read", tool_input={"file_path": "/x"})
    assert (home / ".cocode" / "edits.log").read_text().count("File edited - Edit") == 1


def test_a_session_start_is_sent_once(home: Path, ask: Ask) -> None:
    seen: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Stay silent."""

        def do_POST(self) -> None:
            seen.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        install(home, f"http://127.0.0.1:{server.server_port}/")
        ask("SessionStart", source="startup")
        ask("SessionStart", source="resume")
        server.shutdown()
        thread.join()
    assert [event["source"] for event in seen] == ["startup"]


def test_sensitive_files_are_not_written(home: Path, ask: Ask) -> None:
    install(home)
    call = {"tool_name": "Write", "tool_input": {"file_path": "/app/.env", "content": "x"}}
    assert own(ask(**call)) == denied("Cannot write to sensitive files")
    assert ask(tool_name="Write", tool_input={"file_path": "/app/main.py", "content": "x"}) == ""
