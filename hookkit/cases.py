r"""Rows of event → expected reply: the format of hookkit's own tests and of its users'.

    {"id": "…", "hook": "redirect", "files": {"Makefile": "test:\n\ttrue\n"}, "event": {…}, "reply": {…} or null}

With `files` the row brings its own project, made in a temporary directory that `{project}` stands for; without, it
runs where you are. Several events in a row are `"steps": [{"event": …, "reply": …}, …]`.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

from hookkit import jsons
from hookkit.errors import ConfigError
from hookkit.pipeline import Call

MISSING = object()
KEYS = {"id", "hook", "files", "event", "reply", "steps", "environ", "options", "class", "note"}


class Outcome:
    """What one event of a row was answered, beside what was expected."""

    def __init__(self, row: dict[str, Any], call: Call, reply: Any, expected: Any) -> None:
        self.id = str(row["id"])
        self.hook = call.hook
        self.event = call.event
        self.decisions = call.decisions
        self.problems = call.problems
        self.reply = reply
        self.expected = expected

    @property
    def passed(self) -> bool:
        return self.expected is MISSING or bool(self.reply == self.expected)


def load(path: str) -> list[dict[str, Any]]:
    """Every row of a file; the first bad line is an error with its place."""
    rows = []
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("//"):
            rows.append(_row(line, f"{path}:{number}"))
    return rows


def _row(line: str, place: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise ConfigError(f"{place}: not JSON: {error}") from None
    if not isinstance(row, dict):
        raise ConfigError(f"{place}: a row is an object")
    unknown = sorted(set(row) - KEYS)
    if unknown:
        raise ConfigError(f"{place}: unknown key {unknown[0]}; known are {', '.join(sorted(KEYS))}")
    if not isinstance(row.get("event"), dict) and not isinstance(row.get("steps"), list):
        raise ConfigError(f"{place}: a row needs an event, or steps with one each")
    row.setdefault("id", place)
    return row


def play(row: dict[str, Any]) -> Iterator[Outcome]:
    """Run the row's events one after the other, with state of its own that is gone afterwards."""
    scratch = os.path.realpath(tempfile.mkdtemp(prefix="hookkit-"))
    try:
        project = _project(row, scratch)
        environ = {
            **os.environ,
            "XDG_STATE_HOME": os.path.join(scratch, "state"),
            "HOOKKIT_SESSION_DIR": os.path.join(scratch, "sessions"),
            "CLAUDE_CONFIG_DIR": os.path.join(scratch, "claude"),
        }
        if "files" in row:
            environ.update(HOME=scratch, CLAUDE_PROJECT_DIR=project, XDG_CONFIG_HOME=os.path.join(scratch, "config"))
            del environ["HOOKKIT_SESSION_DIR"]
        environ.update(_fill(row.get("environ", {}), project))
        for step in row.get("steps") or [row]:
            yield _step(row, step, project, environ)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _project(row: dict[str, Any], scratch: str) -> str:
    if "files" not in row:
        return os.getcwd()
    project = os.path.join(scratch, "project")
    os.makedirs(os.path.join(project, ".git"))
    for name, text in row["files"].items():
        path = os.path.join(project, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return project


def _step(row: dict[str, Any], step: dict[str, Any], project: str, environ: dict[str, str]) -> Outcome:
    event = {"session_id": "simulated", "cwd": project, **_fill(step["event"], project)}
    call = Call(row.get("hook", "run"), list(row.get("options", [])), environ)
    text = call.answer(jsons.dumps(event).encode())
    reply: Any = json.loads(text) if text.startswith("{") else text or None
    return Outcome(row, call, _unfill(reply, project), step.get("reply", MISSING))


def _fill(value: Any, project: str) -> Any:
    return json.loads(json.dumps(value).replace("{project}", json.dumps(project)[1:-1]))


def _unfill(value: Any, project: str) -> Any:
    return json.loads(json.dumps(value).replace(json.dumps(project)[1:-1], "{project}"))
