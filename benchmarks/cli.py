"""What a person waits for, as a ratio to a bare interpreter: every people's command, one table from one run.

    python benchmarks/cli.py [--rounds 15] [--check]

Rounds are interleaved, so that a busy moment hits every row; the ratio is that of the fastest runs. Run it with the
interpreter of the environment in which hookkit is installed. The home and the project are temporary. `--check` exits 1
over a target.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BIN = Path(sys.executable).parent
HOOKKIT = str(BIN / "hookkit")
BARE = "bare python -c pass"
USUAL, QUICK, AT_ONCE = 10.0, 8.0, 3.0  # targets
# The words of each command: what a person types most, on a machine that has been used a little.
ROWS: dict[str, float] = {
    "--version": AT_ONCE,
    "--help": USUAL,
    "init --help": USUAL,
    "help ledger list": USUAL,
    "why ls": QUICK,
    "why 'rm -rf ~'": QUICK,
    "why 'cd x && pytest -q | tail'": QUICK,
    "test-pattern 'Bash(git push *)' 'git push -f'": QUICK,
    "status": USUAL,
    "doctor": USUAL,
    "set": USUAL,
    "set undo.enabled": USUAL,
    "trust --revoke": USUAL,
    "undo": USUAL,
    "pause": USUAL,
    "init --dry-run --agent claude": USUAL,
    "uninit --dry-run": USUAL,
    "convert settings.json": USUAL,
    "serve --status": USUAL,
    "validate": USUAL,
    "simulate --tool Bash --args ls": USUAL,
    "simulate rows.jsonl": USUAL,
    "replay": USUAL,
    "policy show": USUAL,
    "policy base": USUAL,
    "hook list": USUAL,
    "ledger list": USUAL,
    "ledger list --did": USUAL,
    "ledger show 1": USUAL,
    "ledger stats": USUAL,
    "ledger verify": USUAL,
    "ledger export": USUAL,
    "top --once": USUAL,
    "errors": USUAL,
    "allow": USUAL,
    "suggest": USUAL,
    "toolchain": USUAL,
    "effort list": USUAL,
    "agents --once": USUAL,
}
HOOKS = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}
CALL = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "session_id": "bench", "permission_mode": "default"}


def prepared(work: Path) -> tuple[Path, dict[str, str]]:
    """A project and a home with some calls in the log."""
    project, home = work / "project", work / "home"
    for directory in (project / ".git", home):
        directory.mkdir(parents=True)
    (project / "Makefile").write_text("test:\n\ttrue\n")
    (project / "settings.json").write_text(json.dumps(HOOKS))
    (project / "rows.jsonl").write_text(json.dumps({"id": "a", "tool": "Bash", "args": "ls", "expect": "none"}) + "\n")
    environ = {"HOME": str(home), "PATH": f"{BIN}:{os.environ['PATH']}", "COLUMNS": "80"}
    for number, command in enumerate(["ls", "rm -rf ~", "git push --force", "pytest -q"] * 5):
        event = {**CALL, "cwd": str(project), "tool_use_id": f"toolu_{number}", "tool_input": {"command": command}}
        subprocess.run(
            [HOOKKIT, "run"],
            input=json.dumps(event).encode(),
            stdout=subprocess.PIPE,
            env=environ,
            cwd=project,
            check=True,
        )
    return project, environ


def measured(rounds: int) -> dict[str, float]:
    """The fastest run of each command, in seconds."""
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="hookkit-bench-") as work:
        project, environ = prepared(Path(work))
        lines = {BARE: [sys.executable, "-c", "pass"]}
        lines |= {words: ["/bin/sh", "-c", f'exec "$0" {words}', HOOKKIT] for words in ROWS}
        for number in range(rounds + 1):
            for name, line in lines.items():
                start = time.perf_counter()
                done = subprocess.run(line, cwd=project, env=environ, capture_output=True, check=False)
                took = time.perf_counter() - start
                if done.returncode not in (0, 1) or b"Traceback" in done.stderr:
                    sys.exit(f"hookkit {name}: exit {done.returncode}: {done.stderr.decode()}")
                if number:  # the first round fills caches
                    best[name] = min(best.get(name, took), took)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--check", action="store_true", help="exit 1 if a command is over its target")
    options = parser.parse_args()
    best = measured(options.rounds)
    slow = []
    print(f"{BARE}: {best[BARE] * 1000:.1f} ms\n\n| hookkit … | ratio to bare Python | target |\n|---|--:|--:|")
    for words, target in ROWS.items():
        ratio = best[words] / best[BARE]
        slow += [words] if ratio > target else []
        print(f"| `{words.replace('|', chr(92) + '|')}` | {ratio:.1f} | {target:g} |")
    if slow:
        print(f"\nover the target: {', '.join(slow)}")
    sys.exit(1 if slow and options.check else 0)


if __name__ == "__main__":
    main()
