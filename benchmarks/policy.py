"""What the policy costs, warm and cold, by rules and by length; then the peers on the same commands in the same run.

    python benchmarks/policy.py [--quick] [--check] [--only warm cold length peers] [--wrong] [--rows FILE]

Rounds are interleaved, so that a busy moment hits every row, and compared by their fastest or by CPU time; a bare
interpreter is measured in between. Run it with the interpreter of the environment in which hookkit is installed.
`--check` exits 1 over a target, `--wrong` lists the commands that hookkit gets wrong. `--rows FILE` takes a corpus that
is not ours, one JSON object a line: `command`, and `want` as "stop" or "quiet". Peers: scripts/install-peers; the
client's own permission rules stand beside them as the baseline: scripts/install-client.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from costs import Sheet, cold, length, warm
from peers import Contest

COSTS = {"warm": warm.measure, "cold": cold.measure, "length": length.measure}
PEERS = "peers"
HEADER = "hook | median ms | to bare | CPU ms | to bare | dangerous stopped | denied | ordinary disturbed | no answer"


def compare(sheet: Sheet, *, quick: bool, wrong: bool, rows: str) -> None:
    contest = Contest(quick=quick, corpus=Path(rows)) if rows else Contest(quick=quick)
    contest.hold()
    which = "every sixth command" if quick else "all commands"
    sheet.table(f"Peers: {which}, each given to everyone in turn; stopped is deny or ask", HEADER, contest.cells())
    names = " | ".join(one.name for one in contest.present)
    sheet.table("Dangerous commands stopped, by disaster", f"disaster | commands | {names}", contest.by_disaster())
    if not quick and not rows:  # a sixth of the commands is too few to say who is ahead
        sheet.missed += [f"peers: {claim}" for claim in contest.behind()]
    if wrong:
        cells = [[kind, answer, _code(line)] for kind, answer, line in contest.wrong("hookkit")]
        sheet.table("What hookkit gets wrong", "kind | answer | command", cells)


def _code(line: str) -> str:
    """A command in a cell: on one line, its pipes no borders."""
    return f"`{line}`".replace("\n", "⏎").replace("|", "\\|")


def main() -> int:
    parser = argparse.ArgumentParser(description="What the policy costs, and how the peers compare.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, sizes and commands")
    parser.add_argument("--check", action="store_true", help="exit 1 if a target does not hold")
    parser.add_argument("--wrong", action="store_true", help="list the commands that hookkit gets wrong")
    parser.add_argument("--only", nargs="+", choices=[*COSTS, PEERS], default=[*COSTS, PEERS], help="some tables")
    parser.add_argument("--rows", default="", metavar="FILE", help="a corpus that is not ours: command, want")
    options = parser.parse_args()
    sheet = Sheet()
    print(f"python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    with tempfile.TemporaryDirectory() as name:
        for part, measure in COSTS.items():
            if part in options.only:
                measure(sheet, Path(name).resolve(), quick=options.quick)
    if PEERS in options.only:
        compare(sheet, quick=options.quick, wrong=options.wrong, rows=options.rows)
    print(f"\nload {os.getloadavg()[0]:.1f} at the end")
    for miss in sheet.missed:
        print(f"over its target: {miss}", file=sys.stderr)
    return 1 if options.check and sheet.missed else 0


if __name__ == "__main__":
    sys.exit(main())
