"""Rows of the ledger for other programs."""

import csv
import io
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from hookkit.cli._console import harmless_json, plain, stop, write
from hookkit.cli._ledger_rows import iso
from hookkit.ledger import reading
from hookkit.ledger.entry import fields

COLUMNS = (
    "id", "at", "event", "session", "call", "tool", "verdict", "rule", "hook", "reason", "approved", "outcome", "ms",
    "error", "path", "actor", "agent", "effort", "kind", "project", "cwd", "mode", "prompt", "input", "changed", "diff",
    "w", "n", "hash",
)  # fmt: skip
FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def export(connection: sqlite3.Connection, form: str, filters: reading.Filters, to: str) -> int:
    """Write the rows and count them; a file is always new, and only its owner may read the rows."""
    if form == "sqlite":
        return _copy(connection, to)
    with _target(to) as file, closing(reading.rows(connection, filters)) as rows:
        return _csv(rows, file) if form == "csv" else _jsonl(rows, file)


@contextmanager
def _target(to: str) -> Iterator[Any]:
    if not to:
        yield _Stdout()
        return
    with open(_made(to), "w", encoding="utf-8", newline="") as file:
        yield file


class _Stdout(io.TextIOBase):
    """Rows for stdout take the same way as all other output."""

    def write(self, text: str) -> int:
        write(text)
        return len(text)


def _made(to: str) -> int:
    try:
        return os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        stop(f"{to}: {error.strerror}")


def _jsonl(rows: Iterator[tuple[int, str, str]], file: Any) -> int:
    count = 0
    for count, (number, digest, body) in enumerate(rows, 1):  # noqa: B007 - the last count is the number of rows
        file.write(f'{{"id":{number},"hash":"{digest}","body":{harmless_json(body)}}}\n')
    return count


def _csv(rows: Iterator[tuple[int, str, str]], file: Any) -> int:
    out = csv.writer(file)
    out.writerow(COLUMNS)
    count = 0
    for count, (number, digest, body) in enumerate(rows, 1):  # noqa: B007 - the last count is the number of rows
        found = {**fields(body), "id": number, "hash": digest}
        found |= {"at": iso(found.get("at")), "prompt": _prompt(found.get("more"))}
        out.writerow([_cell(found.get(name)) for name in COLUMNS])
    return count


def _prompt(more: object) -> object:
    return more.get("prompt") if isinstance(more, dict) else None


def _cell(value: object) -> object:
    """A spreadsheet runs a text that begins like a formula; an apostrophe in front keeps the text a text."""
    if isinstance(value, (dict, list)):
        value = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str):
        return value
    return f"'{plain(value)}" if value.startswith(FORMULAS) else plain(value)


def _copy(connection: sqlite3.Connection, to: str) -> int:
    os.close(_made(to))
    copy = sqlite3.connect(to)
    try:
        connection.backup(copy)
        return int(copy.execute("SELECT count(*) FROM entries").fetchone()[0])
    finally:
        copy.close()
