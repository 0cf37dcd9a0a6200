"""hookkit as a handler of hookkit: the event is answered once, and no process calls itself without end."""

import json
from pathlib import Path

from tests.conftest import HOOKKIT, Run

EVENT = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "hello there"}


def handler(home: Path, command: str) -> None:
    path = home / ".config" / "cocode" / "hooks.toml"
    path.parent.mkdir(parents=True)
    row = f'[[hooks]]\nevent = "UserPromptSubmit"\ntimeout_sec = 5\n[hooks.shell]\ncommand = {json.dumps(command)}\n'
    path.write_text(row)


def test_hookkit_wired_for_cocode_is_no_handler_of_its_own(hookkit: Run, home: Path, project: Path) -> None:
    """`hookkit init --agent cocode` writes to a file that hookkit reads for handlers too."""
    assert hookkit("init", "--agent", "cocode", "--yes", cwd=project).returncode == 0
    done = hookkit("run", stdin={**EVENT, "cwd": str(project)}, cwd=project)
    assert (done.returncode, done.stdout) == (0, b"")
    assert hookkit("errors").returncode == 0
    assert json.loads(hookkit("hook", "list", "-o", "json", cwd=project).stdout) == []
    again = hookkit("init", "--agent", "all", "--yes", cwd=project)
    assert (again.returncode, again.stderr) == (0, b""), "no agent is said to lack events of handlers that nobody has"


def test_a_program_that_calls_hookkit_runs_no_handlers(hookkit: Run, home: Path, project: Path) -> None:
    """A script around hookkit is called once: the hookkit inside answers without handlers."""
    calls = project / "calls"
    script = project / "around.sh"
    script.write_text(f'#!/bin/sh\necho x >> {calls}\nexec {HOOKKIT} "$@"\n')
    script.chmod(0o755)
    handler(home, f"{script} run")
    hookkit("run", stdin={**EVENT, "cwd": str(project)}, cwd=project)
    assert calls.read_text() == "x\n"
