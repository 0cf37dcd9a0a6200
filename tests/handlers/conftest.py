"""Rows of `[[hooks]]` in the person's own settings, and the answers of `hookkit run`."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookkit.pipeline import Invocation

Ask = Callable[..., Any]


@pytest.fixture
def write(home: Path) -> Callable[..., Path]:
    def put(*rows: str, top: str = "") -> Path:
        path = home / ".config" / "hookkit" / "hookkit.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([top, *rows]))
        return path

    return put


@pytest.fixture
def ask(project: Path) -> Ask:
    """The reply of `hookkit run` to an event."""

    def run(event: str = "PreToolUse", session: str = "s", **fields: Any) -> Any:
        if event == "PreToolUse":
            fields = {"tool_name": "Bash", "tool_input": {"command": "git status"}, "tool_use_id": "t"} | fields
        raw = {"hook_event_name": event, "session_id": session, "cwd": str(project), **fields}
        text = Invocation("run", [], dict(os.environ)).answer(json.dumps(raw).encode())
        return json.loads(text) if text.startswith("{") else text

    return run
