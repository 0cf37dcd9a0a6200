"""Writers and folders killed at random moments: is every row there whose writer was told that it is kept?

    python benchmarks/faults.py [--rounds 500] [--writers 16] [--seed 1]

In each round so many processes append rows to four sessions while three others read them into the index and seal their
journals; after some milliseconds some of them are killed (SIGKILL), then all. What is acknowledged has to be in the
index after the next fold, once, and every chain has to hold. Exits 1 if a row is lost.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from typing import NoReturn

from hookkit.ledger import journal
from hookkit.ledger.row_index import Ledger
from hookkit.ledger.verifying import Verification
from hookkit.system import database

SESSIONS = 4
FOLDERS = 3
DAY = 86_400
EACH = 25  # rounds between two looks at the whole chain


class Storm:
    def __init__(self, place: str, writers: int, seed: int) -> None:
        self.environ = {"HOME": place, "TMPDIR": place}
        self.writers = writers
        self.random = random.Random(seed)
        self.seen = self.kills = self.told = self.kept = 0
        self.wrong: list[str] = []

    def round(self, number: int) -> None:
        reader, writer = os.pipe()
        jobs: list[Callable[[], None]] = [self._writer(number, index, writer) for index in range(self.writers)]
        jobs += [self._fold] * FOLDERS
        children = [self._start(job) for job in jobs]
        os.close(writer)
        self.random.shuffle(children)
        for child in children:
            time.sleep(self.random.uniform(0, 0.004))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            self.kills += 1
        with open(reader, "rb") as file:
            told = {line.decode() for line in file.read().split(b"\n")[:-1]}
        self._look(number, told)

    def _start(self, job: Callable[[], None]) -> int:
        child = os.fork()
        if not child:
            _play(job)
        return child

    def _writer(self, number: int, index: int, pipe: int) -> Callable[[], None]:
        def write() -> None:
            count = 0
            while True:
                count += 1
                name = f"{number}.{index}.{count}"
                row = {
                    "at": time.time_ns() // 1_000_000,
                    "event": "PreToolUse",
                    "call": name,
                    "text": "x" * (count % 997),
                }
                journal.append(self.environ, f"s{index % SESSIONS}", row)
                os.write(pipe, f"{name}\n".encode())  # now we were told: short enough to be written whole

        return write

    def _fold(self) -> None:
        while True:
            ledger = Ledger(self.environ)
            try:
                ledger.fold()
                ledger.prune(days=0, megabytes=0, now=time.time() + 2 * DAY)  # seals every journal
            except database.BusyError:
                pass
            finally:
                ledger.close()

    def _look(self, number: int, told: set[str]) -> None:
        """A fold as anybody's would be, after all that."""
        ledger = Ledger(self.environ)
        ledger.fold()
        ask = ledger.connection.execute
        rows = ask("SELECT id, call FROM entries WHERE id > ? ORDER BY id", (self.seen,)).fetchall()
        kept = {call for _, call in rows}
        self.seen = rows[-1][0] if rows else self.seen
        self.told, self.kept = self.told + len(told), self.kept + len(rows)
        if len(kept) < len(rows) or not told <= kept:
            self.wrong.append(f"round {number}: {len(told - kept)} lost, {len(rows) - len(kept)} twice")
        if number % EACH == 0:
            self.verify(ledger)
        ledger.close()

    def verify(self, ledger: Ledger) -> None:
        self.wrong += [f"{it.what}: {it.writer}, n {it.n}" for it in Verification(ledger).run()]
        self.wrong += [row[0] for row in ledger.connection.execute("PRAGMA quick_check(5)") if row[0] != "ok"]


def _play(job: Callable[[], None]) -> NoReturn:
    try:
        job()
    finally:
        os._exit(1)


def main() -> int:
    parser = argparse.ArgumentParser(description="Kill writers and folders at random moments.")
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--writers", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        storm = Storm(place, options.writers, options.seed)
        for number in range(1, options.rounds + 1):
            storm.round(number)
        ledger = Ledger(storm.environ)
        storm.verify(ledger)
        ledger.close()
    for said in storm.wrong:
        print(said, file=sys.stderr)
    said = f"{options.rounds} rounds, {storm.kills} kills, {storm.told} rows told as kept, {storm.kept} kept"
    print(f"{said}, {len(storm.wrong)} wrong")
    return 1 if storm.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
