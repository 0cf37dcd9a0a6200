"""TOML records → the text of the catalogue. Runs when a record has changed, and when a wheel is built."""

import os
import sys

from hookkit.errors import HookkitError
from hookkit.programs.columns import SWITCHES, TEXTS, VERBS
from hookkit.programs.program import SEPARATOR

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

INHERITED = ("words", "talks", "contentless", "pretends")  # hold for sub-commands, too
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
    return [f"{above} {other}".strip() for other in row.get("also", "").split()]


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
            row = {**{key: text for key, text in rows[model].items() if key not in ("also", "like")}, **row}
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
    found: dict[str, str] = {}
    for column, value in row.items():
        if column in VERBS and isinstance(value, dict):
            for object_, patterns in value.items():
                found[f"{column}.{object_}"] = SEPARATOR.join([patterns] if isinstance(patterns, str) else patterns)
        elif column in VERBS or column in TEXTS:
            if not isinstance(value, str | int) or isinstance(value, bool):
                raise ProgramError(f"{name}.{column}: expected a text")
            found[column] = " ".join(str(value).split())
        elif column in SWITCHES:
            if value is True:
                found[column] = "1"
            elif value is not False:
                raise ProgramError(f"{name}.{column}: expected true or false")
        else:
            raise ProgramError(f"{name}.{column}: hookkit does not know this column")
    return found


def head(stamps: "list[tuple[str, os.stat_result]]", length: int, *, timeless: bool = False) -> str:
    files = [f"{name} {state.st_size} {0 if timeless else state.st_mtime_ns}" for name, state in stamps]
    return " ".join([*files, str(length)]) + "\n"


def keep(path: str, text: str) -> None:
    """Write the text for later processes. In a directory of the system the next process compiles again."""
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(temporary, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())  # a power cut must not leave half a text under the name
        os.replace(temporary, path)
    except OSError:
        return
