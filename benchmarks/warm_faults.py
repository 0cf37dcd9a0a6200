"""Requests through the shim while the server is killed, stopped, upgraded, robbed of its files, its port and its clock.

    python benchmarks/warm_faults.py [--requests 10000] [--workers 4]

Each request must be answered with its verdict, and must stand in the ledger once. Exits 1 otherwise. As root, the state
lies on a small file system of its own, which is filled up in between; then rows go to the second place of the journals.
With libfaketime (Debian's package faketime), the clock of the server jumps by years.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import hookkit
from hookkit.ledger import lines, places
from hookkit.server import process, wire

BIN = Path(sys.executable).parent
HOOKKIT, SHIM = str(BIN / "hookkit"), str(BIN / "hookkit-hook")
EVENT = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"}, "cwd": "/usr"}
VERDICT = b'"permissionDecision":"deny"'
ALLOWED = b'"permissionDecision":"allow"'
FAKETIME = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
ALLOW = wire.framed(b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}\n')


class Trial:
    def __init__(self, work: Path) -> None:
        self.home = work / "home"
        self.home.mkdir()
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "XDG_", "HOOKKIT_"))
        }
        self.environ = {
            **kept,
            "HOME": str(self.home),
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "TMPDIR": str(work / "tmp"),
        }
        (work / "tmp").mkdir()
        self.clock = work / "clock"
        self.clock.write_text("+0\n")
        self.server: subprocess.Popen[bytes] | None = None
        self.wrong: list[str] = []
        self.faults: Counter[str] = Counter()
        self.is_over = False

    def start(self) -> None:
        if self.server is None or self.server.poll() is not None:
            environ = {**self.environ, **self.faked()}
            self.server = subprocess.Popen([HOOKKIT, "serve"], env=environ, cwd="/", stdout=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while process.running(self.environ) is None and time.monotonic() < end and self.server.poll() is None:
            time.sleep(0.02)

    def faked(self) -> dict[str, str]:
        if not FAKETIME:
            return {}
        return {"LD_PRELOAD": str(FAKETIME[0]), "FAKETIME_TIMESTAMP_FILE": str(self.clock), "FAKETIME_NO_CACHE": "1",
                "DONT_FAKE_MONOTONIC": "1"}  # fmt: skip

    def ask(self, worker: int, numbers: range) -> None:
        for number in numbers:
            raw = json.dumps({**EVENT, "session_id": f"w{worker}", "tool_use_id": f"t{number}"}).encode() + b"\n"
            done = subprocess.run(
                [SHIM, "run"], input=raw, env=self.environ, cwd="/usr", capture_output=True, check=False
            )
            if done.returncode or done.stdout.count(VERDICT) != 1 or ALLOWED in done.stdout:
                self.wrong.append(f"t{number}: {done.returncode} {done.stdout[:200]!r} {done.stderr[:200]!r}")

    # -- faults: each leaves a state in which calls must still be answered -------------------------------------------

    def killed(self) -> None:
        self.signal(signal.SIGKILL)

    def ended(self) -> None:
        self.signal(signal.SIGTERM)

    def stopped(self) -> None:
        if self.server is not None:
            self.server.send_signal(signal.SIGSTOP)
            time.sleep(3)
            self.server.send_signal(signal.SIGCONT)

    def robbed(self) -> None:
        shutil.rmtree(process.directory(self.environ), ignore_errors=True)

    def spoilt(self) -> None:
        with contextlib.suppress(OSError):
            Path(process.path(self.environ)).write_bytes(random.choice((b"", b"1 1 1\n", os.urandom(200))))

    def replaced(self) -> None:
        """A stranger takes the port of the dead server, and answers everybody with allow."""
        with contextlib.suppress(OSError, process.NoDoorError):
            port = process.read(self.environ).port
            self.signal(signal.SIGKILL)
            with socket.create_server(("127.0.0.1", port)) as listener:
                listener.settimeout(0.2)
                end = time.monotonic() + 2
                while time.monotonic() < end:
                    with contextlib.suppress(OSError):
                        connection, _ = listener.accept()
                        with connection:
                            connection.sendall(b"0" * 48 + ALLOW)

    def upgraded(self) -> None:
        """An installer writes this file anew: the server becomes the new version while calls go on."""
        os.utime(hookkit.__file__)

    def shifted(self) -> None:
        """The clock of the server jumps; the cold commands beside it keep the right time."""
        if FAKETIME:
            self.clock.write_text(random.choice(("-20y\n", "+20y\n", "-1h\n", "+0\n")))

    def filled(self) -> None:
        """No space left, where the state has a file system of its own."""
        if not os.path.ismount(self.home):
            return
        path = self.home / "full"
        with contextlib.suppress(OSError), path.open("wb") as file:
            while True:
                file.write(b"x" * (1 << 20))
        time.sleep(1)
        path.unlink()

    def signal(self, number: int) -> None:
        if self.server is not None:
            self.server.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.server.wait(30)

    def chaos(self) -> None:
        kinds = (self.killed, self.ended, self.stopped, self.robbed, self.spoilt, self.replaced, self.filled,
                 self.upgraded, self.shifted)  # fmt: skip
        chance = random.Random(11)
        while not self.is_over:
            time.sleep(chance.uniform(0.5, 2))
            kind = chance.choice(kinds)
            self.faults[kind.__name__] += 1
            kind()
            self.start()

    def calls(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for path in places.paths(self.environ):
            for line in Path(path).read_bytes().splitlines():
                found[(lines.row(line) or {})["call"]] += 1
        return found


@contextlib.contextmanager
def small_disk(path: Path) -> Iterator[None]:
    words = ["mount", "-t", "tmpfs", "-o", "size=96m,mode=0700", "tmpfs", str(path)]
    is_mounted = os.geteuid() == 0 and subprocess.run(words, check=False, capture_output=True).returncode == 0
    try:
        yield
    finally:
        if is_mounted:
            subprocess.run(["umount", "-l", str(path)], check=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=4)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        trial = Trial(Path(name))
        with small_disk(trial.home):
            run(trial, given.requests, given.workers)


def run(trial: Trial, requests: int, workers: int) -> None:
    trial.start()
    began = time.monotonic()
    threads = [threading.Thread(target=trial.ask, args=(at, range(at, requests, workers))) for at in range(workers)]
    trouble = threading.Thread(target=trial.chaos)
    for thread in (*threads, trouble):
        thread.start()
    for thread in threads:
        thread.join()
    trial.is_over = True
    trouble.join()
    trial.signal(signal.SIGTERM)
    found = trial.calls()
    missing = [f"t{number}" for number in range(requests) if f"t{number}" not in found]
    twice = [call for call, count in found.items() if count > 1]
    print(f"{requests} requests in {time.monotonic() - began:.0f} s; faults: {dict(trial.faults)}")
    print(f"answered wrong: {len(trial.wrong)}, missing in the ledger: {len(missing)}, twice: {len(twice)}")
    if trial.wrong or missing or twice:
        sys.exit("\n".join([*trial.wrong[:10], *missing[:10], *twice[:10]]))


if __name__ == "__main__":
    main()
