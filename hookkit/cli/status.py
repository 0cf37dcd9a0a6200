from hookkit.cli import _status
from hookkit.cli._options import Output, Printed


def command(output: Printed = Output.table) -> None:
    """Say on one screen whether hookkit is on, what it did today, what waits for you, and what is wrong.

    `hookkit` alone does the same.

    Exits 1 if a problem is serious: then calls pass unchecked.

    Example: hookkit status
    """
    _status.show(as_json=output is Output.json)
