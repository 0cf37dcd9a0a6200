from typing import Annotated

import typer

from hookkit.cli import _undo
from hookkit.cli._options import Output, Printed


def command(
    id_: Annotated[str, typer.Argument(metavar="ID", help="Without an ID, snapshots are listed.")] = "",
    output: Printed = Output.table,
) -> None:
    """Bring files back as they were before a call of an agent.

    With undo.enabled, hookkit keeps the files that a command is about to delete
    or overwrite under a hidden ref of the project's git repository. An undo is
    itself a snapshot, so it can be undone.

    Example: hookkit undo

    Example: hookkit undo 5be1c0aa
    """
    is_listed = id_ in ("", "list")
    _undo.show_list(as_json=output is Output.json) if is_listed else _undo.restore(id_, as_json=output is Output.json)
