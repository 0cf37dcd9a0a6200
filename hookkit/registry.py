"""The one seam: drawers are reached by name at run time, and a file's name is its registration."""

import os
import sys

from hookkit.errors import HookkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

HERE = os.path.dirname(__file__)


def names(drawer: str) -> list[str]:
    files = os.listdir(os.path.join(HERE, drawer))
    return sorted(file[:-3] for file in files if file.endswith(".py") and not file.startswith("_"))


def exists(drawer: str, name: str) -> bool:
    """One stat, as this is asked on every start; a name that is no identifier cannot leave the drawer."""
    return name.isidentifier() and name[0] != "_" and os.path.exists(os.path.join(HERE, drawer, name + ".py"))


def find(drawer: str, name: str) -> "ModuleType":
    """Load one file of a drawer and nothing else of it."""
    if not exists(drawer, name):
        raise HookkitError(f"no {name!r} in hookkit/{drawer}")
    module = f"hookkit.{drawer}.{name}".replace("/", ".")
    __import__(module)
    return sys.modules[module]
