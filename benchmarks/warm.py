"""What a hook costs through the warm server, beside the cold command and the means of today: one table from one run.

    python benchmarks/warm.py [--rounds 60] [--requests 2000] [--million] [--check]
    python benchmarks/warm.py --projects 500 [--requests 200000]

Rounds are interleaved, so that a busy moment hits every row. Ratios are to `bash -c true` and to bare `python -c pass`
in the same run. `--million` measures the memory after 10,000 and after 1,000,000 requests, which takes some minutes.
`--projects` asks one server in turn for many projects, each with rules of its own: half of the requests are for a few
of them. The memory has to stay flat.
`--check` exits 1 over a target. benchmarks/warm_client.py measures tool calls of the real client.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from hookkit.server import process, wire

BIN = Path(sys.executable).parent
HOOKKIT, SHIM = str(BIN / "hookkit"), str(BIN / "hookkit-hook")
EVENT = {
    "hook_event_name": "PreToolUse",
    "session_id": "bench",
    "permission_mode": "default",
    "tool_name": "Bash",
    "tool_use_id": "toolu_01",
    "tool_input": {"command": "git status --short", "description": "Show changes"},
}
JQ = 'command=$(jq -r ".tool_input.command // empty"); case $command in rm*) printf "{}";; esac'
NODE = 'let raw="";process.stdin.on("data",(c)=>(raw+=c)).on("end",()=>JSON.parse(raw))'
RULES = 1_000
TRUE, BARE, WARM = "bash -c true", "bare python -c pass", "hookkit-hook guard, warm"
SHARE = "throughput of one client to 64"
TARGETS = {"shim to bash": 1.8, "shim to python": 0.25, "http p50 ms": 1.5, "http p99 ms": 5.0, "memory": 1.2,
           SHARE: 1.0, "slow neighbour": 3.0}  # fmt: skip
LONG = 2_000  # commands in the line of a slow neighbour


class Bench:
    def __init__(self, work: Path, rules_count: int = RULES) -> None:
        self.work = work
        self.project = work / "project"
        (self.project / ".git").mkdir(parents=True)
        home = work / "home"
        config = home / ".config" / "hookkit" / "hookkit.toml"
        config.parent.mkdir(parents=True)
        rules = (f'[[rules]]\ntype = "ask"\nmatch = "Bash(tool{n} --flag{n} *)"\n' for n in range(rules_count))
        config.write_text("".join(rules) + "[ledger]\nenabled = false\n")
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "XDG_", "HOOKKIT_"))
        }
        self.environ = {**kept, "HOME": str(home), "PATH": f"{BIN}:{os.environ['PATH']}"}
        self.raw = json.dumps({**EVENT, "cwd": str(self.project)}).encode()
        self.missed: dict[str, float] = {}

    def start(self) -> process.Door:
        return process.start(self.environ, [])[0]

    def stop(self) -> None:
        process.stop(self.environ)

    def hold(self, name: str, value: float) -> str:
        if value > TARGETS[name]:
            self.missed[name] = value
        return f"{value:.2f} (target {TARGETS[name]})"


def spread(times: list[float]) -> str:
    found = sorted(times)
    ranks = [found[0], *(found[min(len(found) - 1, len(found) * p // 100)] for p in (50, 95, 99))]
    return "  ".join(f"{value * 1000:8.2f}" for value in ranks)


HEAD = f"{'':36} {'min':>8}  {'p50':>8}  {'p95':>8}  {'p99':>8}  ms"


def processes(bench: Bench, rounds: int, *, title: str) -> None:
    """One process a call, as a client starts it."""
    rows: dict[str, list[str]] = {
        TRUE: ["bash", "-c", "true"],
        WARM: [SHIM, "guard"],
        "hookkit guard, cold": [HOOKKIT, "guard"],
        BARE: [sys.executable, "-c", "pass"],
    }
    rows |= {"bash + jq": ["bash", "-c", JQ]} if shutil.which("jq") else {}
    rows |= {"node": ["node", "-e", NODE]} if shutil.which("node") else {}
    times: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(rounds + 2):
        for name, command in rows.items():
            began = time.perf_counter()
            child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=bench.project, env=bench.environ
            )
            with_input(child, bench.raw)
            times[name].append(time.perf_counter() - began)
    print(f"\n{title}\n{HEAD}")
    for name, taken in times.items():
        print(f"{name:36} {spread(taken[2:])}")
    median = {name: statistics.median(taken[2:]) for name, taken in times.items()}
    print(f"shim to {TRUE}, p50: {bench.hold('shim to bash', median[WARM] / median[TRUE])}")
    print(f"shim to {BARE}, p50: {bench.hold('shim to python', median[WARM] / median[BARE])}")


def with_input(child: "subprocess.Popen[bytes]", raw: bytes) -> None:
    """`bash -c true` may end before it reads."""
    try:
        child.communicate(raw)
    except BrokenPipeError:
        child.wait()


def http_hooks(bench: Bench, found: process.Door, requests: int) -> None:
    token = Path(process.directory(bench.environ), "token").read_text().strip()
    connection = http.client.HTTPConnection("127.0.0.1", found.port)
    connection.connect()
    times = []
    for _ in range(requests):
        began = time.perf_counter()
        connection.request("POST", "/hooks/guard", body=bench.raw, headers={"Authorization": f"Bearer {token}"})
        connection.getresponse().read()
        times.append(time.perf_counter() - began)
    times = sorted(times[requests // 10 :])
    print(f"\nhttp hook over keep-alive, guard with {RULES} rules\n{HEAD}\n{'POST /hooks/guard':36} {spread(times)}")
    print(f"p50: {bench.hold('http p50 ms', 1000 * times[len(times) // 2])}")
    print(f"p99: {bench.hold('http p99 ms', 1000 * times[len(times) * 99 // 100])}")


def ask(found: process.Door, request: bytes) -> bytes:
    """One request over the shim's protocol, without the shim's process."""
    import socket

    with socket.create_connection(("127.0.0.1", found.port), 60) as connection:
        connection.sendall(wire.GREETING + found.ask.encode() + b"\n")
        connection.recv(100)
        connection.sendall(request)
        with connection.makefile("rb") as file:
            return file.read()


def request_of(bench: Bench, project: Path | None = None, raw: bytes = b"") -> bytes:
    given = [f"{name}={bench.environ[name]}" for name in wire.NAMES if name in bench.environ]
    raw = raw or (json.dumps({**EVENT, "cwd": str(project)}).encode() if project else bench.raw)
    head = ["bench-1", str(len(raw)), str(project or bench.project), "1", "guard", *given, "", ""]
    return "\0".join(head).encode() + raw + b"\0"


def throughput(bench: Bench, found: process.Door, requests: int) -> None:
    print("\nthroughput, the shim's protocol without its process")
    print(f"{'clients':>8} {'a second':>10} {'p50 ms':>8} {'p99 ms':>8}")
    request = request_of(bench)
    rates: dict[int, float] = {}
    for clients in (1, 8, 64):
        began = time.perf_counter()
        times = asked(found, request, clients, requests)
        rates[clients] = len(times) / (time.perf_counter() - began)
        print(f"{clients:8} {rates[clients]:10.0f} {middle(times):8.2f} {late(times):8.2f}")
    print(f"one client to 64: {bench.hold(SHARE, rates[1] / rates[64])}")


def asked(found: process.Door, request: bytes, clients: int, requests: int) -> list[float]:
    """The seconds of each answered request, sorted; a request that is left to the cold command does not count."""
    times: list[float] = []

    def work() -> None:
        for _ in range(requests // clients):
            began = time.perf_counter()
            if ask(found, request) != wire.COLD:
                times.append(time.perf_counter() - began)

    threads = [threading.Thread(target=work) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(times)


def middle(times: list[float]) -> float:
    return 1000 * times[len(times) // 2]


def late(times: list[float]) -> float:
    return 1000 * times[len(times) * 99 // 100]


def neighbour(bench: Bench, found: process.Door, requests: int) -> None:
    """One client beside another whose command lines have thousands of commands."""
    event = {**EVENT, "cwd": str(bench.project), "tool_input": {"command": "; ".join(["cat a | sort -u"] * LONG)}}
    slow = request_of(bench, raw=json.dumps(event).encode())
    alone = asked(found, request_of(bench), 1, requests)
    load = multiprocessing.Process(target=asked, args=(found, slow, 1, 1 << 30), daemon=True)
    load.start()
    try:
        beside = asked(found, request_of(bench), 1, requests)
    finally:
        load.kill()
    print(f"\np50 and p99 of a client alone: {middle(alone):.2f} {late(alone):.2f} ms;"
          f" beside a slow one: {middle(beside):.2f} {late(beside):.2f} ms")  # fmt: skip
    print(f"p99, beside to alone: {bench.hold('slow neighbour', late(beside) / late(alone))}")


def memory(bench: Bench, found: process.Door, counts: tuple[int, int]) -> None:
    request, done, sizes = request_of(bench), 0, []
    for count in counts:
        while done < count:
            ask(found, request)
            done += 1
        pages = int(Path(f"/proc/{found.pid}/statm").read_text().split()[1])
        sizes.append(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)
        print(f"memory after {count:,} requests: {sizes[-1]:.1f} MB")
    print(f"memory, last to first: {bench.hold('memory', sizes[1] / sizes[0])}")


def projects(bench: Bench, found: process.Door, count: int, requests: int) -> None:
    made = []
    for number in range(count):
        place = bench.work / f"p{number}"
        (place / ".git").mkdir(parents=True)
        (place / "hookkit.toml").write_text(f'[[rules]]\ntype = "ask"\nmatch = "Bash(tool{number} *)"\n')
        made.append(request_of(bench, place))
    chance, sizes = random.Random(1), []
    for title, few in (("first visits", made), ("second visits", made), ("a few projects", made[:5] * (count // 5))):
        print(f"{title:36} {spread([timed(found, request) for request in few])}")
    for _ in range(10):
        times = [timed(found, chance.choice(made if number % 2 else made[:5])) for number in range(requests // 10)]
        pages = int(Path(f"/proc/{found.pid}/statm").read_text().split()[1])
        sizes.append(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)
        print(f"{f'{sizes[-1]:.0f} MB':36} {spread(times)}")
    print(f"memory, last to first: {bench.hold('memory', sizes[-1] / sizes[0])}")


def timed(found: process.Door, request: bytes) -> float:
    began = time.perf_counter()
    ask(found, request)
    return time.perf_counter() - began


def busy() -> None:
    while True:
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--requests", type=int, default=2_000)
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--projects", type=int, default=0)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), 10 if given.projects else RULES)
        found = bench.start()
        try:
            if given.projects:
                projects(bench, found, given.projects, given.requests)
            else:
                measure(bench, found, given)
        finally:
            bench.stop()
    if given.check and bench.missed:
        sys.exit(f"over the target: {bench.missed}")


def measure(bench: Bench, found: process.Door, given: Any) -> None:
    processes(bench, given.rounds, title="one process a call")
    http_hooks(bench, found, given.requests)
    throughput(bench, found, given.requests)
    neighbour(bench, found, given.requests)
    memory(bench, found, (10_000, 1_000_000) if given.million else (given.requests, given.requests * 5))
    load = multiprocessing.Process(target=busy, daemon=True)
    load.start()
    try:
        kept = dict(bench.missed)
        processes(bench, given.rounds // 2, title="one process a call, one core kept busy (no targets)")
        bench.missed = kept
    finally:
        load.terminate()


if __name__ == "__main__":
    main()
