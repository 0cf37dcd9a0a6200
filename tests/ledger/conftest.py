import os
import sqlite3
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def environ(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The test's own home, and its own place for what is kept aside."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return dict(os.environ)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in the background is done before its caller goes on."""

    def start(module: str, function: str, words: list[str], _: dict[str, str]) -> None:
        getattr(import_module(module), function)(*words)

    monkeypatch.setattr("hookkit.system.running.start_background", start)
    monkeypatch.setattr("os.nice", lambda _: 0)


@pytest.fixture(autouse=True)
def _every_database_is_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A test may end as soon as it knows."""
    connect = sqlite3.connect
    made: list[sqlite3.Connection] = []

    def connected(*words: Any, **options: Any) -> sqlite3.Connection:
        made.append(connect(*words, **options))
        return made[-1]

    monkeypatch.setattr(sqlite3, "connect", connected)
    yield
    for connection in made:
        connection.close()
