"""A person's own records: `[[programs]]`, and the older `[[wrappers]]` and `[[approvals]]` as the same records."""

from hookkit.programs.catalogue import SHIPPED
from hookkit.programs.columns import VERBS
from hookkit.programs.compiling import finished, normal
from hookkit.programs.program import SEPARATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OPERANDS = {"none": "none", "text": "text*", "paths": "reads*"}  # the words of [[approvals]]


def records(values: "dict[str, Any]") -> dict[str, dict[str, str]]:
    """All own records by their names. A column of one's own replaces the column of a shipped record; effects add up."""
    rows = [*map(from_wrapper, values.get("wrappers", ())), *map(from_approval, values.get("approvals", ()))]
    own: dict[str, dict[str, str]] = {}
    for row in (*rows, *values.get("programs", ())):
        name = " ".join(row["name"].split())
        columns = normal(name, {column: value for column, value in row.items() if column != "name"})
        for size in range(1, name.count(" ") + 1):  # `kubectl nuke` leaves `kubectl` as it is
            program = " ".join(name.split(" ")[:size])
            own.setdefault(program, _shipped(program))
        own[name] = _added(own.get(name) or _shipped(name), columns)
    if not own:
        return {}
    done = finished(own)
    for name, row in done.items():
        below = f"{_shipped(name).get('below', '')} {row.get('below', '')}"
        row["below"] = " ".join(dict.fromkeys(below.split()))
    return done


def _added(record: dict[str, str], columns: dict[str, str]) -> dict[str, str]:
    """A record with more columns. Effects add up: nobody can take an effect away by naming it again."""
    row = {**record, **columns}
    for column, text in columns.items():
        verb, dot, _ = column.partition(".")
        if verb in VERBS and record.get(column):
            separator = SEPARATOR if dot else " "
            parts = [*record[column].split(separator), *text.split(separator)]
            row[column] = separator.join(dict.fromkeys(part for part in parts if part))
    return row


def _shipped(name: str) -> dict[str, str]:
    record = SHIPPED.find(name)
    return dict(record.row) if record is not None else {}


def from_wrapper(row: "dict[str, Any]") -> "dict[str, Any]":
    """`[[wrappers]]` as a record."""
    joins = {"joins": True} if row.get("joins") else {}
    value = {"value": row["valued"]} if row.get("valued") else {}
    return {"name": row["name"], **value, "wraps": row.get("operands", 0), **joins}


def from_approval(row: "dict[str, Any]") -> "dict[str, Any]":
    """`[[approvals]]` as a record."""
    columns = {"flags": row.get("options", ""), "value": row.get("valued", "")}
    names = {"names": True} if row.get("names") else {}
    return {
        "name": f"{row['program']} {row.get('command', '')}".strip(),
        **{column: text for column, text in columns.items() if text},
        "operands": OPERANDS.get(row.get("operands", "none"), "none"),
        "harmless": True,
        **names,
    }


def effects(rows: "list[dict[str, Any]]") -> "list[tuple[int, str, str]]":
    """The effects that own records name: the number of the row, the kind, the object."""
    return [
        (number, VERBS[column], object_)
        for number, row in enumerate(rows)
        for column, value in row.items()
        if column in VERBS
        for object_ in (value if isinstance(value, dict) else [value])
    ]
