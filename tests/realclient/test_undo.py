"""Undo in the real client: the dialog says that a call can be undone, and `hookkit undo` brings the files back."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import HOOKKIT
from tests.verdicts.undo import trees

from .harness import bash, environment, home_of, wire, write
from .terminal import ENTER, Sitting

Sit = Callable[..., Sitting]
DONE = "The heron has landed."
RULES = """
[undo]
enabled = true

[[rules]]
type = "ask"
match = "Bash(rm *)"
reason = "Look first."
"""


def undo(project: Path, *words: str) -> Any:
    """As a person does it, in a terminal beside the agent."""
    command = [HOOKKIT, "undo", *words, "-o", "json"]
    environ = environment(home_of(project))
    return json.loads(subprocess.run(command, cwd=project, env=environ, check=True, capture_output=True).stdout)


def furnish(project: Path) -> None:
    write(home_of(project) / ".config" / "hookkit" / "hookkit.toml", RULES)
    wire(project, PreToolUse="hookkit run", PostToolUse="hookkit run")
    (project / "data.bin").write_bytes(bytes(range(256)))
    write(project / "tool.sh", "#!/bin/sh\n").chmod(0o750)
    os.symlink("tool.sh", project / "link")
    write(project / "notes.txt", "old\r\nnotes")
    write(project / ".gitignore", "*.bin\n")


def test_a_call_is_undone_after_it_ran_and_the_undo_too(sit: Sit, project: Path) -> None:
    """The person reads it before the answer; a call that no rule asks about has its snapshot too."""
    furnish(project)
    old = trees.state(project)
    change = {"name": "Write", "input": {"file_path": str(project / "notes.txt"), "content": "new"}}
    look = {"name": "Read", "input": {"file_path": str(project / "notes.txt")}}
    turns = [bash("rm data.bin tool.sh link", description="Make it so"), look, change, DONE]
    arguments = ("--permission-mode", "acceptEdits")
    sitting = sit(project, ENTER, turns=turns, until=DONE, arguments=arguments)
    [dialog] = sitting.dialogs
    overwritten, deleted = undo(project)
    text = re.sub(r"[│\s]+", " ", " ".join(dialog))
    assert f"Look first. It can be undone: hookkit undo {deleted['id']}. [settings]" in text
    assert not any("allow-once" in line for line in sitting.seen)  # the dialog is the way to allow the call
    assert (deleted["before"], deleted["files"]) == ("rm data.bin tool.sh link", ["data.bin", "tool.sh", "link"])
    assert (overwritten["before"], overwritten["files"]) == (f"Write {project}/notes.txt", ["notes.txt"])
    left = trees.state(project)
    assert sorted(old.keys() - left.keys()) == ["data.bin", "link", "tool.sh"]
    backs = [undo(project, row["id"])["undo"] for row in (overwritten, deleted)]
    assert trees.state(project) == old
    for id_ in reversed(backs):
        undo(project, id_)
    assert trees.state(project) == left
    assert sitting.run.faults() == []
