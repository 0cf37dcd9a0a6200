"""Power cuts: is every row on the disk that docs/ledger.md promises to be there?

    sudo python benchmarks/power.py [--rounds 20] [--seed 1]

The state lies on a file system inside an image, which writes nothing by itself for a minute. Writers append rows, and
one process reads them into the index and seals their journals. At a random moment all of them are stopped and the image
is copied: the copy holds what has reached the disk. It is mounted, as after a power cut, and its ledger is opened.
Needs root, for the mounts, which are gone with the process. Exits 1 if a promised row is lost, or if a row was changed;
exits 3 where no image can be mounted.
"""

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from hookkit.ledger import journal
from hookkit.ledger.store import Ledger, rebuild
from hookkit.ledger.verifying import Verification
from hookkit.system import database

SESSIONS = 4
MEGABYTES = 64
DAY = 86_400
STEP = 130  # ms between two rows, by their own clock: about eight rows a second are synced together
# A power cut may take the rows of the last second, which the tip may know; any other finding is false.
CUT = re.compile(r"cut short: .* that the tip of its journal knows").fullmatch
NOWHERE = 3  # exit code


def environ_of(place: str) -> dict[str, str]:
    return {"HOME": place, "TMPDIR": place}


def rows(session: int) -> "list[dict[str, object]]":
    start = time.time_ns() // 1_000_000
    kinds = ["PreToolUse", "PostToolUse"] * 6 + ["Stop"]
    return [
        {"at": start + number * STEP, "event": kinds[(number + session) % len(kinds)], "call": f"{session}.{number}"}
        for number in range(20_000)
    ]


def _second(row: "dict[str, object]") -> int:
    return int(str(row["at"])) // 1000


class Cut:
    """One round: write, stop, copy, look."""

    def __init__(self, place: str, seconds: float) -> None:
        self.place = place
        self.seconds = seconds
        self.told = self.lost = 0
        self.wrong: list[str] = []

    def run(self) -> None:
        image, mount = os.path.join(self.place, "image"), os.path.join(self.place, "mount")
        with open(image, "wb") as file:
            file.truncate(MEGABYTES << 20)
        call("mkfs.ext4", "-q", "-F", image)
        os.makedirs(mount)
        call("mount", "-o", "loop,commit=60", image, mount)
        clock = [rows(session) for session in range(SESSIONS)]
        reader, writer = os.pipe()
        jobs = [lambda session=session: write(mount, clock[session], session, writer) for session in range(SESSIONS)]
        children = [start(job) for job in (*jobs, lambda: fold(mount))]
        os.close(writer)
        time.sleep(self.seconds)
        for child in children:
            os.kill(child, signal.SIGSTOP)
        shutil.copyfile(image, f"{image}.cut")
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        with open(reader, "rb") as file:
            told = [line.decode() for line in file.read().split(b"\n")[:-1]]
        call("umount", mount)
        call("mount", "-o", "loop", f"{image}.cut", mount)
        self._look(mount, clock, told)
        call("umount", mount)

    def _look(self, mount: str, clock: "list[list[dict[str, object]]]", told: list[str]) -> None:
        self.told = len(told)
        kept = self._kept(mount)
        for session in range(SESSIONS):
            written = sum(name.startswith(f"{session}.") for name in told)
            due = due_of(clock[session][:written])
            self.lost += written - len(kept & {str(row["call"]) for row in clock[session][:written]})
            if missing := [name for name in due if name not in kept]:
                self.wrong.append(f"session {session}: {len(missing)} of {len(due)} promised rows lost: {missing[:3]}")
        rebuild(environ_of(mount))
        if self._kept(mount) < kept:
            self.wrong.append("repair lost rows")

    def _kept(self, mount: str) -> set[str]:
        ledger = Ledger(environ_of(mount))
        try:
            ledger.fold()
            self.wrong += [f"{it.what}: {it.writer} {it.n}" for it in Verification(ledger).run() if not CUT(it.what)]
            return {call for (call,) in ledger.connection.execute("SELECT call FROM entries")}
        finally:
            ledger.close()


def due_of(some: "list[dict[str, object]]") -> list[str]:
    """All rows up to the last one that ended a group: the first of a new second, or the end of a turn."""
    ends = [
        place
        for place, row in enumerate(some)
        if not place or row["event"] in journal.TURNS or _second(row) != _second(some[place - 1])
    ]
    return [str(row["call"]) for row in some[: ends[-1] + 1]] if ends else []


def write(mount: str, some: "list[dict[str, object]]", session: int, pipe: int) -> None:
    for row in some:
        journal.append(environ_of(mount), f"s{session}", row)
        os.write(pipe, f"{row['call']}\n".encode())


def fold(mount: str) -> None:
    """Journals count as idle for two days, so each is sealed and deleted at once."""
    while True:
        ledger = Ledger(environ_of(mount))
        try:
            ledger.fold(seconds=0.2)
            ledger.prune(days=0, megabytes=0, now=time.time() + 2 * DAY)
        except database.BusyError:
            pass
        finally:
            ledger.close()


def start(job: Callable[[], None]) -> int:
    child = os.fork()
    if not child:
        try:
            job()
        finally:
            os._exit(1)
    return child


def call(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{words[0]}: {done.stderr.strip()}", file=sys.stderr)
        sys.exit(NOWHERE)


def main() -> int:
    parser = argparse.ArgumentParser(description="Cut the power at random moments.")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if os.environ.get("HOOKKIT_POWER") != "inside":  # mounts of a namespace of our own end with it
        os.environ["HOOKKIT_POWER"] = "inside"
        os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])
    chance = random.Random(options.seed)
    told = lost = 0
    wrong: list[str] = []
    for number in range(1, options.rounds + 1):
        with tempfile.TemporaryDirectory() as place:
            cut = Cut(place, chance.uniform(0.1, 1.5))
            cut.run()
        told, lost = told + cut.told, lost + cut.lost
        wrong += [f"round {number}: {said}" for said in cut.wrong]
    for said in wrong:
        print(said, file=sys.stderr)
    print(f"{options.rounds} power cuts, {told} rows written, {lost} of the last second lost, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
