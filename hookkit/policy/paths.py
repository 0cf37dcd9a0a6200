"""Which file a path means: from where it stands, through `..` and symlinks, and on volumes that know no case."""

import os

from hookkit.policy.expand import UNKNOWN
from hookkit.policy.pattern import glob


class Place:
    """Where paths and path patterns count from."""

    def __init__(self, project: str, home: str) -> None:
        self.project = project
        self.home = home
        self.roots = list(dict.fromkeys((project, os.path.realpath(project))))
        self.folds = _knows_no_case(project)
        self._names: dict[tuple[str, str | None], list[str]] = {}

    def expand(self, path: str) -> str:
        """A tool's own path may start at home; a shell's was expanded by the shell, or was not meant to be."""
        return self.home + path[1:] if path == "~" or path.startswith("~/") else path

    def is_directory(self, path: str, directory: str | None) -> bool:
        if path.endswith("/") or path in (".", ".."):
            return True
        return directory is not None and UNKNOWN not in path and os.path.isdir(os.path.join(directory, path))

    def names(self, path: str, directory: str | None) -> list[str]:
        """The absolute names of a file: as written, and as it really is; the disk is asked once."""
        key = (path, directory)
        if key not in self._names:
            self._names[key] = self._find(path, directory)
        return self._names[key]

    def _find(self, path: str, directory: str | None) -> list[str]:
        if not path.startswith("/"):
            if directory is None:
                return [f"{UNKNOWN}/{path}"]
            path = os.path.join(directory, path)
        plain = os.path.normpath(path)
        if UNKNOWN in plain:
            return [plain]
        return list(dict.fromkeys((plain, os.path.realpath(plain))))

    def matches(self, pattern: str, path: str, directory: str | None, *, wide: bool) -> bool:
        """A deny needs one name of the file to match, an allow needs them all."""
        names = self.names(path, directory)
        if pattern.startswith("!"):
            outside = not any(self.matches_name(pattern[1:], name) for name in names)
            return outside and not any(UNKNOWN in name for name in names)
        hits = [self.matches_name(pattern, name) for name in names]
        return any(hits) if wide else all(hits)

    def matches_name(self, pattern: str, name: str) -> bool:
        if self.folds:
            pattern, name = pattern.casefold(), name.casefold()
        if "/**/" in pattern:
            shorter = pattern.replace("/**/", "/", 1)
            return self.matches_name(shorter, name) or self.matches_name(pattern.replace("/**/", "/*/", 1), name)
        pattern = pattern.replace("**", "*")
        if pattern in (".", "./"):
            return name in self.roots
        if pattern in ("..", "../"):
            return any(root.startswith(name.rstrip("/") + "/") for root in self.roots)
        if "/" not in pattern and pattern != "~":
            base = name.rpartition("/")[2]
            return glob(pattern, base) and (UNKNOWN not in base or pattern == "*")
        if pattern.startswith("//"):
            return glob(pattern[1:], name)
        if pattern == "~" or pattern.startswith("~/"):
            return bool(self.home) and glob(self.home + pattern[1:].rstrip("/"), name)
        if pattern.startswith("/"):
            return glob(pattern, name)
        if pattern.startswith("*/") and glob(pattern[2:], name.rpartition("/")[2]):
            return True
        pattern = pattern.removeprefix("./")
        return any(glob(f"{root}/{pattern}", name) for root in self.roots)


def _knows_no_case(directory: str) -> bool:
    swapped = directory.swapcase()
    try:
        return swapped != directory and os.path.samefile(directory, swapped)
    except OSError:
        return False
