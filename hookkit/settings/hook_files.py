"""Files of a project that its handlers run or read: `hookkit trust` pins their content together with the settings.

A handler's command is resolved as the shell would run it (`cd scripts && ./check.sh`), and every file of the project
among its words counts, with modules of `python -m`. Files that these files load do not.
"""

import os
import re

from hookkit.errors import HookkitError
from hookkit.settings import hook_rows, trust
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Row = dict[str, Any]

FOLDERS = (".cocode", ".claude", ".mentu")  # of settings files inside a project
LIMIT = 32 << 20  # bytes of a pinned file
MOST = 50  # files of one handler
LONGEST = 20_000  # characters of a command that are looked at
# `hookkit trust` pins the scripts of package.json alone, for the project's commands.
OTHERS = ("package.json",)
STARTS = ("__main__.py", "index.js")  # the program in a directory


def root_of(source: str) -> str:
    """The project of a settings file."""
    directory = os.path.dirname(source)
    while os.path.basename(directory) in FOLDERS:
        directory = os.path.dirname(directory)
    return directory


def named(row: "Row", directory: str, root: str) -> list[str]:
    """Paths inside the project that a handler names when it runs in the directory, also of files that are not there."""
    if row["kind"] == "inline":
        path = hook_rows.inline_file(row)
        return [path] if path else []
    if row["kind"] != "command":
        return []
    command = row["body"]["command"]
    text = command if isinstance(command, str) else " ".join("'" + word.replace("'", "'\\''") + "'" for word in command)
    inside = os.path.join(os.path.realpath(root), "")
    found: dict[str, None] = {}
    for word, place in _words(text[:LONGEST], directory, root):
        for part in (word, word.partition("=")[2]):
            path = os.path.join(place, part.removeprefix("./")) if part and "\0" not in part else ""
            if path and f"{os.path.realpath(os.path.dirname(path))}/".startswith(inside):
                found |= dict.fromkeys(_files(path))
    return [*found][:MOST]


def _files(path: str) -> "Iterator[str]":
    """The path, or the programs in a directory; a plain word that is no file is no name of a file."""
    if os.path.isdir(path):
        yield from (os.path.join(path, name) for name in STARTS)
    elif os.path.basename(path) not in OTHERS and ("." in os.path.basename(path) or os.path.exists(path)):
        yield path


def _words(text: str, directory: str, root: str) -> "Iterator[tuple[str, str]]":
    """Every word of every command in the text, with the directory in which the command runs."""
    from hookkit.shell import resolve

    known = text.replace("${CLAUDE_PROJECT_DIR}", root).replace("$CLAUDE_PROJECT_DIR", root)
    for word in re.split(r"[\s;|&()<>'\"`]+", known):
        yield word, directory
    try:
        commands = resolve(known, directory=directory, project=root).commands
    except (HookkitError, RecursionError):
        return
    for command in commands:
        place = command.directory or directory
        yield from ((word, place) for word in command.words)
        if "-m" in command.words[:-1]:
            module = command.words[command.words.index("-m") + 1].replace(".", "/")
            yield from ((name, place) for name in (f"{module}.py", f"{module}/__main__.py"))


def content(path: str) -> str | None:
    """The text whose checksum is pinned; None for a file that is too large or cannot be read."""
    try:
        raw = files.read(path, LIMIT + 1)
    except (OSError, ValueError):
        return None
    return raw.decode("latin-1") if len(raw) <= LIMIT else None  # every byte counts, also outside of UTF-8


def unpinned(row: "Row", directory: str, root: str, environ: dict[str, str]) -> str:
    """The first file of a handler that changed since it was trusted, or was never trusted; else an empty text."""
    for path in named(row, directory, root):
        if os.path.exists(path) and not _is_pinned(path, environ):
            return path
    return ""


def _is_pinned(path: str, environ: dict[str, str]) -> bool:
    text = content(path)
    return text is not None and trust.is_trusted(path, text, environ)
