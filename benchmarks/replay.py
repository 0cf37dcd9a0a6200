"""How fast `hookkit replay` is: calls a second of one core, for the whole command as a user runs it.

    python benchmarks/replay.py COMMANDS [--rounds 3] [--check]

COMMANDS is a file of JSON lines with a `command` each, and perhaps a `session` (.gz too). They become transcripts of
Claude Code in a home of their own, with texts and results between the calls: once with the commands alone, once with
calls of Read, Edit and Grep between them. The CPU time is that of the process, start included; the fastest round
counts. `--check` exits 1 under the target.
"""

import argparse
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HOOKKIT = str(Path(sys.executable).parent / "hookkit")
TARGET = 3_000  # calls a second
PROJECTS = 8
SESSION = 40  # calls of a session, where the file names none
FOLDERS = ("src", "src/core", "tests", "docs")
NAMES = ("models", "views", "utils", "parser", "api", "config", "test_models", "test_api")
WORDS = "the value of each row is read once and kept for the next call where nothing changed in between".split()


def sessions(path: Path) -> dict[str, list[str]]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    found: dict[str, list[str]] = {}
    for number, line in enumerate(line for line in data.splitlines() if line.strip()):
        row = json.loads(line)
        found.setdefault(str(row.get("session", number // SESSION)), []).append(row["command"])
    return found


def file_call(project: Path, chance: random.Random) -> tuple[str, dict[str, Any]]:
    path = str(project / chance.choice(FOLDERS) / f"{chance.choice(NAMES)}.py")
    tool = chance.choice(("Read", "Read", "Edit", "Grep"))
    if tool == "Read":
        return tool, {"file_path": path, "offset": chance.randrange(400), "limit": 120}
    if tool == "Grep":
        pattern = f"def {chance.choice(NAMES)}_{chance.randrange(50)}"
        return tool, {"pattern": pattern, "path": str(project / chance.choice(FOLDERS)), "output_mode": "content"}
    old = prose(chance, 30)
    return tool, {"file_path": path, "old_string": old, "new_string": f"{old}\n    return {chance.randrange(99)}"}


def prose(chance: random.Random, count: int) -> str:
    return " ".join(chance.choices(WORDS, k=count))


def entries(commands: list[str], project: Path, session: str, *, mixed: bool) -> Iterator[dict[str, Any]]:
    """A prompt, then for each call a text, the call and its result, as the client writes them."""
    chance = random.Random(session)
    shared = {
        "cwd": str(project),
        "sessionId": session,
        "version": "2.1.0",
        "isSidechain": False,
        "userType": "external",
    }
    yield {"type": "user", "message": {"role": "user", "content": prose(chance, 80)}, **shared}
    calls: list[tuple[str, dict[str, Any]]] = []
    for command in commands:
        calls += [file_call(project, chance)] if mixed and chance.random() < 0.5 else []
        calls.append(("Bash", {"command": command, "description": prose(chance, 6)}))
    for number, (tool, given) in enumerate(calls):
        id_ = f"toolu_{session}_{number}"
        use = {"type": "tool_use", "id": id_, "name": tool, "input": given}
        usage = {"input_tokens": 4, "cache_read_input_tokens": 9_000, "output_tokens": 200}
        stamp = {
            "timestamp": f"2026-01-02T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000Z",
            **shared,
        }
        for block in ({"type": "text", "text": prose(chance, 25)}, use):
            yield {"type": "assistant", "message": {"role": "assistant", "content": [block], "usage": usage}, **stamp}
        text = "\n".join(prose(chance, 12) for _ in range(chance.randrange(1, 40)))
        result = {"type": "tool_result", "tool_use_id": id_, "content": text}
        more = {"toolUseResult": {"stdout": text, "stderr": "", "interrupted": False}}
        yield {"type": "user", "message": {"role": "user", "content": [result]}, **more, **stamp}


def build(place: Path, known: dict[str, list[str]], *, mixed: bool) -> int:
    """The projects and a transcript of each session; the size in bytes."""
    for number in range(PROJECTS):
        for folder in FOLDERS:
            (place / f"project{number}" / folder).mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "-q", str(place / f"project{number}")], check=True)
    size = 0
    for number, (name, commands) in enumerate(known.items()):
        project = place / f"project{number % PROJECTS}"
        path = place / "transcripts" / project.name / f"{number}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in entries(commands, project, name, mixed=mixed)))
        size += path.stat().st_size
    return size


def measure(place: Path) -> tuple[int, float]:
    """The calls of one replay, and its CPU seconds."""
    environ = {"HOME": str(place / "home"), "PATH": os.environ["PATH"]}
    with open(place / "report.json", "wb") as report:
        done = subprocess.Popen(
            [HOOKKIT, "replay", str(place / "transcripts"), "-o", "json"], stdout=report, env=environ, cwd=place
        )
        _, status, used = os.wait4(done.pid, 0)
    done.returncode = os.waitstatus_to_exitcode(status)
    if done.returncode:
        sys.exit(f"hookkit replay exited with {done.returncode}")
    return json.loads((place / "report.json").read_text())["calls"], used.ru_utime + used.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description="How many calls a second `hookkit replay` judges on one core.")
    parser.add_argument("commands", type=Path, metavar="COMMANDS")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true", help=f"exit 1 under {TARGET:,} calls a second")
    options = parser.parse_args()
    known = sessions(options.commands)
    slow = False
    print("| transcripts | sessions | calls | MB | CPU seconds | calls a CPU second |\n|---|--:|--:|--:|--:|--:|")
    for title, mixed in (("commands", False), ("commands, and tools for files", True)):
        with tempfile.TemporaryDirectory(dir=Path.home(), prefix="replay-") as name:
            place = Path(name).resolve()
            (place / "home").mkdir()
            size = build(place, known, mixed=mixed)
            calls, seconds = min((measure(place) for _ in range(options.rounds)), key=lambda found: found[1])
        speed = calls / seconds
        slow = slow or speed < TARGET
        print(f"| {title} | {len(known)} | {calls} | {size / 1e6:.0f} | {seconds:.2f} | {speed:,.0f} |", flush=True)
    if slow:
        print(f"under its target: {TARGET:,} calls a second", file=sys.stderr)
    return 1 if options.check and slow else 0


if __name__ == "__main__":
    sys.exit(main())
