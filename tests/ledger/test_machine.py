"""Write, read, seal, prune, erase, restore and repair in any order: no row is lost, nobody is accused."""

import os
import shutil
import tempfile
import time
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from hookkit.ledger import places, segments
from hookkit.ledger.erasing import Erasure
from hookkit.ledger.row_index import Ledger
from hookkit.ledger.upkeep import rebuild
from hookkit.ledger.verifying import Verification
from tests.ledger.making import request, write
from tests.ledger.test_legacy import Earlier

SESSIONS = st.sampled_from(["s1", "s2", "s3"])


class Journals(RuleBasedStateMachine):
    """Two processes have the index open, one of them since an earlier moment; an earlier version may write, too."""

    def __init__(self) -> None:
        super().__init__()
        self.home = tempfile.mkdtemp()
        self.environ = {"HOME": self.home, "TMPDIR": self.home}
        self.number = 0
        self.rows: set[str] = set()
        self.index: bytes = b""
        self.copy = os.path.join(self.home, "copy")
        self.copied: set[str] = set()
        self.other = Ledger(self.environ)

    def teardown(self) -> None:
        self.other.close()
        shutil.rmtree(self.home)

    @rule(session=SESSIONS, count=st.integers(1, 4))
    def append(self, session: str, count: int) -> None:
        for _ in range(count):
            self.number += 1
            write(self.environ, request(self.number, session, at=1_000_000_000_000 + self.number))
            self.rows.add(f"call-{self.number}")

    @rule()
    def read_in_another_process(self) -> None:
        self.other.fold()

    @rule(session=SESSIONS)
    def seal(self, session: str) -> None:
        for path in places.paths(self.environ, session):
            os.utime(path, (1, 1))
        with segments.Lock(self.environ):
            segments.seal(self.environ, time.time())

    @rule(session=SESSIONS)
    def seal_and_be_killed_before_the_journal_is_deleted(self, session: str) -> None:
        kept = {path: Path(path).read_bytes() for path in places.paths(self.environ, session)}
        tips = {places.tip_of(path): Path(places.tip_of(path)).read_bytes() for path in kept}
        self.seal(session)
        for path, data in {**kept, **tips}.items():
            Path(path).write_bytes(data)

    @rule()
    def prune(self) -> None:
        ledger = Ledger(self.environ)
        ledger.fold()
        ledger.prune(days=1, megabytes=0, now=time.time())
        held = {call for (call,) in ledger.connection.execute("SELECT call FROM entries")}
        ledger.close()
        self.rows &= held

    @rule()
    def repair(self) -> None:
        self.other.close()
        rebuild(self.environ)
        self.other = Ledger(self.environ)

    @rule(session=SESSIONS)
    def erase(self, session: str) -> None:
        self.other.close()
        Erasure(self.environ, session=session).run()
        self.other = Ledger(self.environ)

    @rule()
    def keep_a_copy_of_the_index(self) -> None:
        self.other.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self.index = Path(self.other.path).read_bytes()

    @rule()
    def restore_the_index(self) -> None:
        if self.index:
            self.other.close()
            for ending in ("-wal", "-shm"):
                Path(self.other.path + ending).unlink(missing_ok=True)
            Path(self.other.path).write_bytes(self.index)
            self.other = Ledger(self.environ)

    @rule()
    def keep_a_copy_of_the_whole_ledger(self) -> None:
        self.other.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        shutil.rmtree(self.copy, ignore_errors=True)
        shutil.copytree(places.root(self.environ), self.copy)
        self.copied = set(self.rows)

    @rule()
    def restore_the_whole_ledger(self) -> None:
        if self.copied:
            self.other.close()
            shutil.rmtree(places.root(self.environ))
            shutil.copytree(self.copy, places.root(self.environ))
            self.rows, self.index = set(self.copied), b""  # an index of later rows would rightly be accused
            self.other = Ledger(self.environ)

    @rule(count=st.integers(1, 3))
    def an_earlier_version_writes(self, count: int) -> None:
        earlier = Earlier(self.environ) if not Path(places.root(self.environ), "journal").exists() else None
        if earlier is not None:
            self.number += 1
            earlier.journal(f"e{self.number}.log", *earlier.lines(f"e{self.number}", count))

    @invariant()
    def nobody_is_accused_and_no_row_is_lost(self) -> None:
        ledger = Ledger(self.environ)
        ledger.fold()
        assert [(fault.what, fault.writer, fault.n) for fault in Verification(ledger).run()] == []
        rows = ledger.connection.execute("SELECT w, n, call, session FROM entries").fetchall()
        ledger.close()
        assert len(rows) == len({row[:2] for row in rows})
        own = [call for _, _, call, session in rows if session.startswith("s")]
        assert len(own) == len(set(own))
        assert self.rows <= set(own)


TestJournals = Journals.TestCase
TestJournals.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
