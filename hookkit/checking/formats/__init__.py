"""Readers of other systems' files. One file a format: `claim(path, text)` and `examine(path, text)`."""

import os

from hookkit import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

NO, LIKELY, NAMED, SURE = 0, 1, 2, 3  # how much a file is a format's own


def by_name(path: str, *names: str) -> int:
    from fnmatch import fnmatchcase

    return NAMED if any(fnmatchcase(os.path.basename(path), name) for name in names) else NO


def recognise(path: str, text: str) -> "ModuleType | None":
    """The format that claims the file most, by its name and then by what is in it."""
    formats = [registry.find("checking/formats", name) for name in registry.names("checking/formats")]
    best = max(formats, key=lambda each: int(each.claim(path, text)))
    return best if best.claim(path, text) else None
