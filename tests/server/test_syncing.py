"""The server answers first, and syncs the ledger's rows then; the end of a turn waits for the disk."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hookkit.ledger import journal
from hookkit.server.syncing import Syncing
from hookkit.system import error_log, files


class Disk:
    """Notes which thread syncs; closed, it keeps every sync waiting."""

    def __init__(self) -> None:
        self.is_open = threading.Event()
        self.synced: list[str] = []
        self.problem: OSError | None = None

    def sync(self, _: int) -> None:
        assert self.is_open.wait(60)
        self.synced.append("later" if threading.current_thread().name.startswith("sync") else "now")
        if self.problem is not None:
            raise self.problem


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk()
    monkeypatch.setattr(files, "sync", disk.sync)
    return disk


@pytest.fixture
def syncing(home: Path, disk: Disk) -> Iterator[Syncing]:
    assert os.environ["HOME"] == str(home)
    syncing = Syncing(dict(os.environ))
    syncing.open()
    yield syncing
    disk.is_open.set()
    syncing.close()


def written(event: str, second: int) -> str:
    return journal.append(dict(os.environ), "s", {"at": second * 1000, "event": event})


def test_a_call_does_not_wait_for_the_disk(syncing: Syncing, disk: Disk) -> None:
    path = written("PreToolUse", 1)
    written("PreToolUse", 2)  # waits for the same turn of the disk, or for the next
    assert len(Path(path).read_bytes().splitlines()) == 2
    assert disk.synced == []
    disk.is_open.set()
    syncing.close()
    assert set(disk.synced) == {"later"}


@pytest.mark.usefixtures("syncing")
def test_the_end_of_a_turn_is_synced_before_the_answer(disk: Disk) -> None:
    disk.is_open.set()
    written("Stop", 1)
    assert disk.synced[0] == "now"


@pytest.mark.usefixtures("home")
def test_without_the_server_a_call_syncs_its_rows(disk: Disk) -> None:
    disk.is_open.set()
    written("PreToolUse", 1)
    assert set(disk.synced) == {"now"}


def test_a_sync_that_fails_is_logged(syncing: Syncing, disk: Disk) -> None:
    disk.problem = OSError(5, "Input/output error")
    disk.is_open.set()
    written("PreToolUse", 1)
    syncing.close()
    assert "Input/output error" in Path(error_log.path(dict(os.environ))).read_text()


def test_a_journal_that_was_sealed_meanwhile_is_no_error(syncing: Syncing, disk: Disk) -> None:
    held = threading.Event()
    syncing.thread.submit(held.wait, 60)
    Path(written("PreToolUse", 1)).unlink()
    disk.is_open.set()
    held.set()
    syncing.close()
    assert not Path(error_log.path(dict(os.environ))).exists()
