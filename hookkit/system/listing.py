"""The files below a directory, for places without git's own list: bounded, without directories of generated files."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 50_000
SKIPPED = ("node_modules", "__pycache__", "target", "dist", "build", "venv")


def walked(directory: str, most: int = MOST) -> "Iterator[str]":
    """Names relative to the directory; hidden directories are left out, and no symlink is followed."""
    found = 0
    for place, inner, names in os.walk(directory):
        inner[:] = sorted(name for name in inner if not name.startswith(".") and name not in SKIPPED)
        below = os.path.relpath(place, directory)
        for name in sorted(names):
            yield name if below == "." else f"{below}/{name}"
            found += 1
            if found >= most:
                return
