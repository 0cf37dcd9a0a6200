"""Directories without symbolic links. A hook asks the disk on every call; a replay of many calls asks once."""

import os

MOST = 10_000  # directories remembered
DEEPEST = 64  # a deeper path is left to the standard library


class Holding:
    """While on, every directory is looked up once: for reports over many calls, never for a hook."""

    known: dict[str, str] | None = None

    def __enter__(self) -> None:
        Holding.known = {}

    def __exit__(self, *_: object) -> None:
        Holding.known = None


def memory() -> dict[str, str]:
    """Directories already looked up: those of the whole run while held, else none."""
    return {} if Holding.known is None else Holding.known


def real(path: str, known: dict[str, str]) -> str:
    """The real path of a normalised absolute directory, from the nearest known directory above."""
    found = known.get(path)
    if found is not None:
        return found
    if path[:1] != "/" or path.count("/") > DEEPEST:
        return os.path.realpath(path)
    missing = []
    here = path
    while here not in known and here.strip("/"):
        missing.append(here)
        here = here.rpartition("/")[0]
    found = known.get(here, "/")
    if len(known) > MOST:
        known.clear()
    for here in reversed(missing):
        found = os.path.realpath(here) if os.path.islink(here) else f"{found.rstrip('/')}/{here.rpartition('/')[2]}"
        known[here] = found
    return found
