"""How calm a policy is: the share of real commands that hookkit approves, asks about and denies.

    python benchmarks/calm.py COMMANDS [--check] [--peers N] [--why]

COMMANDS is a file of JSON lines with a `command` each (.gz too): commands of ordinary agent sessions. Each is given to
`policy.approve` at none, reads and work, in an empty project with a repository. `--check` exits 1 over a target.
`--peers N` asks hookkit at each level, nah, claudeguard and cc-safety-net about N of the commands, evenly spread, each
by the command line that its installer writes (scripts/install-peers).
`--why` lists the most common reasons against an approval.
"""

import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from hookkit.agents.transcripts.past_calls import PastCall
from hookkit.play.past import Player

LEVELS = ("none", "reads", "work")
LEAST = {"reads": 0.44, "work": 0.68}
MOST_ASKED = 0.003
KINDS = ("allow", "ask", "deny", "none")


def commands(path: Path) -> list[str]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line)["command"] for line in data.splitlines() if line.strip()]


def measure(level: str, lines: list[str], place: Path) -> tuple[Counter[str], float]:
    """Verdicts of the live hook's own functions, without a process for each command."""
    project, home = place / "project", place / "home"
    settings = place / f"{level}.toml"
    settings.write_text(f'[policy]\napprove = "{level}"\n[redirect]\nenabled = false\n')
    player = Player({"HOME": str(home), "PATH": os.environ["PATH"]}, str(settings))
    counts: Counter[str] = Counter()
    start = time.process_time()
    for line in lines:
        call = PastCall("", "Bash", {"command": line}, cwd=str(project), session="")
        counts[player.outcome(call).verdict] += 1
    return counts, time.process_time() - start


def reasons(lines: list[str], place: Path) -> Counter[str]:
    from hookkit.model import Event
    from hookkit.policy.judge import Judge
    from hookkit.settings import compiling
    from hookkit.settings.layers import Settings
    from hookkit.verdicts import approve

    environ = {"HOME": str(place / "home"), "PATH": os.environ["PATH"]}
    compiled = compiling.compile_values({"policy.approve": "work"}, environ)
    settings = Settings(environ, {"untrusted": [], "broken": [], **compiled})
    judge = Judge(settings.policy, environ)
    found: Counter[str] = Counter()
    for line in lines:
        event = Event(
            "PreToolUse", {"tool_name": "Bash", "tool_input": {"command": line}, "cwd": str(place / "project")}
        )
        said = approve.approval(event, judge, settings)
        found[said.reason[:90]] += not said.yes
    return found


def peers(lines: list[str], count: int) -> None:
    sys.path.insert(0, str(Path(__file__).parent))
    from peers.adapters import INSTALLED, Contestant, contestants

    sample = lines[:: max(1, len(lines) // count)][:count]
    INSTALLED.mkdir(exist_ok=True)
    own, *others = contestants()
    levels = {f"hookkit, approve = {level}": level for level in LEVELS[1:]}
    print(f"Peers, on {len(sample)} of the commands:\n")
    print("| | approved | asked | denied | no answer | CPU ms a call, median |\n|---|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory(dir=INSTALLED, prefix="run-") as name:
        for number, one in enumerate([own, *(Contestant(title, own.version, own.hook) for title in levels), *others]):
            if one.missing():
                print(f"| {one.name} | {one.missing()} |")
                continue
            one.move_in(Path(name).resolve() / str(number))
            if one.name in levels:
                settings = one.home / ".config/hookkit/hookkit.toml"
                settings.parent.mkdir(parents=True)
                settings.write_text(f'[policy]\napprove = "{levels[one.name]}"\n')
            for line in sample:
                one.ask(line)
            found = Counter(one.answers)
            shares = " | ".join(f"{found[kind] / len(sample):.3f}" for kind in ("allow", "ask", "deny", "no answer"))
            cpu = statistics.median(one.cpu) * 1000
            print(f"| {one.name} {one.version} | {shares} | {cpu:.0f} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="How often hookkit approves and asks, on commands of real sessions.")
    parser.add_argument("commands", type=Path, metavar="COMMANDS")
    parser.add_argument("--check", action="store_true", help="exit 1 if a target does not hold")
    parser.add_argument("--peers", type=int, default=0, metavar="N", help="ask the peers about N commands")
    parser.add_argument("--why", action="store_true", help="list the reasons against an approval")
    options = parser.parse_args()
    lines = commands(options.commands)
    missed = []
    print(f"{len(lines)} commands\n")
    print("| policy.approve | approved | asked | denied | commands a CPU second |\n|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory(dir=Path.home()) as name:
        place = Path(name).resolve()
        (place / "home").mkdir()
        subprocess.run(["git", "init", "-q", str(place / "project")], check=True)
        for level in LEVELS:
            counts, seconds = measure(level, lines, place)
            allow, ask, deny = (counts[kind] / len(lines) for kind in KINDS[:3])
            print(f"| {level} | {allow:.4f} | {ask:.4f} | {deny:.4f} | {len(lines) / seconds:,.0f} |")
            missed += [f"{level}: {allow:.3f} approved"] if allow < LEAST.get(level, 0) else []
            missed += [f"{level}: {ask + deny:.4f} asked or denied"] if ask + deny > MOST_ASKED else []
        for reason, count in reasons(lines, place).most_common(25) if options.why else ():
            print(f"{count:6} {reason}")
    if options.peers:
        print()
        peers(lines, options.peers)
    for miss in missed:
        print(f"over its target: {miss}", file=sys.stderr)
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
