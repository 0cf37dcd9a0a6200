"""hookkit and its peers on the same commands in the same run: what a call costs, what they stop, whom they disturb.

The commands are data (commands.jsonl): disasters that everybody knows, plain and in the spellings that hide them, and
what an agent does all day. Nobody runs them; they go in as the text of an event. The baseline is the client's own
permission rules (client.py).
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from peers.adapters import FAILED, INSTALLED, STOPPED, Contestant, children, contestants
from peers.client import baselines

CORPUS = Path(__file__).with_name("commands.jsonl")
QUICK = 6  # a short run takes every sixth command
DANGEROUS, ORDINARY = "dangerous", "ordinary"


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """A row of ours, or a row of somebody else's: `command`, and `want` as "stop" or "quiet"."""
    kind = row.get("kind") or (DANGEROUS if row.get("want", "stop") == "stop" else ORDINARY)
    return {**row, "kind": kind, "about": row.get("about") or row.get("source") or "all"}


def _times(taken: list[float], bare: list[float]) -> tuple[str, str]:
    """Median milliseconds, and how many bare interpreters that is; dashes for the client, which starts nothing."""
    if not taken:
        return "-", "-"
    median = statistics.median(taken)
    return f"{median * 1e3:.0f}", f"{median / statistics.median(bare):.2f}"


class Contest:
    """Everyone is asked about a command before the next one comes, so that a busy moment hits all of them."""

    def __init__(self, *, quick: bool, corpus: Path = CORPUS) -> None:
        rows = [_row(json.loads(line)) for line in corpus.read_text().splitlines() if line.strip()]
        self.rows: list[dict[str, Any]] = rows[::QUICK] if quick else rows
        hooks, clients = contestants(), baselines()
        self.absent = [(one, one.missing()) for one in [*hooks, *clients] if one.missing()]
        self.hooks = [one for one in hooks if not one.missing()]
        self.clients = [one for one in clients if not one.missing()]
        self.present: list[Contestant] = [*self.hooks, *self.clients]
        self.bare: list[float] = []
        self.bare_cpu: list[float] = []

    def hold(self) -> None:
        INSTALLED.mkdir(exist_ok=True)
        (INSTALLED / ".gitignore").write_text("*\n")
        with tempfile.TemporaryDirectory(dir=INSTALLED, prefix="run-") as name:
            for number, one in enumerate(self.present):
                one.move_in(Path(name).resolve() / str(number))
            for client in self.clients:
                client.ask_all([row["command"] for row in self.rows])
            for one in self.hooks:
                one.ask("true")  # once for the file cache, and for whoever keeps a compiled form of their rules
                one.forget()
            for row in self.rows:
                self.start_python()
                for one in self.hooks:
                    one.ask(row["command"])

    def start_python(self) -> None:
        start, before = time.perf_counter(), children()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        self.bare.append(time.perf_counter() - start)
        self.bare_cpu.append(children() - before)

    # -- what came out -----------------------------------------------------------------------------

    def count(self, one: Contestant, kind: str, about: str = "", verdicts: tuple[str, ...] = STOPPED) -> int:
        return sum(
            answer in verdicts
            for row, answer in zip(self.rows, one.answers, strict=True)
            if row["kind"] == kind and about in ("", row["about"])
        )

    def total(self, kind: str, about: str = "") -> int:
        return sum(row["kind"] == kind and about in ("", row["about"]) for row in self.rows)

    def cells(self) -> list[list[str]]:
        """One row a contestant; who is not here says why."""
        dangerous, ordinary = self.total(DANGEROUS), self.total(ORDINARY)
        rows = []
        for one in self.present:
            stopped, disturbed = self.count(one, DANGEROUS), self.count(one, ORDINARY)
            rows.append([
                f"{one.name} {one.version}", *_times(one.times, self.bare), *_times(one.cpu, self.bare_cpu),
                f"{stopped} of {dangerous} ({stopped / dangerous:.1%})", str(self.count(one, DANGEROUS, "", ("deny",))),
                f"{disturbed} of {ordinary} ({disturbed / ordinary:.1%})",
                str(self.count(one, DANGEROUS, "", (FAILED,)) + self.count(one, ORDINARY, "", (FAILED,))),
            ])  # fmt: skip
        return rows + [[one.name, why, *[""] * 7] for one, why in self.absent]

    def by_disaster(self) -> list[list[str]]:
        """Where the stopped ones are: a tool that never meant to look at databases should not hide it in a sum."""
        return [
            [
                about,
                str(self.total(DANGEROUS, about)),
                *(str(self.count(one, DANGEROUS, about)) for one in self.present),
            ]
            for about in dict.fromkeys(row["about"] for row in self.rows if row["kind"] == DANGEROUS)
        ]

    def wrong(self, name: str) -> list[tuple[str, str, str]]:
        """Each command that a contestant got wrong: the kind, the answer, the command."""
        one = next(one for one in self.present if one.name == name)
        return [
            (row["kind"], answer or "nothing", row["command"])
            for row, answer in zip(self.rows, one.answers, strict=True)
            if (answer in STOPPED) != (row["kind"] == DANGEROUS)
        ]

    def behind(self) -> list[str]:
        """Where a peer is ahead of hookkit, of the three things that we claim."""
        us, *others = self.hooks
        found = []
        for one in others:
            if statistics.median(one.times) < statistics.median(us.times):
                found.append(f"{one.name} answers sooner")
            if self.count(one, DANGEROUS) > self.count(us, DANGEROUS):
                found.append(f"{one.name} stops more dangerous commands")
            if self.count(one, ORDINARY) < self.count(us, ORDINARY):
                found.append(f"{one.name} disturbs fewer ordinary commands")
        return found
