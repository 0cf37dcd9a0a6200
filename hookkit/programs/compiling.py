"""TOML records → the text of the catalogue.

Runs when a record has changed, and when a wheel is built. A person's own `[[programs]]` become records here, too.
"""

import os
import sys

from hookkit.errors import HookkitError
from hookkit.programs.catalogue import SEPARATOR, SHIPPED, SWITCHES, TEXTS, VERBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


INHERITED = ("words", "talks", "contentless", "pretends", "service")  # hold for sub-commands, too
ALONE = ("also", "like", "vouched")  # columns of one record, and not of those that are like it
OPTIONS = ("value", "attached", "number", "flags", "known", "same", "means")


class ProgramError(HookkitError):
    """A record has a column that hookkit does not know, or a value of another kind."""


def compiled(paths: list[str]) -> str:
    """All records as lines: `name<tab>column=text<tab>…`, or `name<tab>=other name`."""
    rows: dict[str, dict[str, str]] = {}
    for path in paths:
        with open(path, "rb") as file:
            for name, row in _flat(tomllib.load(file)):
                if name in rows:
                    raise ProgramError(f"{os.path.basename(path)}: {name} has a record already")
                rows[name] = row
    return "".join(f"{line}\n" for line in _lines(rows))


def _lines(rows: dict[str, dict[str, str]]) -> "Iterator[str]":
    rows = finished(rows)
    aliases = {other: name for name, row in rows.items() for other in _others(name, row)}
    for name, row in rows.items():
        yield f"{name}\t" + "\t".join(f"{column}={text}" for column, text in row.items() if column != "also")
    for spelling, name in aliases.items():
        if spelling not in rows:
            yield f"{spelling}\t={name}"


def _others(name: str, row: dict[str, str]) -> list[str]:
    above, _, _ = name.rpartition(" ")
    others = row.get("also", "").split()
    if name[:1].isupper() and "-" in name and not above:
        others.append(name.lower())  # PowerShell knows no case
    return [f"{above} {other}".strip() for other in others]


def finished(rows: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Rows with the columns of the record that `like` names, of their program, and with the names of sub-commands."""
    done: dict[str, dict[str, str]] = {}
    for name in list(rows):
        words = name.split(" ")
        for size in range(1, len(words)):  # `git submodule foreach` needs a record of `git submodule`
            rows.setdefault(" ".join(words[:size]), {})
    for name in sorted(rows, key=lambda name: name.count(" ")):
        row = dict(rows[name])
        model = row.pop("like", "")
        if model:
            row = {**{key: text for key, text in rows[model].items() if key not in ALONE}, **row}
        program = done.get(name.rpartition(" ")[0], {})
        for column in INHERITED:
            if column in program:
                row.setdefault(column, program[column])
        if "everywhere" in program:
            row["everywhere"] = "1"
            for column in OPTIONS:
                row[column] = f"{program.get(column, '')} {row.get(column, '')}".strip()
        row = {column: text for column, text in row.items() if text or column == "operands"}
        if "flags" in row:
            row["flags"] = " ".join(spread(row["flags"], words="words" in row))
        done[name] = row
    for name, row in rows.items():
        above, _, word = name.rpartition(" ")
        if above in done:
            below = [*done[above].get("below", "").split(), word, *row.get("also", "").split()]
            done[above]["below"] = " ".join(dict.fromkeys(below))
    return done


def spread(text: str, *, words: bool) -> list[str]:
    """`-abc` in a column of flags is three options, unless a single dash begins a word."""
    options: list[str] = []
    for word in text.split():
        is_cluster = word[:1] == "-" and word[1:2] != "-" and not words
        options += [f"-{letter}" for letter in word[1:]] if is_cluster else [word]
    return options


def _flat(table: "dict[str, Any]", above: str = "") -> "Iterator[tuple[str, dict[str, str]]]":
    """Each program and sub-command with its own columns; a table that is no column is a sub-command."""
    for word, content in table.items():
        if not isinstance(content, dict):
            continue
        name = f"{above} {word}".strip()
        own = {key: value for key, value in content.items() if not isinstance(value, dict) or key in VERBS}
        if own or not content:
            yield name, normal(name, own)
        yield from _flat({key: value for key, value in content.items() if key not in own}, name)


def normal(name: str, row: "dict[str, Any]") -> dict[str, str]:
    """A row as texts; ProgramError names the column that is wrong."""
    effects: dict[str, str] = {}
    for column, value in row.items():
        if column in VERBS and isinstance(value, dict):
            for object_, patterns in value.items():
                effects[f"{column}.{object_}"] = SEPARATOR.join([patterns] if isinstance(patterns, str) else patterns)
        elif column in VERBS or column in TEXTS:
            if not isinstance(value, str | int) or isinstance(value, bool):
                raise ProgramError(f"{name}.{column}: expected a text")
            effects[column] = " ".join(str(value).split())
        elif column in SWITCHES:
            if value is True:
                effects[column] = "1"
            elif value is not False:
                raise ProgramError(f"{name}.{column}: expected true or false")
        else:
            raise ProgramError(f"{name}.{column}: hookkit does not know this column")
    return effects


def headed(records: str, stamps: "list[tuple[str, os.stat_result]]", *, timeless: bool = False) -> bytes:
    """The records below the line that names their files."""
    text = records.encode()
    files = [f"{name} {state.st_size} {0 if timeless else state.st_mtime_ns}" for name, state in stamps]
    return b"%b %d\n%b" % (" ".join(files).encode(), len(text), text)


def keep(path: str, text: bytes) -> None:
    """Write the text for later processes. In a directory of the system the next process compiles again."""
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(temporary, "xb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())  # a power cut must not leave half a text under the name
        os.replace(temporary, path)
    except OSError:
        return


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
