"""Claude Code runs the hooks of a project's own files in a trusted folder only."""

import os

from hookkit.agents._state import json_file
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.agents._state import Checked, Remarks


def check(checked: "Checked") -> "Remarks":
    """Hooks of a project's own files need the folder's trust; hooks of the person's file do not."""
    inside = checked.inside
    if not inside or len(inside) < len(checked.files):
        return
    moved = checked.environ.get("CLAUDE_CONFIG_DIR", "")
    projects = json_file(os.path.join(moved or files.home(checked.environ), ".claude.json")).get("projects")
    known = projects.get(checked.project) if isinstance(projects, dict) else None
    if not (isinstance(known, dict) and known.get("hasTrustDialogAccepted")):
        message = (
            f"Claude Code has not been told to trust {checked.project}: a session at a terminal runs no hook of it"
        )
        fix = "start claude there once and accept the question, or run: hookkit init --scope user"
        yield "trust.folder", "warning", message, fix, inside[0]
