"""Listing and restoring snapshots."""

import os
import time

from hookkit.cli._console import Text, console, echo_json, fail, report, short, stop, table
from hookkit.cli._here import here
from hookkit.errors import HookkitError
from hookkit.undo import snapshot, store

MEGABYTE = 1 << 20


def show_list(*, as_json: bool) -> None:
    place = here()
    found = []
    try:
        for id_ in store.names(place.project, place.environ) if store.has_repository(place.project) else ():
            manifest = store.manifest(place.project, place.environ, id_)
            paths = [entry["path"] for entry in manifest["entries"] if entry["kind"] not in snapshot.ABOVE]
            missing = snapshot.missing(manifest)
            row = {"id": id_, "at": manifest["at"], "before": manifest["about"], "files": paths}
            found.append({**row, "missing": missing} if missing else row)
    except (HookkitError, OSError) as error:
        stop(error)
    if as_json:
        echo_json(found)
    elif not found:
        is_on = place.settings["undo.enabled"]
        fix = "They are made before a call deletes files." if is_on else "Switch them on: hookkit set undo.enabled true"
        console().print(f"There are no snapshots. {fix} (They need a git repository.)")
    else:
        rows = table("id", "when", "files", "before")
        for row in found:
            when = time.strftime("%m-%d %H:%M:%S", time.localtime(row["at"]))
            rows.add_row(row["id"], when, Text(short(", ".join(row["files"]))), Text(short(row["before"])))
        console().print(rows)
        for row in found:
            if "missing" in row:
                console().print(Text(f"{row['id']}: {row['missing']}", "yellow"), soft_wrap=True)


def restore(id_: str, *, as_json: bool) -> None:
    place = here()
    if not id_.isalnum() or not store.has_repository(place.project) or id_ not in store.names(
        place.project, place.environ
    ):  # fmt: skip
        fail(f"no snapshot {id_}. See: hookkit undo")
    limit = int(place.settings["undo.megabytes"]) * MEGABYTE
    try:
        kept, count, missing = snapshot.restore(place.project, dict(os.environ), id_, limit)
    except (HookkitError, OSError) as error:
        fail(error)
    said = f"Restored {count} file{'s' * (count != 1)}. To go back: hookkit undo {kept}"
    value = {"restored": count, "undo": kept, **({"missing": missing} if missing else {})}
    report(f"{said}\n{missing}".strip(), value, as_json=as_json, style="green")
