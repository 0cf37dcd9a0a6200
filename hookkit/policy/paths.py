"""Path → file: relative paths, `..`, symlinks, volumes without case."""

import os

from hookkit.programs.words import glob
from hookkit.shell.expand import is_pattern, may_both
from hookkit.shell.state import UNKNOWN
from hookkit.system.files import memory, real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 4096  # no system opens a longer path
DEPTH = 4  # directories of a path that the index reads
# Other names of the root, and of the directory of a process (an empty text).
ALIASES = (
    ("/proc/self/root/", "/"), ("/proc/thread-self/root/", "/"),
    ("/proc/self/cwd/", ""), ("/proc/thread-self/cwd/", ""),
)  # fmt: skip
BEGINNING = 3  # characters of a file's name that the index reads

LEFT_OUT = (".git", "node_modules", ".venv", "__pycache__")  # directories that hold nobody's keys
MOST_FOLDERS, MOST_FILES = 20, 200  # of a directory, and files in each


class Place:
    """Where paths and path patterns count from."""

    def __init__(self, project: str, home: str) -> None:
        self.project = project
        self.home = home
        self._real = memory()
        self.roots = list(dict.fromkeys((project, self._root(project))))
        self.folds = _knows_no_case(project)
        self._names: dict[tuple[str, str | None], list[str]] = {}
        self._many: dict[tuple[int, str | None], tuple[list[str], list[str]]] = {}  # of lists that the call keeps
        self._labels: dict[tuple[str, str | None], list[str]] = {}

    def _root(self, project: str) -> str:
        try:
            is_plain = project == os.path.normpath(project)
            return real(project, self._real) if is_plain else os.path.realpath(project)
        except (OSError, ValueError):
            return project

    def expand(self, path: str) -> str:
        """A tool's own path may start at home; a shell's was expanded by the shell, or was not meant to be."""
        return self.home + path[1:] if path == "~" or path.startswith("~/") else path

    def is_directory(self, path: str, directory: str | None) -> bool:
        if path.endswith("/") or path in (".", ".."):
            return True
        return directory is not None and UNKNOWN not in path and os.path.isdir(os.path.join(directory, path))

    def opened(self, path: str, directory: str | None) -> str:
        """An unknown name in a known directory may be any file there; in the project itself most names are harmless."""
        above, slash, name = path.rpartition("/")
        if UNKNOWN not in name or UNKNOWN in above or not (slash or directory not in (None, *self.roots)):
            return path
        return f"{above if slash else '.'}/*"

    def names(self, path: str, directory: str | None) -> list[str]:
        """The absolute names of a file: as written, and as it really is; the disk is asked once."""
        key = (path, directory)
        if key not in self._names:
            self._names[key] = self._find(path, directory)
        return self._names[key]

    def labels(self, path: str, directory: str | None) -> list[str]:
        """The index labels of this file: its name and parts of the name, its directories."""
        key = (path, directory)
        if key not in self._labels:
            labels: set[str] = set()
            home, roots = self.home.casefold(), [root.casefold() for root in self.roots]
            for name in map(str.casefold, self.names(path, directory)):
                parts = name.split("/")
                base = parts[-1]
                labels.update((f"={base}", f"*.{base.rpartition('.')[2]}", f"^{base[:BEGINNING]}"))
                labels.update([f":{part}" for part in parts])
                labels.update(_above("", name, ""), _above("~", name, home))
                for root in roots:
                    labels.update([label[1:] for label in _above("", name, root)])
            self._labels[key] = list(labels)
        return self._labels[key]

    def _find(self, path: str, directory: str | None) -> list[str]:
        if not path.startswith("/"):
            if directory is None:
                return [f"{UNKNOWN}/{path}"]
            path = os.path.join(directory, path)
        for alias, meant in ALIASES:
            if path.startswith(alias) and (meant or directory):
                path = (meant or f"{directory}/") + path[len(alias) :]
        plain = os.path.normpath(path)
        if UNKNOWN in plain or len(plain) > LONGEST:
            return [plain]
        try:
            behind = [os.path.realpath(path)] if "/../" in path else []  # `..` behind a link leads elsewhere
            return list(dict.fromkeys((plain, self.real(plain), *behind)))
        except (OSError, ValueError):  # /proc of another user, or half a character: the name as written must do
            return [plain]

    def real(self, path: str) -> str:
        """An absolute path without links. Files of a call often share a directory, so the disk is asked for it once."""
        above, _, name = path.rpartition("/")
        if os.path.islink(path) or not above:
            return os.path.realpath(path)
        return f"{real(above, self._real).rstrip('/')}/{name}"

    def matches(self, pattern: str, path: str, directory: str | None, *, wide: bool) -> bool:
        """A deny needs one name of the file to match, an allow needs them all."""
        names = self.names(path, directory)
        if pattern.startswith("!"):
            outside = not any(self.matches_name(pattern[1:], name) for name in names)
            return outside and not any(UNKNOWN in name for name in names)
        if len(names) == 1:
            return self.matches_name(pattern, names[0])
        hits = [self.matches_name(pattern, name) for name in names]
        return any(hits) if wide else all(hits)

    def matches_any(self, pattern: str, paths: list[str], directory: str | None) -> bool:
        """Whether a deny or ask rule is about one of many paths; names and last parts are worked out once for all."""
        if pattern[:1] == "!":
            return any(self.matches(pattern, path, directory, wide=True) for path in paths)
        key = (id(paths), directory)
        if key not in self._many:
            names = list(dict.fromkeys(name for path in paths for name in self.names(path, directory)))
            self._many[key] = (names, list(dict.fromkeys(name.rpartition("/")[2] for name in names)))
        names, bases = self._many[key]
        if "/" in pattern or pattern in ("~", ".", "..") or self.folds:
            is_rooted = pattern[:1] in ("/", "~") and not self.folds and "\\" not in pattern
            head = self._rooted(pattern).partition("*")[0] if is_rooted else ""
            return any(self.matches_name(pattern, name) for name in names if name.startswith(head))
        pattern = pattern.replace("**", "*")
        return any(glob(pattern, base) and (UNKNOWN not in base or pattern == "*") for base in bases)

    def may_match(self, pattern: str, path: str, directory: str | None, recursive: bool) -> bool:  # noqa: FBT001 - a fact of the path
        """Whether a path with the shell's own pattern in it could be a file of the rule, or a directory hold one."""
        rooted = pattern[:1] in ("/", "~") and pattern != "/"
        if recursive and rooted and not is_pattern(path):
            goal = self._rooted(pattern).partition("*")[0]
            return any(goal.startswith(f"{name.rstrip('/')}/") for name in self.names(path, directory))
        name = os.path.normpath(os.path.join(directory or UNKNOWN, path))
        if not is_pattern(name) or UNKNOWN in name or pattern[:1] == "!" or pattern in (".", "..", "./", "../", "*"):
            return False
        if "/" not in pattern and pattern != "~":
            return _is_telling(name.rpartition("/")[2]) and _may_both(name.rpartition("/")[2], pattern)
        wanted = [self._rooted(pattern)] if rooted else [f"{root}/{pattern.removeprefix('./')}" for root in self.roots]
        return any(_may_both_paths(name, other, rooted=rooted) for other in wanted)

    def _rooted(self, pattern: str) -> str:
        if pattern[:1] == "~":
            return self.home + pattern[1:].rstrip("/")
        return pattern[1:] if pattern.startswith("//") else pattern

    def matches_name(self, pattern: str, name: str) -> bool:
        if self.folds:
            pattern, name = pattern.casefold(), name.casefold()
        if "**" in pattern:
            return any(self.matches_name(part, name) for part in _shallow(pattern))
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


def files_of(directory: str, left_out: list[str]) -> list[str]:
    """The files of a directory and of the directories right below, without names that `left_out` matches."""
    paths: list[str] = []
    for root, folders, names in os.walk(directory):
        wanted = [name for name in folders[:MOST_FOLDERS] if name not in (*LEFT_OUT, *left_out)]
        folders[:] = wanted if root == directory else []
        paths += [f"{root}/{name}" for name in names[:MOST_FILES] if not any(glob(each, name) for each in left_out)]
    return paths


def _shallow(pattern: str) -> "Iterator[str]":
    """The pattern without `**`: for no directory in its place, and for some."""
    if pattern.endswith("/**"):
        above = pattern[:-3]  # the directory itself, for commands that read all of it
        yield f"./{above}" if {*"/~*"}.isdisjoint(above) else above
    if pattern.startswith("**/"):
        yield f"./{pattern[3:]}"
    if "/**/" in pattern:
        yield pattern.replace("/**/", "/", 1)
        yield pattern.replace("/**/", "/*/", 1)
    else:
        yield pattern.replace("**", "*")


def _above(mark: str, name: str, base: str) -> list[str]:
    """The chain of directories below the base, up to the indexed depth, and the file itself if it is no deeper."""
    at = start = len(base)
    if not name.startswith(base) or name[at : at + 1] not in ("", "/"):
        return []
    names = [mark]
    for _ in range(DEPTH):
        if at >= len(name):
            break
        at = name.find("/", at + 1)
        if at < 0:
            names.append(mark + name[start:])
            break
        names.append(mark + name[start:at])
    return names


def _may_both(name: str, pattern: str) -> bool:
    """One name against one name: a star of the shell never stands for the dot of a hidden file."""
    return (name[:1] == "." or pattern[:1] != ".") and may_both(name, pattern)


def _is_telling(name: str) -> bool:
    """`*` matches every file, so the pattern does not name a particular file."""
    head, *sets = name.split("[")
    plain = head + "".join(part.partition("]")[2] for part in sets)
    text = plain.strip("*?")
    return len(text) > 1 or (text == "." and name[:1] == ".")  # hidden files: `.*`, `.[a-z]*`


def _may_both_paths(name: str, pattern: str, *, rooted: bool) -> bool:
    """Name by name; the last part of the pattern may stand for everything below, `**` for any directories."""
    ours, theirs = name.split("/"), pattern.split("/")
    if "**" in ours[:-1]:
        at = ours.index("**")
        if len(theirs) <= at:
            return False
        named = theirs[-1] != "*" or (rooted and len(ours[-1].partition("*")[0]) > 2 and theirs[at][:1] == ".")  # noqa: PLR2004
        return ours[:at] == theirs[:at] and named and _is_telling(ours[-1]) and _may_both(ours[-1], theirs[-1])
    if len(ours) < len(theirs):
        return False
    heads = list(zip(ours, theirs, strict=False))
    if len(ours) > len(theirs) and theirs[-1] != "*":
        return False
    if ours[:-1] == theirs[:-1] and len(ours) > 2 and not is_pattern("/".join(theirs[:-1])):  # noqa: PLR2004
        if theirs[-2][:1] == ".":  # in a hidden directory a star may mean everything: `.claude/*`
            return _may_both(ours[-1], theirs[-1])
        if ours[-1] == "*":
            return False
    told = any(not is_pattern(mine) and mine == wanted and mine for mine, wanted in heads) and any(
        is_pattern(mine) and _is_telling(mine) for mine, _ in heads
    )
    return told and all(_may_both(mine, wanted) for mine, wanted in heads)


def _knows_no_case(directory: str) -> bool:
    swapped = directory.swapcase()
    try:
        return swapped != directory and os.path.samefile(swapped, directory)  # the first is missing nearly everywhere
    except (OSError, ValueError):
        return False
