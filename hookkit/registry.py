"""Finds hooks, agents, handlers and commands by file name at run time: to add a file or a folder is to register it."""

import os
import sys

from hookkit.errors import HookkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

HERE = os.path.dirname(__file__)
SHARED = frozenset({"agents/doctor", "agents/transcripts", "agents/wiring"})  # no part of the drawer that they stand in


def names(folder: str) -> list[str]:
    files = os.listdir(os.path.join(HERE, folder))
    stems = (file.removesuffix(".py") for file in files if not file.startswith("_"))
    return sorted(name for name in stems if exists(folder, name))


def exists(folder: str, name: str) -> bool:
    """A single stat for a file, since every start asks; names are identifiers, so a name cannot leave the folder."""
    path = os.path.join(HERE, folder, name)
    is_name = name.isidentifier() and name[0] != "_" and f"{folder}/{name}" not in SHARED
    return is_name and (os.path.exists(path + ".py") or os.path.exists(os.path.join(path, "__init__.py")))


def find(folder: str, name: str) -> "ModuleType":
    """Load a single module of a folder."""
    module = f"hookkit.{folder}.{name}".replace("/", ".")
    if module not in sys.modules:
        if not exists(folder, name):
            raise HookkitError(f"no {name!r} in hookkit/{folder}")
        __import__(module)
    return sys.modules[module]
