"""An agent's own state, for what doctor checks in it: the file `doctor.py` in the folder of an agent.

check(checked) -> rows of (id of the problem, "serious" or "warning", message, fix, file)
"""

import json

from hookkit.settings.documents.toml_text import TomlDocument
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Remarks = Iterator[tuple[str, str, str, str, str]]

LIMIT = 64 << 20  # bytes: Claude Code keeps the history of every project in one file


class Checked:
    """The settings files of an agent that hold hookkit; `inside` are those in the project."""

    __slots__ = ("environ", "files", "home", "inside", "project")

    def __init__(self, environ: dict[str, str], home: str, project: str, paths: list[str], inside: list[str]) -> None:
        self.environ = environ
        self.home = home  # the agent's own directory
        self.project = project
        self.files = paths
        self.inside = inside


def json_file(path: str) -> "dict[str, Any]":
    try:
        value = json.loads(files.read(path, LIMIT))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def toml_file(path: str) -> "dict[str, Any]":
    try:
        return TomlDocument(path, files.read(path, LIMIT).decode()).data
    except (OSError, ValueError):
        return {}
