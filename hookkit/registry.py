"""Finds hooks, dialects, handlers and commands by file name at run time: to add a file is to register it."""

import os
import sys

from hookkit.errors import HookkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

HERE = os.path.dirname(__file__)


def names(folder: str) -> list[str]:
    files = os.listdir(os.path.join(HERE, folder))
    return sorted(file[:-3] for file in files if file.endswith(".py") and not file.startswith("_"))


def exists(folder: str, name: str) -> bool:
    """A single stat, since every start asks; names are identifiers, so a name cannot leave the folder."""
    return name.isidentifier() and name[0] != "_" and os.path.exists(os.path.join(HERE, folder, name + ".py"))


def find(folder: str, name: str) -> "ModuleType":
    """Load a single module of a folder."""
    module = f"hookkit.{folder}.{name}".replace("/", ".")
    if module not in sys.modules:
        if not exists(folder, name):
            raise HookkitError(f"no {name!r} in hookkit/{folder}")
        __import__(module)
    return sys.modules[module]
