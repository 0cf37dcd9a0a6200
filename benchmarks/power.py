"""Power cuts: are all rows on the disk that docs/ledger.md promises, and is a person's settings file whole?

    sudo python benchmarks/power.py [--rounds 20] [--seed 1] [--only rows|init]

The state lies on a file system inside an image, which writes nothing by itself for a minute. Writers append rows, and
one process reads them into the index and seals their journals; or `hookkit init` edits settings. At a random moment all
of them are stopped and the image is copied: the copy holds what has reached the disk. It is mounted, as after a power
cut, and its ledger is opened, or `hookkit uninit` gives the settings back. Needs root, for the mounts, which are gone
with the process. Exits 1 if a promised row or a settings file is lost or was changed; exits 3 where no image can be
mounted.
"""

import argparse
import contextlib
import io
import json
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

from hookkit.agents.wiring import launcher
from hookkit.cli._main import run as run_command
from hookkit.ledger import journal
from hookkit.ledger.row_index import Ledger
from hookkit.ledger.upkeep import rebuild
from hookkit.ledger.verifying import Verification
from hookkit.system import database

SESSIONS = 4
# The command that makes a file system, its options of mount, its least size in MB. The second does not write a file's
# content before its new name, as other file systems do.
EXT4, PLAIN, XFS = "ext4", "ext4 noauto_da_alloc", "xfs"
DISKS = {
    EXT4: (("mkfs.ext4", "-q", "-F"), "loop,commit=60", 64),
    PLAIN: (("mkfs.ext4", "-q", "-F"), "loop,commit=60,noauto_da_alloc", 64),
    XFS: (("mkfs.xfs", "-q", "-f"), "loop", 300),
}
SETTINGS = b'{\n  "model": "opus"\n}\n'
LONGEST = 1.5  # seconds from the start of an `init` to a cut; every second cut waits for its end
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


class Disk:
    """A file system in an image, mounted."""

    def __init__(self, place: str, kind: str) -> None:
        make, options, megabytes = DISKS[kind]
        self.image, self.mount = os.path.join(place, "image"), os.path.join(place, "mount")
        with open(self.image, "wb") as file:
            file.truncate(megabytes << 20)
        call(*make, self.image)
        os.makedirs(self.mount)
        call("mount", "-o", options, self.image, self.mount)

    def cut(self, children: list[int]) -> None:
        """Stop all, and go on with what has reached the disk."""
        for child in children:
            os.kill(child, signal.SIGSTOP)
        call("cp", "--sparse=always", self.image, f"{self.image}.cut")
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        call("umount", self.mount)
        call("mount", "-o", "loop", f"{self.image}.cut", self.mount)


class Cut:
    """One round: write, stop, copy, look."""

    def __init__(self, place: str, seconds: float) -> None:
        self.place = place
        self.seconds = seconds
        self.told = self.lost = 0
        self.wrong: list[str] = []

    def run(self) -> None:
        disk = Disk(self.place, EXT4)
        mount = disk.mount
        clock = [rows(session) for session in range(SESSIONS)]
        reader, writer = os.pipe()
        jobs = [lambda session=session: write(mount, clock[session], session, writer) for session in range(SESSIONS)]
        children = [start(job) for job in (*jobs, lambda: fold(mount))]
        os.close(writer)
        time.sleep(self.seconds)
        disk.cut(children)
        with open(reader, "rb") as file:
            told = [line.decode() for line in file.read().split(b"\n")[:-1]]
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


class InitCut:
    """One round: `init` edits a settings file, and the power goes after some seconds, or with 0 at its end."""

    def __init__(self, place: str, kind: str, seconds: float) -> None:
        self.place = place
        self.kind = kind
        self.seconds = seconds
        self.is_done = False

    def run(self) -> str:
        """What was wrong; empty if nothing was."""
        disk = Disk(self.place, self.kind)
        home = os.path.join(disk.mount, "home")
        settings = os.path.join(home, ".claude", "settings.json")
        os.makedirs(os.path.dirname(settings))
        os.makedirs(os.path.join(home, "project"))
        with open(settings, "wb") as file:
            file.write(SETTINGS)
        os.sync()
        child = start(lambda: command(home, "init", "--agent", "claude", "--scope", "user", "--yes", "--cold"))
        time.sleep(self.seconds)
        self.is_done = os.waitpid(child, os.WNOHANG if self.seconds else 0)[0] == child
        with open(os.path.join(disk.mount, "other"), "wb") as file:  # names reach the disk with any program's sync
            os.fsync(file.fileno())
        disk.cut([] if self.is_done else [child])
        try:
            return self._wrong(home, settings)
        finally:
            call("umount", disk.mount)

    def _wrong(self, home: str, settings: str) -> str:
        try:
            with open(settings, "rb") as file:
                data = file.read()
            json.loads(data)
        except (OSError, ValueError) as error:
            return f"settings.json is lost: {error}"
        if data == SETTINGS:
            return "init was done, and is gone" if self.is_done else ""
        script = launcher.path(environ_of(home))
        if not os.path.isfile(script) or not os.path.getsize(script):
            return "the settings name a launcher that is lost: every hook would do nothing, silently"
        child = start(lambda: command(home, "uninit", "--agent", "claude", "--yes"))
        os.waitpid(child, 0)
        with open(settings, "rb") as file:
            return "" if file.read() == SETTINGS else "uninit does not give the old settings back"


def command(home: str, *words: str) -> None:
    os.environ.clear()
    os.environ.update({**environ_of(home), "PATH": os.defpath})
    os.chdir(os.path.join(home, "project"))
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        run_command([*words])


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
    parser.add_argument("--only", choices=("rows", "init"))
    options = parser.parse_args()
    if os.environ.get("HOOKKIT_POWER") != "inside":  # mounts of a namespace of our own end with it
        os.environ["HOOKKIT_POWER"] = "inside"
        os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])
    chance = random.Random(options.seed)
    wrong = [] if options.only == "init" else cut_rows(options.rounds, chance)
    wrong += [] if options.only == "rows" else cut_init(options.rounds, chance)
    for text in wrong:
        print(text, file=sys.stderr)
    return 1 if wrong else 0


def cut_rows(rounds: int, chance: random.Random) -> list[str]:
    told = lost = 0
    wrong: list[str] = []
    for number in range(1, rounds + 1):
        with tempfile.TemporaryDirectory() as place:
            cut = Cut(place, chance.uniform(0.1, 1.5))
            cut.run()
        told, lost = told + cut.told, lost + cut.lost
        wrong += [f"round {number}: {text}" for text in cut.wrong]
    print(f"{rounds} power cuts, {told} rows written, {lost} of the last second lost, {len(wrong)} wrong")
    return wrong


def cut_init(rounds: int, chance: random.Random) -> list[str]:
    every: list[str] = []
    for kind, (make, *_) in DISKS.items():
        if shutil.which(make[0]) is None:
            print(f"init on {kind}: not tried, there is no {make[0]}")
            continue
        wrong, after = [], 0
        for number in range(1, rounds + 1):
            with tempfile.TemporaryDirectory() as place:
                cut = InitCut(place, kind, chance.uniform(0.1, LONGEST) if number % 2 else 0)
                text = cut.run()
            after += cut.is_done
            wrong += [f"init on {kind}, round {number}: {text}"] if text else []
        print(f"init on {kind}: {rounds} power cuts, {after} of them after its end, {len(wrong)} wrong")
        every += wrong
    return every


if __name__ == "__main__":
    sys.exit(main())
