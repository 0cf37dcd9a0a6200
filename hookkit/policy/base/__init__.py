"""The shipped policy: denies the well-known disasters, asks about doubtful commands, leaves ordinary work alone.

The rules stand in TOML files, in the grammar of a hookkit.toml. They are read to compile or to show a policy; hooks use
the cache of compiled settings.
"""

import os
import sys

from hookkit.policy.rules import spread

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.rules import Rule

# If several rules ask, the first gives the reason: particular rules stand before general rules.
FILES = ("files", "secrets", "guard", "git", "data", "cloud", "publish", "network", "machine", "general")


def text(name: str) -> str:
    """One of the files, as it is written."""
    path = os.path.join(os.path.dirname(__file__), f"{name}.toml")
    with open(path, encoding="utf-8") as file:
        return file.read()


RULES: "list[Rule]" = [rule for name in FILES for row in tomllib.loads(text(name))["rules"] for rule in spread(row)]
