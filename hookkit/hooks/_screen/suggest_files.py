"""The files offered after `@`: from git's list of files, the best matches first."""

import os
import time

from hookkit.system import files, git, globbing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from hookkit.settings.layers import Settings


SECONDS = 5.0
SETTING = "suggest_files.command"
MOST = 15  # the client shows no more
ENOUGH = 200  # candidates that are worth ranking
MANY = 5_000  # names with the query, from which on only the shortest count
FRESH = 3.0  # seconds in which a kept list is not looked at again
LIMIT = 64 << 20  # bytes of a kept list
CLOSE = 60  # of 100, for a name with typing mistakes


def answer(fields: "dict[str, Any]", settings: "Settings") -> str:
    query = fields.get("query")
    directory = fields.get("cwd")
    if not isinstance(query, str) or not isinstance(directory, str) or not os.path.isabs(directory):
        return ""
    names = listed(directory, settings.environ)
    return "\n".join(name for name in ranked(query.strip()[:200], names) if name.isprintable())


def ranked(query: str, names: list[str]) -> list[str]:
    """Names that hold the query, then names with its characters in order, then names that are nearly it."""
    if not query:
        return _highest(names)
    wanted = query.lower().removeprefix("./")
    lowered = [name.lower() for name in names]
    numbers = [number for number, name in enumerate(lowered) if wanted in name]
    best = _held(wanted, lowered, numbers) if numbers else _close(wanted, lowered)
    return [names[number] for number in best[:MOST]]


def _highest(names: list[str]) -> list[str]:
    """The names nearest to the top."""
    from heapq import nsmallest

    depths = [name.count("/") for name in names]
    highest: list[str] = []
    for depth in sorted(set(depths)):
        highest += nsmallest(MOST, (name for name, here in zip(names, depths, strict=True) if here == depth))
        if len(highest) >= MOST:
            break
    return highest[:MOST]


# The places of a query in a name, the best first: the start of the file name or the path, in the file name, anywhere.
PLACES: "tuple[Callable[[str, str], bool], ...]" = (
    lambda wanted, name: name.startswith(wanted) or name.startswith(wanted, name.rfind("/") + 1),
    lambda wanted, name: name.find(wanted, name.rfind("/") + 1) >= 0,
    lambda wanted, name: True,  # noqa: ARG005 - one signature
)


def _held(wanted: str, names: list[str], numbers: list[int]) -> list[int]:
    """Whole file names first, then by place; short names first within a place."""
    end = f"/{wanted}"
    best = dict.fromkeys(_by_length([number for number in numbers if names[number].endswith(end)], names))
    best |= dict.fromkeys(number for number in numbers if names[number] == wanted)
    near = _shortest(numbers, names)
    for is_there in PLACES:
        best |= dict.fromkeys(_by_length([number for number in near if is_there(wanted, names[number])], names))
        if len(best) >= MOST:
            break
    return [*best]


def _by_length(numbers: list[int], names: list[str]) -> list[int]:
    return sorted(numbers, key=lambda number: (len(names[number]), names[number]))


def _shortest(numbers: list[int], names: list[str]) -> list[int]:
    """A query of one letter is in most names: then only short names are looked at."""
    if len(numbers) <= MANY:
        return numbers
    longest = sorted([len(names[number]) for number in numbers])[MANY]
    return [number for number in numbers if len(names[number]) <= longest][: 2 * MANY]


def _close(wanted: str, names: list[str]) -> list[int]:
    from rapidfuzz import fuzz

    numbers = list(_in_order(wanted, names)) or list(_nearly(wanted, names))
    return sorted(
        numbers, key=lambda number: (-fuzz.partial_ratio(wanted, names[number]), len(names[number]), names[number])
    )


def _in_order(wanted: str, names: list[str]) -> "Iterator[int]":
    """Names with the characters of the query in this order, with others between them."""
    import re

    # Each step goes to the next such character and never back, so the time is linear in the length of a name.
    matches = re.compile("".join(f"[^{re.escape(char)}]*{re.escape(char)}" for char in wanted)).match
    count = 0
    for start in range(0, len(names), MANY):
        numbers = [*range(start, min(start + MANY, len(names)))]
        for char in set(wanted):  # far faster than the regular expression
            numbers = [number for number in numbers if char in names[number]]
        for number in numbers:
            if count < ENOUGH and matches(names[number]):
                yield number
                count += 1
        if count >= ENOUGH:
            return


def _nearly(wanted: str, names: list[str]) -> "Iterator[int]":
    from rapidfuzz import fuzz, process

    last = wanted.rpartition("/")[2]
    least, most = len(last) * CLOSE / (200 - CLOSE), len(last) * (200 - CLOSE) / CLOSE  # others cannot be close enough
    bases = {
        number: name[start:]
        for number, name in enumerate(names)
        if least <= len(name) - (start := name.rfind("/") + 1) <= most
    }
    for _, _, number in process.extract(last, bases, scorer=fuzz.ratio, limit=MOST, score_cutoff=CLOSE):
        yield number


# -- the list of files -------------------------------------------------------------------------------------------------


def listed(directory: str, environ: dict[str, str]) -> list[str]:
    """The files below the directory. A kept list is used at once; a list that may be old is made again meanwhile."""
    path = _cache_path(directory, environ)
    try:
        age = time.time() - os.stat(path).st_mtime if path else None
        text = files.read_own(path, LIMIT).decode("utf-8", "replace") if path else ""
    except OSError:
        age, text = None, ""
    if age is None:
        return refresh(directory, environ)
    if age > FRESH:
        _refresh_later(directory, environ)
    return text.split("\n") if text else []


def refresh(directory: str, environ: dict[str, str]) -> list[str]:
    names = git.listed(directory, environ)
    if names is None:
        names = list(globbing.walked(directory))
    path = _cache_path(directory, environ)
    if path:
        try:
            files.private_dir(os.path.dirname(os.path.dirname(path)))
            files.private_dir(os.path.dirname(path))
            files.write(path, "\n".join(names).encode("utf-8", "replace"))
        except OSError:
            return names  # a read-only disk: the next call is as slow
    return names


def _cache_path(directory: str, environ: dict[str, str]) -> str:
    state = files.state_dir(environ)
    return os.path.join(state, "files", files.safe_name(os.path.realpath(directory))) if state else ""


def _refresh_later(directory: str, environ: dict[str, str]) -> None:
    from hookkit.system import running

    running.start_background("hookkit.hooks._screen.suggest_files", "main", [directory], environ)


def main(directory: str) -> None:
    """The process that makes the list again."""
    refresh(directory, dict(os.environ))
