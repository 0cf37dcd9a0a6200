"""Keeps the index of skills on disk, so that it is rebuilt only when a skill's file changes."""

import os

from hookkit.errors import HookkitError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Index = dict[str, Any]

FORMAT = 1  # version of the index: a new number makes old files stale
LIMIT = 8 << 20


def load(roots: list[str], own: str, environ: dict[str, str]) -> "Index":
    """The index of the skills below these directories, from disk while no file has changed."""
    places = [own, *roots]
    state = files.state_dir(environ)
    path = os.path.join(state, "skills", files.safe_name("\n".join(places)) + ".json") if state else ""
    stored = _stored(path, places)
    if stored is None:
        from hookkit.prompts import skill_index

        stamps = [[path, _stamp(path)] for path in skill_index.paths(roots)]  # taken before reading
        stored = {"format": FORMAT, "places": places, "stamps": stamps, **skill_index.build(roots, own)}
        _keep(path, stored)
    return stored


def _stamp(path: str) -> list[int]:
    """Changes whenever the file changes: the inode's change time cannot be set back."""
    try:
        info = os.stat(path)
    except OSError:
        return []
    return [info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns]


def _stored(path: str, places: list[str]) -> "Index | None":
    try:
        value = jsons.loads(files.read_own(path, LIMIT))
    except (OSError, HookkitError):
        return None
    if not isinstance(value, dict) or value.get("format") != FORMAT or value.get("places") != places:
        return None
    return value if all(_stamp(path) == stamp for path, stamp in value["stamps"]) else None


def _keep(path: str, content: "Index") -> None:
    """A failed write only makes the next call slower."""
    try:
        files.private_dir(os.path.dirname(os.path.dirname(path)))
        files.private_dir(os.path.dirname(path))
        files.write(path, jsons.dumps(content).encode())
    except OSError:
        return
