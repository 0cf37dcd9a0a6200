"""Looks for files by name or pattern below a directory: bounded, and never through a link out of it."""

import os
import stat

from hookkit.programs.words import glob
from hookkit.system import files

MOST = 20_000  # directory entries, for all names of an event together
DEEP = "**"
SKIPPED = (".git", "node_modules", ".venv", "__pycache__")  # by `**`: large, and not written by the agent


class FileSearch:
    """`is_spent` means that the limit was reached: a file that was not found may still be there."""

    __slots__ = ("is_spent", "left", "root")

    def __init__(self, root: str) -> None:
        self.root = root
        self.left = MOST
        self.is_spent = False

    def has(self, name: str) -> bool:
        """A regular file; `*` is any part of a name, `**` any directories."""
        parts = [part for part in name.split("/") if part not in ("", ".")]
        once = [part for at, part in enumerate(parts) if [part, *parts[at + 1 : at + 2]] != [DEEP, DEEP]]
        return self._find(self.root, once)

    def _find(self, directory: str, parts: list[str]) -> bool:
        if not parts:
            return False
        first, rest = parts[0], parts[1:]
        if first == DEEP:
            here = self._find(directory, rest or ["*"])
            return here or any(self._find(each, parts) for each in self._below(directory))
        names = [first] if "*" not in first else [name for name in self._names(directory) if glob(first, name)]
        paths = [os.path.join(directory, name) for name in names]
        return any(self._find(path, rest) if rest else self._is_file(path) for path in paths)

    def _below(self, directory: str) -> list[str]:
        paths = [os.path.join(directory, name) for name in self._names(directory) if name not in SKIPPED]
        return [path for path in paths if os.path.isdir(path) and not os.path.islink(path)]

    def _names(self, directory: str) -> list[str]:
        found: list[str] = []
        self.left -= 1  # an empty directory costs a system call, too
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    self.left -= 1
                    if self.left < 0:
                        self.is_spent = True
                        break
                    found.append(entry.name)
        except OSError:
            return found  # not a directory, or not readable
        return sorted(found)

    def _is_file(self, path: str) -> bool:
        try:
            info = os.stat(path)
        except OSError:
            return False
        return stat.S_ISREG(info.st_mode) and files.inside(path, self.root)
