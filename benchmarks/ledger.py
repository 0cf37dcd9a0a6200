"""What the ledger costs: a hook that records, a fold, a filtered list and a verification, for a million rows or more.

    python benchmarks/ledger.py [--quick | --rows 5000000] [--check]

The rows are written as journals in the real format, in a directory that is gone afterwards, and folded by the real
code. `record` is measured cold, as the client runs it, in turn with a bare interpreter and with a small ledger beside
the large one; CPU time, the least of all runs. The page's views, and how an export and pruning grow with the rows, come
last. `--quick` has a hundred thousand rows instead of a million. `--check` exits 1 over a target. Run it with the
interpreter of the environment in which hookkit is installed.
"""

import argparse
import compileall
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from costs import Sheet
from peers.adapters import children

import hookkit
from hookkit.ledger import journal, lines, places, queries
from hookkit.ledger.queries import Filters
from hookkit.ledger.row_index import Ledger
from hookkit.ledger.verifying import Verification
from hookkit.server import views
from hookkit.system import jsons

if TYPE_CHECKING:
    from collections.abc import Callable

HOOKKIT = str(Path(sys.executable).parent / "hookkit")
TO_BARE, TO_SMALL, LIST_MS, VERIFIED = 3.0, 1.2, 100.0, 200_000
MEMORY = 150.0  # MB
PAINT_MS = 1_000.0  # each view of the page
GROWTH = 1.3  # CPU a row, beside a ledger of a fifth of the rows
SMALL = 1_000
SESSION = 4_000  # rows
DAY = 86_400_000
TOOLS = ["Bash"] * 5 + ["Read"] * 4 + ["Edit"] * 3 + ["Grep"] * 2 + ["Write", "WebFetch", "mcp__db__query"]
WORDS = (
    "git status docker build npm test api parser ledger deploy users orders invoice checkout stage cache worker report "
    "sales login queue retry index migrate schema"
).split()
EVENT = {"session_id": "bench", "cwd": "/", "permission_mode": "default", "tool_name": "Bash",
         "tool_input": {"command": "git status --short", "description": "Show the working tree"}}  # fmt: skip


class Maker:
    """Sessions as they might have been: requests and outcomes, some denied, some failed, some without an end."""

    def __init__(self, count: int) -> None:
        self.random = random.Random(1)
        self.count = count
        self.end = time.time_ns() // 1_000_000
        self.made = 0

    def write(self, place: str) -> None:
        os.makedirs(place, mode=0o700)
        session = 0
        while self.made < self.count:
            session += 1
            name = f"{self.random.getrandbits(32):08x}-0000-4000-8000-{session:012d}"
            path = os.path.join(place, f"{name}.log")
            with open(path, "wb") as file:
                file.write(b"".join(self._lines(name, session)))
            last = (self.end - 20 * DAY + 20 * DAY * self.made // self.count) / 1000
            os.utime(path, (last, last))  # journals are sealed by their age

    def _lines(self, name: str, session: int) -> list[bytes]:
        found: list[bytes] = []
        before, writer = lines.FIRST, f"{name}-{session:08x}"
        at = self.end - 20 * DAY + 20 * DAY * self.made // self.count
        common = {"session": name, "project": f"/home/dev/shop{session % 7}", "mode": "default"}
        if session % 3 == 0:
            common["actor"] = self.random.choice(["agent:executor", "agent:reviewer", "agent:planner"])
        while len(found) < SESSION and self.made < self.count:
            at += self.random.randrange(100, 700)
            for row in self._call(at, common):
                text, parts = lines.seal(row)
                body = jsons.dumps({"n": len(found) + 1, "w": writer, "v": 2, **text}).encode()
                before = lines.chained(before, body)
                found.append(f"{before} ".encode() + body + parts + b"\n")
                self.made += 1
        return found

    def _call(self, at: int, common: dict[str, str]) -> list[dict[str, Any]]:
        draw, pick = self.random.random, self.random.choice
        call = {"call": f"toolu_{self.random.getrandbits(64):016x}", "tool": pick(TOOLS), **common}
        lot = draw()
        verdict = "deny" if lot < 0.02 else "ask" if lot < 0.05 else "allow" if lot < 0.2 else None
        request = {"at": at, "event": "PreToolUse", **call, "took": {"guard": 1.31, "redirect": 0.27},
                   "input": {"command": " ".join(pick(WORDS) for _ in range(6))}}  # fmt: skip
        if verdict:
            request |= {"verdict": verdict, "hook": "guard", "rule": f"Bash({pick(WORDS)} *)", "reason": "As agreed."}
        if verdict == "deny" or draw() < 0.001:
            return [request]
        ending = {
            "at": at + 50,
            "event": "PostToolUse",
            **call,
            "ms": 31,
            "outcome": "done",
            "approved": "mode default",
        }
        if draw() < 0.05:
            ending |= {"event": "PostToolUseFailure", "outcome": "failed", "error": f"Exit code 1: {pick(WORDS)}"}
        return [request, ending]


def home(place: Path, count: int) -> dict[str, str]:
    found = place / f"home-{count}"
    environ = {"HOME": str(found), "TMPDIR": str(place), "PATH": os.environ.get("PATH", "")}
    Maker(count).write(places.places(environ)[0])
    return environ


def fold(sheet: Sheet, environ: dict[str, str], count: int) -> None:
    ledger = Ledger(environ)
    start = time.perf_counter()
    ledger.fold()
    seconds = time.perf_counter() - start
    ledger.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = ledger.size() / 1e6
    ledger.close()
    rows = [[f"{count:,} rows", f"{seconds:.1f}", f"{count / seconds:,.0f}", f"{size:,.0f}"]]
    sheet.table("Fold: journals into the database", "fold | s | rows a second | MB", rows)


# -- recording -------------------------------------------------------------------------------------------------------


class Cold:
    """One command line in one home; none for the bare interpreter."""

    def __init__(self, name: str, environ: dict[str, str], event: dict[str, Any] | None) -> None:
        self.name = name
        self.environ = environ
        self.event = event
        self.cpu: list[float] = []
        self.times: list[float] = []

    def run(self, number: int) -> None:
        raw = json.dumps({**(self.event or {}), "tool_use_id": f"toolu_{number}"}).encode()
        command = [HOOKKIT, "record"] if self.event else [sys.executable, "-c", "pass"]
        start, before = time.perf_counter(), children()
        subprocess.run(command, input=raw, env=self.environ, cwd="/", check=True)
        self.times.append(time.perf_counter() - start)
        self.cpu.append(children() - before)


def record(sheet: Sheet, large: dict[str, str], small: dict[str, str], count: int, *, quick: bool) -> None:
    compileall.compile_dir(Path(hookkit.__file__).parent, quiet=1)
    request = {**EVENT, "hook_event_name": "PreToolUse"}
    ending = {**EVENT, "hook_event_name": "PostToolUse", "tool_response": {"stdout": "ok"}, "duration_ms": 12}
    bare = Cold("bare python -c pass", small, None)
    table = [bare]
    for kind, event in (("a request", request), ("an outcome", ending)):
        table += [
            Cold(f"record, {kind}, {SMALL:,} rows", small, event),
            Cold(f"record, {kind}, {count:,} rows", large, event),
        ]
    for number in range(-2, 10 if quick else 40):
        for row in table:
            row.run(number)
            if number < 0:
                row.cpu.clear()
                row.times.clear()
    cells = []
    for index, row in enumerate(table):
        low, to_bare = min(row.cpu), min(row.cpu) / min(bare.cpu)
        is_large = index in (2, 4)
        to_small = low / min(table[index - 1].cpu) if is_large else 0.0
        cells.append([
            row.name, f"{low * 1e3:.1f}", f"{statistics.median(row.times) * 1e3:.1f}", f"{to_bare:.2f}",
            sheet.target(f"{row.name}, to bare python", to_bare, TO_BARE if index else None),
            f"{to_small:.2f}" if is_large else "",
            sheet.target(f"{row.name}, to {SMALL:,} rows", to_small, TO_SMALL if is_large else None),
        ])  # fmt: skip
    title = "Record, cold, as the client runs it; CPU and ratios are the least of all runs"
    sheet.table(title, f"a call | CPU ms | median ms | to bare | target | to {SMALL:,} rows | target", cells)


# -- reading ---------------------------------------------------------------------------------------------------------


def listing(sheet: Sheet, environ: dict[str, str]) -> None:
    ledger = Ledger(environ)
    ask = ledger.connection.execute
    (session,) = ask("SELECT session FROM entries WHERE id = (SELECT max(id) / 2 FROM entries)").fetchone()
    (newest,) = ask("SELECT max(at) FROM entries WHERE tool IS NOT NULL").fetchone()
    rows: list[tuple[str, dict[str, str], dict[str, Any]]] = [
        ("nothing", {}, {}),
        ("event", {"event": "PostToolUseFailure"}, {}),
        ("tool", {"tool": "Bash"}, {}),
        ("verdict", {"verdict": "deny"}, {}),
        ("actor", {"actor": "agent:executor"}, {}),
        ("session", {"session": session}, {}),
        ("project", {"project": "/home/dev/shop3"}, {}),
        ("since", {}, {"since": newest - 2 * DAY}),
        ("text, a common word", {}, {"text": "deploy"}),
        ("text, three words", {}, {"text": "checkout invoice parser"}),
        ("text, a word that is nowhere", {}, {"text": "zebra"}),
        ("unfinished", {}, {"unfinished": True}),
        ("tool and verdict", {"tool": "Write", "verdict": "deny"}, {}),
        ("tool and verdict that never meet", {"event": "PostToolUse", "verdict": "deny"}, {}),
        ("actor and verdict", {"actor": "agent:planner", "verdict": "deny"}, {}),
        ("session and tool", {"session": session, "tool": "Write"}, {}),
        ("event and tool", {"event": "PostToolUseFailure", "tool": "Edit"}, {}),
        ("project and verdict", {"project": "/home/dev/shop3", "verdict": "ask"}, {}),
        ("verdict and since", {"verdict": "deny"}, {"since": newest - 2 * DAY}),
        ("text and tool", {"tool": "Bash"}, {"text": "deploy"}),
        ("text and session", {"session": session}, {"text": "deploy"}),
        ("text and verdict", {"verdict": "deny"}, {"text": "deploy"}),
        ("text and since", {}, {"text": "deploy", "since": newest - 2 * DAY}),
        ("unfinished and tool", {"tool": "Write"}, {"unfinished": True}),
    ]
    cells = []
    for name, columns, more in rows:
        filters = Filters(**more)
        filters.columns = {column: [value] for column, value in columns.items()}
        times = []
        for _ in range(5):
            start = time.perf_counter()
            found = queries.find(ledger.connection, filters, 50)
            times.append((time.perf_counter() - start) * 1e3)
        target = sheet.target(f"list by {name}, ms", min(times), LIST_MS)
        cells.append([name, f"{max(times):.1f}", f"{min(times):.1f}", target, str(len(found))])
    ledger.close()
    sheet.table("List: the newest fifty rows that match", "by | most ms | least ms | target | rows", cells)


def verify(sheet: Sheet, environ: dict[str, str]) -> None:
    ledger = Ledger(environ)
    best, rows = 0.0, 0
    for _ in range(2):
        verification = Verification(ledger)
        start = time.perf_counter()
        findings = verification.run()
        best, rows = max(best, verification.rows / (time.perf_counter() - start)), verification.rows
        if findings:
            sheet.missed.append(f"verify: {findings[0].what}")
    ledger.close()
    target = sheet.target("verify, seconds for 200,000 rows", VERIFIED / best, 1.0)
    cells = [[f"{rows:,} rows", f"{best:,.0f}", target.replace("≤ 1.0", f"≥ {VERIFIED:,}")]]
    sheet.table("Verify", "verify | rows a second | target", cells)


# -- people's commands -----------------------------------------------------------------------------------------------


def commands(sheet: Sheet, environ: dict[str, str]) -> None:
    """Each in a process of its own, as a person runs it, with the most memory that it took."""
    cells = []
    for words in ("status", "stats --since 40d", "verify", "list", "list --text w*", "export", "export --format csv"):
        seconds, cpu, megabytes = command(environ, words)
        target = sheet.target(f"ledger {words}, MB", megabytes, MEMORY)
        cells.append([f"ledger {words}", f"{seconds:.1f}", f"{cpu:.1f}", f"{megabytes:.0f}", target])
    sheet.table("Commands of people", "command | s | CPU s | MB | target", cells)


def command(environ: dict[str, str], words: str) -> tuple[float, float, float]:
    """Seconds, CPU seconds and the most megabytes of `hookkit ledger WORDS`."""
    start = time.perf_counter()
    child = os.posix_spawn(
        HOOKKIT,
        [HOOKKIT, "ledger", *words.split()],
        {**environ, "NO_COLOR": "1"},
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(child, 0)
    assert status == 0, words
    megabytes = usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, megabytes


def growth(sheet: Sheet, large: dict[str, str], fifth: dict[str, str], count: int) -> None:
    """Work on all rows must not cost more a row when there are more rows. Pruning, which deletes half, comes last."""
    cells = []
    for environ in (fifth, large):
        command(environ, "prune --days 30 --megabytes 0")  # seals all journals, and deletes nothing
    for words in ("export --format csv", "prune --days 10 --megabytes 0"):
        few, many = (command(environ, words) for environ in (fifth, large))
        ratio = many[1] / count / (few[1] / (count // 5))
        target = sheet.target(f"ledger {words}, CPU a row", ratio, GROWTH)
        memory = sheet.target(f"ledger {words}, MB", many[2], MEMORY)
        cells.append([f"ledger {words}", f"{few[1]:.1f}", f"{many[1]:.1f}", f"{ratio:.2f}", target,
                      f"{many[2]:.0f}", memory])  # fmt: skip
    head = f"command | CPU s, {count // 5:,} rows | CPU s, {count:,} rows | a row | target | MB | target"
    sheet.table("Growth", head, cells)


def page(sheet: Sheet, environ: dict[str, str]) -> None:
    """What the page asks for when it opens, and when its views change; the first look finds nothing in the cache."""
    asked: dict[str, Callable[[], object]] = {
        "rows": lambda: views.rows(environ, {}),
        "rows, what hookkit did": lambda: views.rows(environ, {"event": "did"}),
        "rows, denied": lambda: views.rows(environ, {"verdict": "deny"}),
        "numbers of a day": lambda: views.numbers(environ, 24),
        "numbers of a month": lambda: views.numbers(environ, 24 * 30),
    }
    cells = []
    for name, view in asked.items():
        start = time.perf_counter()
        view()
        spent = (time.perf_counter() - start) * 1e3
        cells.append([name, f"{spent:.0f}", sheet.target(f"page, {name}, ms", spent, PAINT_MS)])
    sheet.table("Page: the first look at each view", "view | ms | target", cells)


# -- writing at once -------------------------------------------------------------------------------------------------


def together(sheet: Sheet, place: Path, *, quick: bool) -> None:
    environ = {"HOME": str(place / "together"), "TMPDIR": str(place)}
    cells = []
    for writers in (1, 16):
        seconds = 1.0 if quick else 2.0
        reader, writer = os.pipe()
        for index in range(writers):
            if not os.fork():
                os.write(writer, _append(environ, f"w{writers}-{index % 4}", seconds))
                os._exit(0)
        os.close(writer)
        with open(reader) as file:
            found = [line.split() for line in file]
        for _ in range(writers):
            os.wait()
        total, longest = sum(int(row[0]) for row in found), max(float(row[1]) for row in found)
        cells.append([str(writers), f"{total / seconds:,.0f}", f"{longest * 1e3:.0f}"])
    sheet.table("Writers at once, on up to four sessions", "writers | rows a second in all | longest append, ms", cells)


def _append(environ: dict[str, str], session: str, seconds: float) -> bytes:
    row = {"v": 2, "event": "PreToolUse", "tool": "Bash", "input": {"command": "git status --short"}, "same": "0" * 16}
    count, longest, end = 0, 0.0, time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.monotonic()
        journal.append(environ, session, row)
        longest = max(longest, time.monotonic() - start)
        count += 1
    return f"{count} {longest}\n".encode()


def main() -> int:
    parser = argparse.ArgumentParser(description="What the ledger costs.")
    parser.add_argument("--quick", action="store_true", help="a hundred thousand rows instead of a million")
    parser.add_argument("--check", action="store_true", help="exit 1 if a target does not hold")
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    count = 100_000 if options.quick else options.rows
    sheet = Sheet()
    print(f"python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name).resolve()
        together(sheet, place, quick=options.quick)
        small, large = home(place, SMALL), home(place, count)
        Ledger(small).fold()
        fold(sheet, large, count)
        listing(sheet, large)
        verify(sheet, large)
        commands(sheet, large)
        page(sheet, large)
        record(sheet, large, small, count, quick=options.quick)
        fifth = home(place, count // 5)
        Ledger(fifth).fold()
        growth(sheet, large, fifth, count)
    print(f"\nload {os.getloadavg()[0]:.1f} at the end")
    for miss in sheet.missed:
        print(f"over its target: {miss}", file=sys.stderr)
    return 1 if options.check and sheet.missed else 0


if __name__ == "__main__":
    sys.exit(main())
