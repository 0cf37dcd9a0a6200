"""What a hook costs, cold, as a ratio to a bare interpreter: one table from one run.

    python benchmarks/hot_path.py [--rounds 60] [--check]

Rounds are interleaved, so that a busy moment hits every row; the ratio is that of the fastest runs, beside that of the
medians. Run it with the interpreter of the environment in which hookkit is installed. `--check` exits 1 over a target.
"""

import argparse
import compileall
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import hookkit
from hookkit.agents.wiring import launcher

BIN = Path(sys.executable).parent
HOOKKIT = str(BIN / "hookkit")
WIRED = [launcher.find().interpreter, "-IS", launcher.find().program]  # as the launcher script starts it
BARE = "bare python -c pass"
BASH = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "permission_mode": "default", "tool_use_id": "toolu_01"}
PROMPT = {"hook_event_name": "UserPromptSubmit", "permission_mode": "default"}

# The same job by the means of today: print nothing unless the command is pytest.
JQ = (
    'command=$(jq -r ".tool_input.command // empty"); case $command in pytest*) '
    'printf \'{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"make test"}}}\';; esac'
)
UV = """# /// script
# requires-python = ">=3.10"
# dependencies = []
# ///
import json, sys
command = json.load(sys.stdin)["tool_input"]["command"]
if command.startswith("pytest"):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "make test"}}}))
"""
NODE = """let raw = "";
process.stdin.on("data", (chunk) => (raw += chunk)).on("end", () => {
  const own = {hookEventName: "PreToolUse", updatedInput: {command: "make test"}};
  if (JSON.parse(raw).tool_input.command.startsWith("pytest")) console.log(JSON.stringify({hookSpecificOutput: own}));
});
"""


class Row:
    """One command line on one event; `target` is the ratio that it must hold."""

    def __init__(
        self, name: str, command: list[str], event: dict[str, Any], target: float | None, *, acts: bool
    ) -> None:
        self.name = name
        self.command = command
        self.event = event
        self.target = target
        self.acts = acts
        self.times: list[float] = []

    def run(self, project: Path, environ: dict[str, str]) -> None:
        raw = json.dumps({"session_id": "bench", "cwd": str(project), **self.event}).encode()
        start = time.perf_counter()
        done = subprocess.run(self.command, input=raw, stdout=subprocess.PIPE, cwd=project, env=environ, check=True)
        self.times.append(time.perf_counter() - start)
        if bool(done.stdout.strip()) != self.acts:
            sys.exit(f"{self.name}: expected {'a reply' if self.acts else 'nothing'}, got {done.stdout!r}")


def rows(work: Path) -> list[Row]:
    git = {**BASH, "tool_input": {"command": "git status --short", "description": "Show the working tree"}}
    pytest = {**BASH, "tool_input": {"command": "cd api && pytest -q 2>&1 | tail -20", "timeout": 60000}}
    plain = {**BASH, "tool_input": {"command": "pytest -q", "timeout": 60000}}
    hook = [
        Row(BARE, [sys.executable, "-c", "pass"], git, None, acts=False),
        Row("redirect, an unrelated command", [HOOKKIT, "redirect"], git, 1.25, acts=False),
        Row("redirect, a rewrite", [HOOKKIT, "redirect"], pytest, 1.8, acts=True),
        Row("nudge, nothing to say", [HOOKKIT, "nudge"], {**PROMPT, "prompt": "what does this do?"}, None, acts=False),
        Row("nudge, an exact keyword", [HOOKKIT, "nudge"], {**PROMPT, "prompt": "improve it"}, 1.8, acts=True),
        Row("nudge, a typing mistake", [HOOKKIT, "nudge"], {**PROMPT, "prompt": "imporve it"}, 4.0, acts=True),
        Row("local, already injected", [HOOKKIT, "local"], {**PROMPT, "prompt": "go on then"}, 1.6, acts=False),
        Row("local, first prompt", [HOOKKIT, "local"], {**PROMPT, "prompt": "go", "session_id": ""}, None, acts=True),
        Row("restore, nothing to restore", [HOOKKIT, "restore"],
            {"hook_event_name": "SessionStart", "source": "resume"}, None, acts=False),
        Row("learn, no transcript", [HOOKKIT, "learn"], {"hook_event_name": "SessionEnd"}, None, acts=False),
        Row("guard, an everyday command", [HOOKKIT, "guard"], git, None, acts=False),
        Row("guard, a line to look into", [HOOKKIT, "guard"], pytest, 1.8, acts=False),
        Row("guard, a deny", [HOOKKIT, "guard"], {**BASH, "tool_input": {"command": "cd x && sudo rm -rf /"}}, 1.8,
            acts=True),
        Row("run, an unrelated command", [HOOKKIT, "run"], git, None, acts=False),
        Row("run, a rewrite", [HOOKKIT, "run"], pytest, None, acts=True),
        Row("guard, as init wires it, an everyday command", [*WIRED, "guard"], git, None, acts=False),
        Row("run, as init wires it, an unrelated command", [*WIRED, "run"], git, None, acts=False),
        Row("run, a prompt", [HOOKKIT, "run"], {**PROMPT, "prompt": "what does this do?"}, None, acts=False),
    ]  # fmt: skip
    (work / "hook.py").write_text(UV)
    (work / "hook.js").write_text(NODE)
    uv = shutil.which("uv", path=f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}")
    peers = [
        ("bash + jq", shutil.which("jq") and ["bash", "-c", JQ]),
        ("uv run --script", uv and [uv, "run", "--offline", "--quiet", "--script", str(work / "hook.py")]),
        ("node", shutil.which("node") and ["node", str(work / "hook.js")]),
    ]
    for name, command in peers:
        if command:
            hook.append(Row(f"{name}, an unrelated command", command, git, None, acts=False))
            hook.append(Row(f"{name}, a rewrite", command, plain, None, acts=True))
        else:
            print(f"{name}: not on this machine, left out", file=sys.stderr)
    return hook


def prepare(work: Path) -> tuple[Path, dict[str, str]]:
    """A small repository and a home of its own; byte code cached, as an installer leaves it."""
    project = work / "shop"
    (project / "api").mkdir(parents=True)
    (project / ".git").mkdir()
    (project / "LOCAL.md").write_text("The shop runs on port 8080 here.\n")
    (project / "api" / "Makefile").write_text("test:\n\tpytest\n")
    (project / "Makefile").write_text("test:\n\tpytest\n")
    state = project / ".claude" / "tmp" / "local-bench"
    state.parent.mkdir(parents=True)
    state.touch()
    compileall.compile_dir(Path(hookkit.__file__).parent, quiet=1)
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "CLAUDE", "NODE_"))}
    return project, {**environ, "HOME": str(work), "UV_CACHE_DIR": str(work / "uv")}


def main() -> int:
    parser = argparse.ArgumentParser(description="What a hook costs, cold.")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--check", action="store_true", help="exit 1 if a target does not hold")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name).resolve()
        project, environ = prepare(work)
        table = rows(work)
        for row in table:  # once for the file cache, and for uv to make its environment
            row.run(project, environ)
            row.times.clear()
        for _ in range(options.rounds):
            for row in table:
                row.run(project, environ)
    return report(table, check=options.check)


def report(table: list[Row], *, check: bool) -> int:
    bare = next(row for row in table if row.name == BARE)
    print(f"python {sys.version.split()[0]}, {len(bare.times)} rounds, ms and ratios to {BARE!r}\n")
    print("| | min | median | ratio of mins | ratio of medians | target |\n|---|---:|---:|---:|---:|---:|")
    missed = []
    for row in table:
        low, middle = min(row.times), statistics.median(row.times)
        ratio, medians = low / min(bare.times), middle / statistics.median(bare.times)
        target = f"≤ {row.target}" if row.target else ""
        print(f"| {row.name} | {low * 1e3:.1f} | {middle * 1e3:.1f} | {ratio:.2f} | {medians:.2f} | {target} |")
        if row.target and min(ratio, medians) > row.target:  # on a busy machine one of the two is off, never below
            missed.append(row.name)
    for name in missed:
        print(f"over its target: {name}", file=sys.stderr)
    return 1 if check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
