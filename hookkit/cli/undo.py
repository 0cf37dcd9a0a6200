"""Listing and restoring snapshots of files."""

from typing import Annotated, Any

from hookkit.cli._command import Argument
from hookkit.cli._console import Output, fail, plural, short
from hookkit.cli._here import Workspace, when
from hookkit.cli._view import Table, View, Wide
from hookkit.errors import HookkitError
from hookkit.verdicts.undo.snapshot import ABOVE, manifest_of, missing_files, restore, snapshots

MEGABYTE = 1 << 20


def command(
    id_: Annotated[str, Argument(metavar="ID", help="Without an ID, snapshots are listed.")] = "",
) -> Output:
    """Bring files back as they were before a call of an agent.

    hookkit keeps the files that a command is about to delete or overwrite, in a
    directory of its own: the last 100 calls, for 14 days. An undo is itself a
    snapshot, so it can be undone.

    Example: hookkit undo

    Example: hookkit undo 5be1c0aa
    """
    return _list() if id_ in ("", "list") else _restore(id_)


def _list() -> Output:
    workspace = Workspace()
    rows = [_row(workspace, id_) for id_ in _names(workspace)]
    if not rows:
        is_on = workspace.settings["undo.enabled"]
        fix = "They are made before a call deletes files." if is_on else "Switch them on: hookkit set undo.enabled true"
        return Output(rows, f"No snapshots of this project yet. {fix}")
    table = Table("id", "when", "files", "before", whole=("id", "when"))
    for row in rows:
        table.add(row["id"], when(row["at"] * 1000), short(", ".join(row["files"])), short(row["before"]))
    lost: list[View] = [Wide(f"{row['id']}: {row['missing']}", "yellow") for row in rows if "missing" in row]
    return Output(rows, [table, *lost])


def _names(workspace: Workspace) -> list[str]:
    return list(snapshots(workspace.project, workspace.environ))


def _row(workspace: Workspace, id_: str) -> dict[str, Any]:
    manifest = manifest_of(workspace.project, workspace.environ, id_)
    paths = [entry["path"] for entry in manifest["entries"] if entry["kind"] not in ABOVE]
    missing = missing_files(manifest)
    row = {"id": id_, "at": manifest["at"], "before": manifest["about"], "files": paths}
    return {**row, "missing": missing} if missing else row


def _restore(id_: str) -> Output:
    workspace = Workspace()
    if id_ not in _names(workspace):
        fail(f"no snapshot {id_}. See: hookkit undo")
    limit = int(workspace.settings["undo.megabytes"]) * MEGABYTE
    try:
        snapshot_id, count, missing = restore(workspace.project, workspace.environ, id_, limit)
    except (HookkitError, OSError) as error:
        fail(error)
    value = {"restored": count, "undo": snapshot_id, **({"missing": missing} if missing else {})}
    text = f"Restored {plural(count, 'file')}. To go back: hookkit undo {snapshot_id}\n{missing}"
    return Output(value, text.strip(), style="green")
