"""`hookkit guard` as the client runs it: a process for each call, the settings from the snapshot of the call before.

Ratios are of CPU time, since a process of 15 ms that shares its core is at the mercy of the others.
"""

import compileall
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from peers.adapters import children, event

import hookkit
from costs import COMMANDS, COUNTS, PROGRAMS, Sheet, rules

BARE = "bare python -c pass"
PLAIN, BUSY, DENIED = "git status --short", COMMANDS[0], COMMANDS[3]
TO_BARE, TO_TEN = {100: 1.8}, {1_000: 1.3}  # targets, by rules
HEADER = "a call, second onward | CPU ms | min ms | median ms | to bare | target | to 10 rules | target | snapshot KB"


class Row:
    """One home with so many rules, one command; none of them for the bare interpreter."""

    def __init__(self, name: str, home: Path, command: str, count: int) -> None:
        self.name = name
        self.home = home
        self.command = command
        self.count = count
        self.trouble = ""
        self.times: list[float] = []
        self.cpu: list[float] = []

    def run(self, command: str) -> bytes:
        own = [str(Path(sys.executable).parent / "hookkit"), "guard"]
        raw = json.dumps(event(command, str(self.home / "shop"))).encode()
        environ = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self.home), "LANG": "C.UTF-8"}
        start, before = time.perf_counter(), children()
        done = subprocess.run(
            own if self.count else [sys.executable, "-c", "pass"],
            input=raw, stdout=subprocess.PIPE, env=environ, cwd=self.home, check=True,
        )  # fmt: skip
        self.times.append(time.perf_counter() - start)
        self.cpu.append(children() - before)
        return done.stdout

    def prime(self) -> None:
        """The snapshot is made, and the rules are known to hold: a guard that stepped aside looks fast."""
        said = self.run(DENIED) if self.count else b'"deny"'
        if b'"deny"' not in said:
            self.trouble = f"the rules do not hold: {said.decode().strip()[:120] or 'no reply'}"
        elif self.run(self.command):
            self.trouble = f"not let pass: {self.command}"
        self.times.clear()
        self.cpu.clear()

    def cells(self, sheet: Sheet, bare: "Row", ten: "Row") -> list[str]:
        if self.trouble:
            sheet.missed.append(f"cold, {self.name}: {self.trouble}")
            return [self.name, f"**{self.trouble}**", *[""] * 7]
        low = min(self.cpu)
        to_bare, to_ten = low / min(bare.cpu), low / min(ten.cpu)
        files = self.home.glob(".local/state/hookkit/settings/*.json")
        return [
            self.name,
            f"{low * 1e3:.1f}",
            f"{min(self.times) * 1e3:.1f}",
            f"{statistics.median(self.times) * 1e3:.1f}",
            f"{to_bare:.2f}",
            sheet.target(f"cold, {self.name}, to bare python", to_bare, TO_BARE.get(self.count)),
            f"{to_ten:.2f}" if self.count else "",
            sheet.target(f"cold, {self.name}, to 10 rules", to_ten, TO_TEN.get(self.count)),
            f"{sum(file.stat().st_size for file in files) / 1024:,.0f}" if self.count else "",
        ]


def settle(place: Path, count: int, *, base: bool = False) -> Path:
    """A home with a user's hookkit.toml of so many rules, and a repository to work in."""
    home = place / f"home-{count}{'-base' if base else ''}"
    (home / "shop" / ".git").mkdir(parents=True, exist_ok=True)
    file = home / ".config" / "hookkit" / "hookkit.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    tables = [
        "[[rules]]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in rule.items())
        for rule in rules(count, PROGRAMS)
    ]
    file.write_text("\n".join([f"[policy]\nbase = {str(base).lower()}\n", *tables]))
    return home


def measure(sheet: Sheet, place: Path, *, quick: bool) -> None:
    """Two commands: one that is so plain that no engine is loaded for it, and one for which it is."""
    compileall.compile_dir(Path(hookkit.__file__).parent, quiet=1)
    bare = Row(BARE, settle(place, 10), PLAIN, 0)
    groups = [
        [Row(f"{kind}, {count:,} rules", settle(place, count), command, count) for count in COUNTS]
        + [Row(f"{kind}, 100 rules and the base", settle(place, 100, base=True), command, 100)]
        for kind, command in (("plain", PLAIN), ("80 characters", BUSY))
    ]
    table = [bare, *(row for group in groups for row in group)]
    for row in table:
        row.prime()
    for _ in range(8 if quick else 40):
        for row in table:
            if not row.trouble:
                row.run(row.command)
    cells = [row.cells(sheet, bare, group[0]) for group in groups for row in group]
    title = "Cold: `hookkit guard` with the rules in the user's hookkit.toml; CPU and ratios are the least of all runs"
    sheet.table(title, HEADER, [bare.cells(sheet, bare, bare), *cells])
