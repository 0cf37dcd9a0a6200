"""The command line and the first prompt of the next session of an effort."""

import shlex
from typing import Any

from hookkit.cli._console import echo, echo_json, fail, note
from hookkit.cli._work import Desk, desk
from hookkit.work import artefacts


def show(number: int | None, program: str, *, as_json: bool) -> None:
    with desk() as here:
        effort = here.effort(number)
        if effort["lifecycle"] == "finished":
            fail(f"effort {effort['id']} is finished")
        prompt = _prompt(here, effort)
        agent = f"AGENT_ID={shlex.quote(effort['agent'])} " if effort["agent"] else ""
        line = f"cd {shlex.quote(effort['project'])} && {agent}{shlex.quote(program)} {shlex.quote(prompt)}"
        if as_json:
            echo_json({"effort": effort["id"], "command": line, "prompt": prompt, "directory": effort["project"]})
            return
        echo(line)
        if not effort["dehydrated"]:
            note("No handover waits for the new session. Let the agent write one first: hookkit effort dehydrate")


def _prompt(here: Desk, effort: dict[str, Any]) -> str:
    """Names the places with the state of the work that the new session is not told by itself."""
    task = here.work.row("SELECT dir FROM tasks WHERE id = ?", effort["task"]) or {"dir": ""}
    phase = f", phase {effort['phase']}" if effort["phase"] else ""
    said = [f"Go on with effort {effort['id']} ({effort['skill']}{phase}) on {task['dir']}."]
    files = artefacts.names(here.work, effort)
    if files:
        said.append(f"Read {', '.join(files)} there first.")
    if not here.settings["sessions.dehydration"]:
        said.append("Run `hookkit effort show` and `hookkit effort messages` to see where the work stands.")
    return " ".join(said)
