"""The shipped policy: denies the well-known disasters, asks about doubtful commands, leaves ordinary work alone.

If several rules ask, the first gives the reason, so particular rules stand before general rules.
"""

from hookkit.policy.base import cloud, data, files, git, guard, machine, network, publish, secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.types import Rule

TABLES = (files, secrets, guard, git, data, cloud, publish, network, machine)
GENERAL = ("delete.outside", "machine.as-administrator")  # any other rule says more about the same command

_ROWS = [row for table in TABLES for row in table.RULES]
RULES: "list[Rule]" = [
    *(row for row in _ROWS if row["name"] not in GENERAL),
    *(row for name in GENERAL for row in _ROWS if row["name"] == name),
]
