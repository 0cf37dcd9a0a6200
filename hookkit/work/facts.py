"""Facts about an effort, for the conditions of gates."""

import os

from hookkit.system import files
from hookkit.work import efforts, sessions
from hookkit.work.columns import facts
from hookkit.work.store import Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COLUMNS = ("id", "skill", "mode", "phase", "lifecycle", "agent", "ordinal")


def effort_facts(client: str, project: str, environ: dict[str, str]) -> "dict[str, Any]":
    """Empty if the session has no effort. A session that hookkit has not seen yet belongs to the project's effort."""
    if not os.path.exists(os.path.join(files.state_dir(environ), "work.db")):
        return {}
    work = Work(environ, wait=0.2)
    try:
        session, effort = sessions.find(work, client, "")
        if session is None:
            effort = efforts.effort_of(work, os.path.realpath(files.repository(project)))
    finally:
        work.close()
    return {**facts(effort["metadata"]), **{name: effort[name] for name in COLUMNS}} if effort is not None else {}
