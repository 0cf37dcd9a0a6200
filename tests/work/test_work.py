"""The database of sessions, efforts and tasks: its versions, its locks, what strangers put into it."""

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hookkit.system import database
from hookkit.work import efforts, sessions
from hookkit.work.gates.approval import effort_facts
from hookkit.work.store import MIGRATIONS, Work, facts, listed

SEEN = 3  # the version that added the column `seen`


@pytest.fixture
def path(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("AGENT_ID", raising=False)
    place = home / ".local" / "state" / "hookkit"
    place.mkdir(parents=True, mode=0o700)
    return place / "work.db"


def opened(**environ: str) -> Work:
    return Work({**os.environ, **environ}, wait=0.1)


def old(path: Path, version: int) -> sqlite3.Connection:
    """A file as that version left it, with a row in every table."""
    connection = sqlite3.connect(path)
    for script in MIGRATIONS[:version]:
        connection.executescript(script)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.execute("INSERT INTO tasks VALUES (1, '/t', '/p', 'T', 'k', 5)")
    connection.execute(
        "INSERT INTO efforts (id, task, project, agent, skill, mode, ordinal, metadata, created)"
        " VALUES (7, 1, '/p', '', 'fix', '', 1, '{\"a\":1}', 5)"
    )
    connection.execute(
        "INSERT INTO sessions (id, effort, client, agent, project, source, heartbeat, started)"
        " VALUES (3, 7, 'c', '', '/p', 'startup', 4, 6)"
    )
    connection.execute("INSERT INTO messages VALUES (1, 7, 3, 6, 'log', '{\"text\":\"x\"}')")
    connection.execute("INSERT INTO injections VALUES (1, 7, 6, 'read this')")
    connection.commit()
    return connection


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS) + 1))
def test_a_file_of_every_earlier_version_goes_on_with_its_rows(path: Path, version: int) -> None:
    old(path, version).close()
    work = opened()
    assert work.row("PRAGMA user_version") == {"user_version": len(MIGRATIONS)}
    session, effort = sessions.find(work, "c", "")[0], efforts.effort_of(work, "/p")
    assert session is not None
    assert effort is not None
    assert (session["heartbeat"], session["status"], session["note"], effort["id"]) == (4, "done", "", 7)
    assert session["seen"] == (6 if version < SEEN else 0)
    assert efforts.messages(work, 7, "", 9)[0]["body"] == {"text": "x"}
    assert efforts.take_injections(work, 7) == ["read this"]
    assert sessions.start(work, "c", "/p", source="clear") == 4
    work.close()


def test_every_version_has_the_columns_of_a_new_file(path: Path) -> None:
    """A step that is forgotten in a file of the first version would be found by its user."""

    def columns(work: Work) -> list[tuple[str, str]]:
        tables = [row["name"] for row in work.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return [(table, row["name"]) for table in tables for row in work.rows(f"PRAGMA table_info({table})")]

    old(path, 1).close()
    work = opened()
    fresh = opened(HOME=str(path.parent / "other"))
    assert columns(work) == columns(fresh)
    work.close()
    fresh.close()


@pytest.mark.parametrize("version", [0, 1])
def test_two_processes_that_open_it_at_once_migrate_it_once(path: Path, version: int) -> None:
    if version:
        old(path, version).close()
    code = "import os\nfrom hookkit.work.store import Work\nwork = Work(dict(os.environ), wait=30)\n"
    code += "print(work.row('PRAGMA user_version'))"
    command = [sys.executable, "-c", code]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    said = [process.communicate(timeout=60) for process in both]
    assert said == [(f"{{'user_version': {len(MIGRATIONS)}}}\n", "")] * 4


def test_two_who_count_and_add_at_once_both_get_in(path: Path) -> None:
    work = opened()
    number = efforts.begin(work, "/t", "/p", "fix")
    session = sessions.start(work, "c", "/p", source="startup")
    code = (
        "import os, sys\nfrom hookkit.work import sessions\nfrom hookkit.work.store import Work\n"
        "work = Work(dict(os.environ))\n"
        "for n in range(50):\n"
        f"    sessions.beat(work, {session})\n    work.add('efforts', 'loaded', {number}, [f'{{sys.argv[1]}}{{n}}'])"
    )
    both = [subprocess.Popen([sys.executable, "-c", code, name]) for name in "ab"]
    assert [process.wait(60) for process in both] == [0, 0]
    assert work.row("SELECT heartbeat FROM sessions") == {"heartbeat": 100}
    assert len(listed((efforts.effort_of(work, "/p") or {})["loaded"])) == 100
    work.close()


def lock(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    return connection


def test_one_that_is_locked_is_said_and_nothing_is_half_done(path: Path) -> None:
    work = opened()
    holder = lock(path)
    with pytest.raises(database.BusyError, match=r"^/.*/work\.db: in use by another process \(database is locked\)$"):
        efforts.begin(work, "/t", "/p", "fix")
    holder.close()
    assert work.rows("SELECT * FROM tasks") == []
    assert efforts.begin(work, "/t", "/p", "fix") == 1
    work.close()


def damaged(path: Path) -> None:
    path.write_bytes(b"no database at all, " * 200)


def newer(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()


def bare(path: Path) -> None:
    """A file that claims to be of our version and has none of our tables."""
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    connection.close()


def linked(path: Path) -> None:
    path.symlink_to(path.parent / "elsewhere.db")


@pytest.mark.parametrize(
    ("spoil", "kind", "words"),
    [
        (damaged, database.DamagedError, "damaged (file is not a database)"),
        (newer, database.NewerError, f"of version 99, and this hookkit knows {len(MIGRATIONS)}; update hookkit"),
        (bare, database.DamagedError, "damaged (no such table: sessions)"),
        (linked, database.StateError, "not a regular file"),
    ],
)
def test_what_is_wrong_with_the_file_is_said_with_its_name(path: Path, spoil: Any, kind: type, words: str) -> None:
    spoil(path)
    with pytest.raises(database.StateError) as caught:
        sessions.find(opened(), "c", "")
    assert (type(caught.value), str(caught.value)) == (kind, f"{path}: {words}")


def test_without_a_home_there_is_nothing_to_keep() -> None:
    with pytest.raises(database.StateError, match="no home directory"):
        Work({"HOME": "nowhere"})


def test_the_file_is_the_owners_alone(path: Path) -> None:
    mask = os.umask(0)
    try:
        opened().close()
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["\ud800", "x" * 100_000, "'; DROP TABLE sessions; --", "a\0b", "é"])
def test_a_strangers_id_is_kept_and_found(path: Path, name: str) -> None:
    work = opened(AGENT_ID="a")
    number = sessions.start(work, name, "/p", source=name, part=name, kind=name)
    found = sessions.find(work, name, name)[0]
    assert found is not None
    assert found["id"] == number
    assert len(found["client"]) <= 200
    work.close()


@pytest.mark.parametrize("text", ["", "{", "5", '{"a":1}', "[1,2]", "[" * 100_000])
def test_a_column_that_somebody_spoilt_holds_no_list(text: str) -> None:
    assert listed(text) == []


@pytest.mark.parametrize("text", ["", "{", "5", "[1,2]", "[" * 100_000])
def test_nor_any_facts(text: str) -> None:
    assert facts(text) == {}


def test_facts_of_an_effort_are_its_own_words_and_ours(path: Path) -> None:
    environ = dict(os.environ)
    assert effort_facts("c", "/q", environ) == {}
    assert not path.exists()
    work = opened()
    number = efforts.begin(work, "/t", "/p", "fix", "careful")
    sessions.start(work, "c", "/p", source="startup")
    efforts.set_fact(work, number, "ticket", 42)
    efforts.set_fact(work, number, "skill", "another")
    work.close()
    facts = {
        "ticket": 42, "id": 1, "skill": "fix", "mode": "careful", "phase": "", "lifecycle": "active", "agent": "",
        "ordinal": 1,
    }  # fmt: skip
    assert effort_facts("c", "/q", environ) == facts
    assert effort_facts("another", "/q", environ) == {}
    assert effort_facts("another", "/p", environ) == facts  # a session that hookkit has not seen yet
