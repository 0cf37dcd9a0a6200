"""Tools of a checking agent: read, search and list files inside the project, and read the session's transcript."""

import os

from hookkit.engine.handler import HandlerCall
from hookkit.system import files
from hookkit.system.listing import walked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LIMIT = 256 * 1024  # bytes read of one file
SHOWN = 20_000  # characters of one result
MOST = 100  # names or matches
LOOKED = 5_000  # files that one search opens
LONGEST_PATTERN = 200
TEXT = {"type": "string"}
TOOLS = (
    ("Read", "Read a text file of the project.",
     {"type": "object", "properties": {"file_path": TEXT}, "required": ["file_path"]}),
    ("Grep", "Find lines that contain a text, in the files of the project.",
     {"type": "object", "properties": {"pattern": TEXT, "path": TEXT}, "required": ["pattern"]}),
    ("Glob", "List files of the project by a pattern such as src/**/*.py.",
     {"type": "object", "properties": {"pattern": TEXT}, "required": ["pattern"]}),
)  # fmt: skip


def run(call: HandlerCall, name: str, given: object) -> str:
    """The result of a tool as text; a wrong call is told to the model."""
    values = given if isinstance(given, dict) else {}
    work = {"Read": _read, "Grep": _grep, "Glob": _glob}.get(name)
    if work is None:
        return f"there is no tool {name}"
    return work(call, values)[:SHOWN]


def _allowed(call: HandlerCall, path: object) -> str:
    """The path if it is inside the project or the session's transcript, else an empty text."""
    root = call.event.project
    if not isinstance(path, str) or not root or "\0" in path:
        return ""
    whole = os.path.join(root, path)
    is_transcript = whole == call.event.text("transcript_path") and whole.endswith(".jsonl")
    return whole if is_transcript or files.inside(whole, root) else ""


def _read(call: HandlerCall, values: "dict[str, Any]") -> str:
    path = _allowed(call, values.get("file_path"))
    if not path:
        return "this file is outside of the project"
    try:
        return files.read(path, LIMIT).decode("utf-8", "replace")
    except OSError as error:
        return f"cannot read it: {error.strerror or 'not a regular file'}"


def _grep(call: HandlerCall, values: "dict[str, Any]") -> str:
    pattern, below = values.get("pattern"), _allowed(call, values.get("path", "."))
    if not isinstance(pattern, str) or not pattern or len(pattern) > LONGEST_PATTERN or not below:
        return "give a pattern of 1 to 200 characters, and a path inside the project"
    found: list[str] = []
    names = [""] if os.path.isfile(below) else list(walked(below, LOOKED))
    for name in names:
        path = os.path.join(below, name) if name else below
        for number, line in enumerate(_read(call, {"file_path": path}).split("\n"), 1):
            if pattern in line:
                found.append(f"{name or path}:{number}: {line[:200]}")
            if len(found) >= MOST:
                return "\n".join(found)
    return "\n".join(found) or "nothing found"


def _glob(call: HandlerCall, values: "dict[str, Any]") -> str:
    from fnmatch import fnmatchcase

    pattern = values.get("pattern")
    if not isinstance(pattern, str) or not call.event.project:
        return "give a pattern"
    flat = pattern.replace("**/", "*")
    names = walked(call.event.project, LOOKED)
    found = [name for name in names if fnmatchcase(name, pattern) or fnmatchcase(name, flat)]
    return "\n".join(found[:MOST]) or "nothing found"
