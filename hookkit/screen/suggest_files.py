"""The files offered after `@`: from git's list of files, the best matches first."""

import os
import time

from hookkit.system import files, git, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookkit.settings.layers import Settings

SECONDS = 5.0
SETTING = "suggest_files.command"
MOST = 15  # the client shows no more
ENOUGH = 200  # candidates that are worth ranking
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
        return sorted(names, key=lambda name: (name.count("/"), name))[:MOST]
    wanted = query.lower().removeprefix("./")
    lowered = [name.lower() for name in names]
    found = [number for number, name in enumerate(lowered) if wanted in name]
    found = found or list(_in_order(wanted, lowered)) or list(_nearly(wanted, lowered))
    best = sorted(found, key=lambda number: _rank(wanted, lowered[number]))
    return [names[number] for number in best[:MOST]]


def _rank(wanted: str, name: str) -> tuple[int, float, int, str]:
    base = name.rpartition("/")[2]
    place = 0 if wanted in (base, name) else 1 if base.startswith(wanted) or name.startswith(wanted) else 2
    if place == 2 and wanted not in base:  # noqa: PLR2004 - the third place
        from rapidfuzz import fuzz

        return (3 if wanted in name else 4), -fuzz.partial_ratio(wanted, name), len(name), name
    return place, 0.0, len(name), name


def _in_order(wanted: str, names: list[str]) -> "Iterator[int]":
    """Names with the characters of the query in this order, with others between them."""
    import re

    # Each step goes to the next such character and never back, so the time is linear in the length of a name.
    matches = re.compile("".join(f"[^{re.escape(char)}]*{re.escape(char)}" for char in wanted)).match
    found = 0
    for number, name in enumerate(names):
        if matches(name):
            yield number
            found += 1
            if found >= ENOUGH:
                return


def _nearly(wanted: str, names: list[str]) -> "Iterator[int]":
    from rapidfuzz import fuzz, process

    last = wanted.rpartition("/")[2]
    bases = [name.rpartition("/")[2] for name in names]
    for _, _, number in process.extract(last, bases, scorer=fuzz.ratio, limit=MOST, score_cutoff=CLOSE):
        yield number


# -- the list of files -------------------------------------------------------------------------------------------------


def listed(directory: str, environ: dict[str, str]) -> list[str]:
    """The files below the directory. A kept list is used at once; a list that may be old is made again meanwhile."""
    path = _kept(directory, environ)
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
        names = list(listing.walked(directory))
    path = _kept(directory, environ)
    if path:
        try:
            files.private_dir(os.path.dirname(os.path.dirname(path)))
            files.private_dir(os.path.dirname(path))
            files.write(path, "\n".join(names).encode("utf-8", "replace"))
        except OSError:
            return names  # a read-only disk: the next call is as slow
    return names


def _kept(directory: str, environ: dict[str, str]) -> str:
    state = files.state_dir(environ)
    return os.path.join(state, "files", files.safe_name(os.path.realpath(directory))) if state else ""


def _refresh_later(directory: str, environ: dict[str, str]) -> None:
    from hookkit.system import background

    background.start("hookkit.screen.suggest_files", "main", [directory], environ)


def main(directory: str) -> None:
    """The process that makes the list again."""
    refresh(directory, dict(os.environ))
