"""One file for each format that `validate` knows, with `claim(path, text)` and `examine(path, text)`.

A format reads its text with `documents/` and may import settings and the shared checks of `checking/`.
"""

import os

from hookkit import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

NO, LIKELY, NAMED, SURE = 0, 1, 2, 3  # how sure a format is


def by_name(path: str, *names: str) -> int:
    from fnmatch import fnmatchcase

    return NAMED if any(fnmatchcase(os.path.basename(path), name) for name in names) else NO


def recognise(path: str, text: str) -> "ModuleType | None":
    """The format with the strongest claim, by the name and the content of the file."""
    formats = [registry.find("settings/formats", name) for name in registry.names("settings/formats")]
    best = max(formats, key=lambda each: int(each.claim(path, text)))
    return best if best.claim(path, text) else None
