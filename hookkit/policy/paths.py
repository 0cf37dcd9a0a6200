"""Which file a path means: from where it stands, through `..` and symlinks, and on volumes that know no case."""

import os

from hookkit.policy.pattern import glob
from hookkit.shell.expand import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 4096  # no system opens a longer path, so there is nothing behind it to find
DEPTH = 4  # directories that the index looks at: a path may have any number


class Place:
    """Where paths and path patterns count from."""

    def __init__(self, project: str, home: str) -> None:
        self.project = project
        self.home = home
        self.roots = list(dict.fromkeys((project, os.path.realpath(project))))
        self.folds = _knows_no_case(project)
        self._names: dict[tuple[str, str | None], list[str]] = {}
        self._labels: dict[tuple[str, str | None], list[str]] = {}

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

    def labels(self, path: str, directory: str | None) -> list[str]:
        """Under what rules about this file are found: its name, and where it is, as the index writes it."""
        key = (path, directory)
        if key not in self._labels:
            names = [name.casefold() for name in self.names(path, directory)]
            found = {f"={name.rpartition('/')[2]}" for name in names}
            for name in names:
                found.update(_above("", name), _above("~", name, self.home.casefold()))
                for root in self.roots:
                    found.update(label[1:] for label in _above("", name, root.casefold()))
            self._labels[key] = list(found)
        return self._labels[key]

    def _find(self, path: str, directory: str | None) -> list[str]:
        if not path.startswith("/"):
            if directory is None:
                return [f"{UNKNOWN}/{path}"]
            path = os.path.join(directory, path)
        plain = os.path.normpath(path)
        if UNKNOWN in plain or len(plain) > LONGEST:
            return [plain]
        try:
            return list(dict.fromkeys((plain, os.path.realpath(plain))))
        except ValueError:  # half a character: no system has a file of that name, and a rule may be about it
            return [plain]

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


def _above(mark: str, name: str, base: str = "") -> "Iterator[str]":
    """The first directories below the base, one more each time, and the file itself if it is no deeper."""
    at = len(base)
    if name[:at] != base or name[at : at + 1] not in ("", "/"):
        return
    yield mark
    for _ in range(DEPTH):
        if at < 0 or at >= len(name):
            return
        at = name.find("/", at + 1)
        yield mark + name[len(base) : at if at >= 0 else None]


def _knows_no_case(directory: str) -> bool:
    swapped = directory.swapcase()
    try:
        return swapped != directory and os.path.samefile(directory, swapped)
    except (OSError, ValueError):
        return False
