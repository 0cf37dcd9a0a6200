"""What one release of the client sends to hooks and accepts from them: scripts/newest-agents compares two releases.

    python -m tests.realclient.survey CLIENT

prints {"events": {event: fields}, "schema": lines of the client's own schema of a reply}.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hookkit.events import EVENTS
from tests.realclient.harness import bash, lines, run_client, wire, write

Events = dict[str, set[str]]

SCHEMA = "Expected schema:"
TOOLS = ("Bash", "Agent", "TaskCreate", "TaskUpdate", "EnterWorktree")
TURNS = (
    bash("cd below && pwd"),
    bash("false"),
    {"name": "TaskCreate", "input": {"subject": "look", "description": "look", "activeForm": "looking"}},
    {"name": "TaskUpdate", "input": {"taskId": "1", "status": "completed"}},
    {"name": "EnterWorktree", "input": {"name": "w"}},
    {"name": "Agent", "input": {"description": "look", "prompt": "look", "subagent_type": "general-purpose"}},
    "part", "done", "hello", "summary",
)  # fmt: skip


def events(client: Path, project: Path) -> Events:
    """The fields of each event of one session without a person. WorktreeCreate has to answer, so it has no hook."""
    seen = project.parent / "seen"
    seen.mkdir()
    wire(project, **{event: f"cat >{seen}/$$" for event in EVENTS if event != "WorktreeCreate"})
    write(project / ".claude" / "commands" / "hello.md", "Say hello.")
    write(project / "CLAUDE.md", "Be brief.\n")
    (project / "below").mkdir()
    run_client(client, project, "go", "/hello", "/compact", turns=TURNS, arguments=("--allowedTools", *TOOLS))
    fields: Events = {}
    for path in seen.iterdir():
        for line in lines(path):
            event: dict[str, Any] = json.loads(line)
            fields.setdefault(event["hook_event_name"], set()).update(event)
    return fields


def schema(client: Path, project: Path) -> list[str]:
    """The client shows the schema of a reply to the model where a reply breaks it."""
    row = {"type": "command", "command": "echo '{\"decision\": 5}'", "onFailure": "block"}
    hooks = {"PreToolUse": [{"hooks": [row]}]}
    write(project / ".claude" / "settings.json", json.dumps({"hooks": hooks}))
    run = run_client(client, project, "go", turns=[bash("touch made"), "done"], arguments=("--allowedTools", "Bash"))
    [(told, _)] = run.prompts()[-1].tool_results
    return told.partition(SCHEMA)[2].strip().splitlines()


def survey(client: Path, place: Path) -> tuple[Events, list[str]]:
    projects = [place / name / "project" for name in ("events", "schema")]
    for project in projects:
        subprocess.run(["git", "init", "--quiet", str(project)], check=True)
    return events(client, projects[0]), schema(client, projects[1])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        fields, told = survey(Path(sys.argv[1]).absolute(), Path(scratch))
        print(json.dumps({"events": {event: sorted(names) for event, names in fields.items()}, "schema": told}))
