"""What `undo.enabled` adds to a tool call, in milliseconds, and what a restore takes.

    python benchmarks/undo.py [--rounds N] [--files N]

Each call is a process of its own, `hookkit run` before a tool, in a repository with N files; with undo and without, in
turns. The least and the median of the rounds, CPU and wall: on a busy machine only the least CPU time means something.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HOOKKIT = str(Path(sys.executable).parent / "hookkit")
# The calls, from one that changes nothing to one whose files only git can tell.
CALLS = {
    "ls -la": "reads",
    "rm src/0/1.txt": "deletes a file of 4 KB",
    "echo x > notes.md": "writes a new file",
    "rm -rf src/1": "deletes 100 files",
    "git reset --hard": "throws 20 changed files away",
}


def repository(place: Path, count: int) -> Path:
    project = place / "project"
    for number in range(count):
        path = project / "src" / str(number // 100) / f"{number % 100}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{number}\n" * 500)
    me = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q"], ["add", "-A"], [*me, "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=project, check=True)
    for number in range(20):
        (project / "src/0" / f"{number}.txt").write_text("changed\n")
    return project


def home(place: Path, *, undo: bool) -> dict[str, str]:
    directory = place / f"home-{undo}"
    settings = directory / ".config/hookkit/hookkit.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"[undo]\nenabled = {str(undo).lower()}\n")
    return {"HOME": str(directory), "PATH": os.environ["PATH"]}


def children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(words: list[str], project: Path, environ: dict[str, str], raw: bytes = b"") -> tuple[float, float]:
    """CPU and wall milliseconds of a process and its children."""
    start, before = time.perf_counter(), children()
    subprocess.run(words, input=raw, cwd=project, env=environ, check=True, capture_output=True)
    return (children() - before) * 1000, (time.perf_counter() - start) * 1000


def ask(command: str, project: Path, environ: dict[str, str]) -> tuple[float, float]:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command},
             "cwd": str(project), "session_id": "bench", "tool_use_id": "t1"}  # fmt: skip
    return run([HOOKKIT, "run"], project, environ, json.dumps(event).encode())


def row(name: str, off: list[tuple[float, float]], on: list[tuple[float, float]]) -> str:
    cells = []
    for at in (0, 1):  # CPU, wall
        least = min(one[at] for one in on) - min(one[at] for one in off)
        middle = statistics.median(one[at] for one in on) - statistics.median(one[at] for one in off)
        cells += [f"{least:.1f}", f"{middle:.1f}"]
    return f"| {name} | {' | '.join(cells)} |"


def main() -> int:
    parser = argparse.ArgumentParser(description="What undo adds to a tool call.")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--files", type=int, default=2_000, help="files of the repository")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.home()) as name:
        place = Path(name).resolve()
        project = repository(place, options.files)
        off, on = home(place, undo=False), home(place, undo=True)
        print(f"A repository of {options.files} files, {options.rounds} rounds. Added by undo, in ms:\n")
        print("| call | CPU, least | CPU, median | wall, least | wall, median |\n|---|--:|--:|--:|--:|")
        for command, about in CALLS.items():
            both: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
            for _ in range(options.rounds):
                for times, environ in zip(both, (off, on), strict=True):
                    times.append(ask(command, project, environ))
            print(row(f"`{command}`, {about}", *both), flush=True)
        restored(project, on, options.rounds)
    return 0


def restored(project: Path, environ: dict[str, str], rounds: int) -> None:
    """The time of `hookkit undo ID` after `rm -rf` of a directory with 100 files."""
    times = []
    for _ in range(min(rounds, 5)):
        ask("rm -rf src/1", project, environ)
        listed = subprocess.run(
            [HOOKKIT, "undo", "-o", "json"], cwd=project, env=environ, check=True, capture_output=True
        )
        shutil.rmtree(project / "src/1")
        times.append(run([HOOKKIT, "undo", json.loads(listed.stdout)[0]["id"]], project, environ))
        assert len(list((project / "src/1").iterdir())) == 100
    print(f"\n`hookkit undo ID`, 100 files: CPU {min(times)[0]:.0f} ms, wall {min(one[1] for one in times):.0f} ms")


if __name__ == "__main__":
    sys.exit(main())
