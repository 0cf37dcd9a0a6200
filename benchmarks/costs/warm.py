"""One decision in a process that is already there, as a daemon would make it.

Times are CPU time of the thread: on a busy machine the wall clock's p99 tells how often we were interrupted.
"""

import statistics
import sys
import time
from pathlib import Path

from peers.adapters import event

from costs import COMMANDS, COUNTS, PROGRAMS, VERDICTS, Sheet, rules
from hookkit.hooks import guard
from hookkit.model import Event
from hookkit.policy.call import Call
from hookkit.policy.judge import decide
from hookkit.policy.rules import compile_rules
from hookkit.settings.layers import Settings

MILLION = 1_000_000
P99 = 0.5  # ms, at a thousand rules
HEADER = "one decision, 80 characters | a second | p50 ms | p99 ms | target | p50 to 10 rules | guard.run p50 ms"


class Bench:
    """A policy as a daemon holds it: compiled, its patterns read."""

    def __init__(self, name: str, programs: list[str], count: int, place: Path, target: float | None = None) -> None:
        self.name = name
        self.policy = compile_rules({"rules": rules(count, programs), "policy.base": False})
        self.settings = Settings({"HOME": str(place)}, {"policy": self.policy, "watch": self.policy["watch"]})
        self.place = str(place)
        self.target = target
        self.cpu: list[int] = []
        self.whole: list[int] = []
        self.best = float("inf")  # wall time of one decision, in the quietest batch

    def one(self, command: str) -> str | None:
        place = self.place
        call = Call("Bash", {"command": command}, cwd=place, project=place, home=place)
        return decide(self.policy, call, "").verdict

    def batch(self, size: int) -> None:
        began = time.perf_counter()
        for _ in range(size):
            for command in COMMANDS:
                start = time.thread_time_ns()
                self.one(command)
                self.cpu.append(time.thread_time_ns() - start)
        self.best = min(self.best, (time.perf_counter() - began) / size / len(COMMANDS))
        for command in COMMANDS:
            asked = Event("PreToolUse", event(command, self.place))
            start = time.thread_time_ns()
            guard.run(asked, self.settings)
            self.whole.append(time.thread_time_ns() - start)

    def cells(self, sheet: Sheet, first: "Bench") -> list[str]:
        middle, worst = statistics.median(self.cpu), statistics.quantiles(self.cpu, n=100)[98] / MILLION
        return [
            self.name,
            f"{1 / self.best:,.0f}",
            f"{middle / MILLION:.3f}",
            f"{worst:.3f}",
            sheet.target(f"warm, {self.name}, p99 ms", worst, self.target),
            f"{middle / statistics.median(first.cpu):.2f}",
            f"{statistics.median(self.whole) / MILLION:.3f}",
        ]


def measure(sheet: Sheet, place: Path, *, quick: bool) -> None:
    benches = [Bench(f"{count:,} rules", PROGRAMS, count, place, P99 if count == 1_000 else None) for count in COUNTS]
    benches.append(Bench("1,000 rules, all about git", ["git"], 1_000, place))
    for bench in benches:
        if [bench.one(command) for command in COMMANDS] != VERDICTS:
            sys.exit(f"{bench.name}: wrong verdicts")
    for _ in range(4 if quick else 20):
        for bench in benches:
            bench.batch(25 if quick else 50)
    title = "Warm: CPU time of Call and decide; guard.run is the whole hook; a second: in the quietest batch"
    sheet.table(title, HEADER, [bench.cells(sheet, benches[0]) for bench in benches])
