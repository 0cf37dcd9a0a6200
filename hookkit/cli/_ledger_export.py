"""Rows of the ledger for other programs."""

import csv
import io
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from types import SimpleNamespace
from typing import Any

from hookkit.cli._console import harmless_json, write
from hookkit.cli._ledger import iso
from hookkit.cli._view import plain
from hookkit.ledger import queries
from hookkit.ledger.tables import fields

COLUMNS = (
    "id", "at", "event", "session", "call", "tool", "verdict", "rule", "hook", "reason", "approved", "outcome", "ms",
    "error", "path", "actor", "agent", "effort", "kind", "project", "cwd", "mode", "prompt", "input", "changed", "diff",
    "handlers",
    "w", "n", "hash",
)  # fmt: skip
QUARTER = 900_000  # ms
PLACES = {name: place for place, name in enumerate(COLUMNS)}
BATCH = 1_000  # rows
encoded = json.JSONEncoder(ensure_ascii=False).encode
FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def export(connection: sqlite3.Connection, form: str, filters: queries.Filters, to: str) -> int:
    """Write the rows and count them; a file is always new, and only its owner may read the rows."""
    if form == "sqlite":
        return _copy(connection, to)
    with _target(to) as file, closing(queries.rows(connection, filters)) as rows:
        return _csv(rows, file) if form == "csv" else _jsonl(rows, file)


@contextmanager
def _target(to: str) -> Iterator[Any]:
    if not to:
        yield SimpleNamespace(write=write)  # rows for stdout take the same way as all other output
        return
    with open(_made(to), "w", encoding="utf-8", newline="") as file:
        yield file


def _made(to: str) -> int:
    """Never an older file, nor a link."""
    return os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _jsonl(rows: Iterator[tuple[int, str, str]], file: Any) -> int:
    count = 0
    for count, (number, digest, body) in enumerate(rows, 1):  # noqa: B007 - the last count is the number of rows
        file.write(f'{{"id":{number},"hash":"{digest}","body":{harmless_json(body)}}}\n')
    return count


def _csv(rows: Iterator[tuple[int, str, str]], file: Any) -> int:
    """A text for many rows at a time: to hand each row on by itself takes as long as to make it."""
    clock, count = _Clock(), 0
    some: list[Sequence[object]] = [COLUMNS]
    while some:
        text = io.StringIO()
        csv.writer(text).writerows(some)
        file.write(text.getvalue())
        some = [_cells(row, clock) for row in islice(rows, BATCH)]
        count += len(some)
    return count


def _cells(row: tuple[int, str, str], clock: "_Clock") -> list[object]:
    """Only the fields that a row has are looked at. Where the row has no escapes, no field has anything to escape."""
    number, digest, body = row
    cells: list[object] = [None] * len(COLUMNS)
    is_plain = "\\" not in body and body.isprintable()
    body_fields = fields(body)
    if "more" in body_fields:
        body_fields["prompt"] = _prompt(body_fields["more"])
    for name, value in body_fields.items():
        place = PLACES.get(name)
        if place is not None:
            is_as_it_is = is_plain and type(value) is str and value[:1] not in FORMULAS
            cells[place] = value if is_as_it_is else _cell(value)
    cells[0], cells[1], cells[-1] = number, clock.iso(body_fields.get("at")), _cell(digest)
    return cells


class _Clock:
    """Times as ISO 8601; the zone is looked up once for a quarter of an hour, as no zone is finer."""

    def __init__(self) -> None:
        self.known: dict[int, str] = {}

    def iso(self, at: object) -> object:
        if not isinstance(at, int) or at < 0:
            return iso(at)
        quarter, rest = divmod(at, QUARTER)
        begin = self.known.get(quarter)
        if begin is None:
            text = iso(quarter * QUARTER)
            if not isinstance(text, str):
                return at
            begin = self.known[quarter] = text
        minutes, rest = divmod(rest, 60_000)
        return f"{begin[:14]}{int(begin[14:16]) + minutes:02}:{rest // 1000:02}.{rest % 1000:03}{begin[23:]}"


def _prompt(more: object) -> object:
    return more.get("prompt") if isinstance(more, dict) else None


def _cell(value: object) -> object:
    """A spreadsheet runs a text that begins like a formula; an apostrophe in front keeps the text a text."""
    if isinstance(value, (dict, list)):
        value = encoded(value)
    if not isinstance(value, str):
        return value
    shown = value if value.isprintable() else plain(value)
    return f"'{shown}" if value.startswith(FORMULAS) else shown


def _copy(connection: sqlite3.Connection, to: str) -> int:
    os.close(_made(to))
    copy = sqlite3.connect(to)
    try:
        connection.backup(copy)
        return int(copy.execute("SELECT count(*) FROM entries").fetchone()[0])
    finally:
        copy.close()
