"""Facts about an effort, for the conditions of gates."""

import os

from hookkit.system import files
from hookkit.work import sessions
from hookkit.work.columns import facts
from hookkit.work.store import Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COLUMNS = ("id", "skill", "mode", "phase", "lifecycle", "agent", "ordinal")


def effort_facts(client: str, environ: dict[str, str]) -> "dict[str, Any]":
    """Empty if the session has no effort."""
    if not os.path.exists(os.path.join(files.state_dir(environ), "work.db")):
        return {}
    work = Work(environ, wait=0.2)
    try:
        _, effort = sessions.find(work, client, "")
    finally:
        work.close()
    return {**facts(effort["metadata"]), **{name: effort[name] for name in COLUMNS}} if effort is not None else {}
