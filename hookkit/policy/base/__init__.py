"""The policy that ships: denies the well-known disasters, asks on the doubtful, leaves ordinary work alone.

Of several rules that ask, the first one gives the reason: the tables stand from the particular to the general.
"""

from hookkit.policy.base import cloud, data, files, git, guard, machine, network, publish, secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TABLES = (files, secrets, guard, git, data, cloud, publish, network, machine)
RULES: "list[dict[str, Any]]" = [row for table in TABLES for row in table.RULES]
