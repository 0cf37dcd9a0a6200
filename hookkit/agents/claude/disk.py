"""What Claude Code keeps on disk: the trust of folders, its permission rules in a settings.json, its transcripts."""

import json
import os

from hookkit.agents._disk import TYPES, Native, json_file
from hookkit.agents.transcripts import blocks, dict_in, text_in
from hookkit.agents.transcripts.past_calls import PastCall
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.agents._disk import Checked, Remarks

SETTINGS = "settings.json"
CANNOT = "Claude Code has no such rule"
PATHS = {"Read": "Read", "Write": "Edit", "Edit": "Edit"}  # Claude Code ignores paths of Write
FOLDER = "projects"
MARKS = (b'"tool_use"',)


def check(checked: "Checked") -> "Remarks":
    """Hooks of a project's own files need the folder's trust; hooks of the person's file do not."""
    inside = checked.inside
    if not inside or len(inside) < len(checked.files):
        return
    moved = checked.environ.get("CLAUDE_CONFIG_DIR", "")
    projects = json_file(os.path.join(moved or files.home(checked.environ), ".claude.json")).get("projects")
    folder = checked.project
    project = projects.get(folder) if isinstance(projects, dict) else None
    if not (isinstance(project, dict) and project.get("hasTrustDialogAccepted")):
        message = f"Claude Code has not been told to trust {folder}: a session at a terminal runs no hook of it"
        fix = "start claude there once and accept the question, or run: hookkit init --scope user"
        yield "trust.folder", "warning", message, fix, inside[0]


def native_rules(rows: list[Native]) -> str:
    permissions: dict[str, list[str]] = {}
    for type_ in TYPES:
        rules = dict.fromkeys(_spelled(row) for row in rows if row.type == type_)
        permissions |= {type_: [*rules]} if rules else {}
    return json.dumps({"permissions": permissions}, indent=2) + "\n"


def is_native(row: Native) -> bool:
    if row.argument is None:
        return row.tool in ("Bash", "Read", "Edit", "WebFetch", "WebSearch", "Agent") or row.tool.startswith("mcp__")
    if row.tool in PATHS:
        return row.argument[0] in "~/" or ("/" not in row.argument and row.argument[0] != "!")
    return bool(row.words) or (row.tool == "WebFetch" and row.argument.startswith("domain:"))


def spares(row: Native, unless: list[str]) -> bool:
    """A rule of Claude Code about a path is about its own tools; commands such as `stat` pass it."""
    return row.tool in PATHS and all(pattern.startswith("Bash(") for pattern in unless)


def _spelled(row: Native) -> str:
    """A star of hookkit crosses directories, one of Claude Code does not; two slashes begin a path of the machine."""
    if row.argument is None:
        return row.tool
    if row.tool not in PATHS:
        return f"{row.tool}({row.argument})"
    path = f"/{row.argument}" if row.argument.startswith("/") and not row.argument.startswith("//") else row.argument
    path = "/".join("**" if part == "*" else part for part in path.split("/"))
    return f"{PATHS[row.tool]}({path})"


def calls(entry: dict[str, object], _state: dict[str, str]) -> "Iterator[PastCall]":
    if entry.get("type") != "assistant":
        return
    for block in blocks(dict_in(entry, "message").get("content")):
        name = text_in(block, "name")
        if block.get("type") == "tool_use" and name:
            yield PastCall(
                "claude", name, dict_in(block, "input"), cwd=text_in(entry, "cwd"), session=text_in(entry, "sessionId"),
                at=text_in(entry, "timestamp"), id_=text_in(block, "id"),
            )  # fmt: skip
