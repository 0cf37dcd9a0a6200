"""Names of files: patterns, and a bounded walk."""

import fnmatch
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


SPECIAL = "*?["
VISITS = 20_000  # names looked at


class TooMany(Exception):  # noqa: N818 - not an error of the program: the pattern is too wide to follow
    """The pattern looks at more names than the budget allows."""


def matches(pattern: str, visits: int = VISITS, *, hidden: bool = False) -> "Iterator[str]":
    """Existing paths of an absolute pattern; `**` is any number of directories. `hidden`: a star finds hidden names."""
    left = [visits]
    start = "/" if pattern[:1] == "/" else "."
    yield from _below(start, [part for part in pattern.split("/") if part], left, hidden=hidden)


def _below(here: str, parts: list[str], left: list[int], *, hidden: bool) -> "Iterator[str]":
    if not parts:
        yield here
        return
    part, rest = parts[0], parts[1:]
    if part == "**":
        yield from _below(here, rest, left, hidden=hidden)
        for name in _names(here, "*", left, hidden=hidden):
            path = os.path.join(here, name)
            if os.path.isdir(path) and not os.path.islink(path):
                yield from _below(path, parts, left, hidden=hidden)
            elif not rest:
                yield path
        return
    names = _names(here, part, left, hidden=hidden) if any(char in part for char in SPECIAL) else [part]
    for name in names:
        path = os.path.join(here, name)
        if rest and os.path.isdir(path):
            yield from _below(path, rest, left, hidden=hidden)
        elif not rest and os.path.lexists(path):
            yield path


def _names(here: str, part: str, left: list[int], *, hidden: bool) -> list[str]:
    try:
        with os.scandir(here) as entries:
            names = [entry.name for entry, _ in zip(entries, range(left[0] + 1), strict=False)]
    except OSError:
        return []
    left[0] -= len(names) + 1
    if left[0] < 0:
        raise TooMany(part)
    return sorted(
        name for name in names if fnmatch.fnmatchcase(name, part) and (hidden or name[:1] != "." or part[:1] == ".")
    )


MOST = 50_000
SKIPPED = ("node_modules", "__pycache__", "target", "dist", "build", "venv")


def walked(directory: str, most: int = MOST) -> "Iterator[str]":
    """Names relative to the directory; hidden directories are left out, and no symlink is followed."""
    count = 0
    for place, inner, names in os.walk(directory):
        inner[:] = sorted(name for name in inner if not name.startswith(".") and name not in SKIPPED)
        below = os.path.relpath(place, directory)
        for name in sorted(names):
            yield name if below == "." else f"{below}/{name}"
            count += 1
            if count >= most:
                return
