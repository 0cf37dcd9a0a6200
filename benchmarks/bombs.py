"""Lines and files that grow without bound in a naive analysis: time and memory of each over an ordinary call.

    python -m benchmarks.bombs [--scale 10]      each line behind and before `rm -rf ~`, in a process of its own
    python -m benchmarks.bombs --fuzz 600        random lines for that many seconds, in this process

Run it under a limit of memory: `(ulimit -v 4000000; python -m benchmarks.bombs --scale 10)`. Exits 1 if a line takes
100 ms or 100 MB more than an ordinary call, or if a deletion beside it passes.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.shell.lines import bombs

HOOKKIT = Path(sys.executable).with_name("hookkit")
TIME, MEMORY = 0.100, 100  # seconds and MB over an ordinary call


def ask(command: str, place: Path) -> tuple[str, float, float]:
    """The verdict, the seconds of the processor and the MB of one hook call."""
    event = {"hook_event_name": "PreToolUse", "session_id": "bombs", "cwd": str(place / "project"), "tool_name": "Bash"}
    text = json.dumps({**event, "tool_input": {"command": command}}).encode()
    environ = {"PATH": os.environ["PATH"], "HOME": str(place), "LANG": "C.UTF-8"}
    child = subprocess.Popen([HOOKKIT, "run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, cwd=place)
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(text)
    child.stdin.close()
    reply = child.stdout.read()
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    spent = usage.ru_utime + usage.ru_stime  # of the processor: other programs do not disturb it
    return _verdict(reply), spent, usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)


def _verdict(reply: bytes) -> str:
    if not reply:
        return "none"
    return str(json.loads(reply).get("hookSpecificOutput", {}).get("permissionDecision", "none"))


def play(scale: int, place: Path) -> int:
    (place / "project").mkdir()
    runs = [ask("cd x && echo $HOME | cat", place) for _ in range(5)]
    usual, memory = min(run[1] for run in runs), max(run[2] for run in runs)
    print(f"ordinary call: {usual * 1000:.0f} ms, {memory:.0f} MB")
    wrong = 0
    for bomb in bombs(scale):
        for line in (f"{bomb}\nrm -rf ~", f"rm -rf ~\n{bomb}"):
            tries = [ask(line, place) for _ in range(2)]
            verdict, spent, used = tries[0][0], min(each[1] for each in tries) - usual, tries[0][2] - memory
            bad = spent > TIME or used > MEMORY or verdict not in ("ask", "deny")
            wrong += bad
            print(f"{'!!' if bad else '  '} {verdict:5} +{spent * 1000:5.0f} ms +{used:4.0f} MB  {line[:70]!r}")
    return wrong


def fuzz(seconds: int) -> int:
    from hypothesis import HealthCheck, given, settings

    from tests.shell.lines import lines, repeated
    from tests.shell.test_cost import check

    end = time.monotonic() + seconds
    count = 0
    while time.monotonic() < end:

        @settings(max_examples=500, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(lines | repeated)
        def round_(line: str) -> None:
            check(line)

        round_()
        count += 500
    print(f"{count} lines, no exception, none over its budget")
    return 0


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--fuzz", type=int, default=0, metavar="SECONDS")
    given = parser.parse_args()
    if given.fuzz:
        raise SystemExit(fuzz(given.fuzz))
    with tempfile.TemporaryDirectory() as place:
        raise SystemExit(bool(play(given.scale, Path(place))))


if __name__ == "__main__":
    main()
