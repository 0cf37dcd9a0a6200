"""The files behind a project's commands: their checksums, their trust, and the list for `hookkit trust`."""

import os

from hookkit.redirect.detectors import ACTIONS
from hookkit.redirect.search import sources
from hookkit.redirect.targets import TaskFiles
from hookkit.redirect.toolchains import ROWS, Toolchain
from hookkit.settings import trust

LIMIT = 1 << 20  # bytes of the largest file with trust
FOLDERS = 2_000  # searched for task files
MOST = 500  # files pinned for a project
UNKNOWN = "cannot be trusted: it includes files that hookkit cannot find"
# Folders of dependencies and build results: commands in them are not the project's own.
SKIPPED = ("node_modules", "target", "dist", "build", "vendor", "venv", "site-packages", "__pycache__")


def content(path: str) -> str | None:
    """The text whose checksum is pinned; None for an unreadable or too large file."""
    return trust.content(path, LIMIT)


def are_trusted(paths: list[str], environ: dict[str, str]) -> bool:
    """Whether the person has trusted all files with their present content, or a signer has signed it."""
    texts = {path: content(path) for path in paths}
    trusted = (text is not None and trust.is_trusted(path, text, environ) for path, text in texts.items())
    return bool(paths) and all(trusted)


def of_project(root: str) -> dict[str, list[str]]:
    """Each file that defines commands of the project, with the commands; bounded, since a clone may have any size.

    A task file with unknown includes has only the text UNKNOWN: its commands cannot be trusted.
    """
    by_action: dict[str, list[str]] = {}
    for count, (here, folders, names) in enumerate(os.walk(root)):
        if count >= FOLDERS or len(by_action) >= MOST:
            break
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not name.startswith("."))
        tasks = TaskFiles()
        for row in ROWS:
            marker = next((name for name in row.markers if name in names), "")
            if marker:
                path = os.path.join(here, marker)
                known = sources(row, here, marker, tasks)
                by_action |= {name: by_action.get(name, []) for name in known}
                texts = _commands(row, path, tasks) if known else [UNKNOWN]
                by_action[path] = list(dict.fromkeys([*by_action.get(path, []), *texts]))
    return by_action


def _commands(row: Toolchain, path: str, tasks: TaskFiles) -> list[str]:
    """The commands of a file, for the person; package.json has scripts for any package manager."""
    if not row.command:
        return [text for action, text in row.commands.items() if action not in row.needs]
    name = "script" if row.ecosystem == "node" else row.name
    return [f"{name} {action}" for action in ACTIONS if action in tasks.targets(path)]
