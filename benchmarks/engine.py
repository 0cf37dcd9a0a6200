"""What the user's own handlers cost: side by side, as functions, and not at all without rows.

    python benchmarks/engine.py [--quick] [--check]

`parallel`: `hookkit run` with 1, 10 and 50 command handlers side by side, over the slowest of them alone. `inline`: a
function in a warm process, in sequence and side by side. `idle`: `hookkit run` without rows, beside the same with a row
for another event. `files`: `hookkit suggest-files` in a repository of 100,000 files, with its list kept; the CPU time
beside it tells a busy machine from a slow program. `--check` exits 1 over a target. Run it with the interpreter of the
environment in which hookkit is installed.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

HOOKKIT = str(Path(sys.executable).parent / "hookkit")
SLOWEST = 1.0  # seconds of the slowest handler
MOST_PARALLEL, MOST_INLINE, MOST_FILES = 1.2, 0.1, 150  # times the slowest handler; ms; ms
ROW = '[[hooks]]\nevent = "{event}"\nname = "{name}"\nmode = "{mode}"\n[hooks.{kind}]\n{body}\n'


def rows(count: int, event: str = "PreToolUse") -> str:
    """Handlers that take from a tenth of the slowest time to all of it; none is the same program as another."""
    times = [SLOWEST * (number + 1) / count for number in range(count)]
    bodies = [f'command = "sleep {seconds:.3f}; : {number}"' for number, seconds in enumerate(times)]
    named = ((f"h{number}", body) for number, body in enumerate(bodies))
    return "".join(
        ROW.format(event=event, name=name, mode="parallel", kind="command", body=body) for name, body in named
    )


def call(home: Path, settings: str, rounds: int) -> tuple[float, float]:
    """The median time of `hookkit run` in seconds, and the peak memory of its process in MB."""
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(settings)
    event = {"hook_event_name": "PreToolUse", "session_id": "b", "cwd": str(home / "project"), "tool_name": "Bash",
             "tool_input": {"command": "git status"}, "tool_use_id": "t"}  # fmt: skip
    environ = {**os.environ, "HOME": str(home)}
    times = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        subprocess.run([HOOKKIT, "run"], input=json.dumps(event).encode(), env=environ, check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return median(times[1:]), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def inline(home: Path, rounds: int, mode: str) -> float:
    """Milliseconds of one function in a warm process: fifty functions less none, over fifty."""
    from hookkit.handlers.answer import answer
    from hookkit.model import Event
    from hookkit.settings import layers

    environ = {**os.environ, "HOME": str(home)}
    directory = home / ".config" / "hookkit"
    names = [f"f{number}" for number in range(50)]
    (directory / "checks.py").write_text("".join(f"def {name}(event):\n    return None\n" for name in names))
    bodies = {name: f'function = "checks.py:{name}"' for name in names}
    fields = {"event": "PreToolUse", "mode": mode, "kind": "inline"}
    text = "".join(ROW.format(name=name, body=body, **fields) for name, body in bodies.items())
    (directory / "hookkit.toml").write_text(text)
    settings = layers.load(str(home / "project"), environ)
    event = Event("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "session_id": "b"})
    times = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        answer(event, settings, settings.values["hooks"])
        times.append((time.perf_counter() - began) * 1000 / len(names))
    return min(times[1:])


QUERIES = ("", "c", "component_17_3", "comp17", "compnent_17", "qqq")  # all, most, one, in order, misspelt, none


def files(home: Path, rounds: int) -> dict[str, tuple[float, float]]:
    """Milliseconds and milliseconds of CPU of each query, the least of all rounds."""
    project = home / "many"
    for number in range(500):
        folder = project / "packages" / f"part{number % 50}" / "src" / f"module{number}"
        folder.mkdir(parents=True)
        for each in range(200):
            (folder / f"component_{each}_{number}.ts").touch()
    environ = {**os.environ, "HOME": str(home)}
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=project, env=environ, check=True)
    found: dict[str, tuple[float, float]] = {}
    for _ in range(rounds + 1):  # the first round makes the list
        for query in QUERIES:
            asked = json.dumps({"query": query, "cwd": str(project)}).encode()
            before, began = cpu(), time.perf_counter()
            subprocess.run([HOOKKIT, "suggest-files"], input=asked, env=environ, check=True, capture_output=True)
            spent = ((time.perf_counter() - began) * 1000, cpu() - before)
            least = found.get(query, spent)
            found[query] = (min(spent[0], least[0]), min(spent[1], least[1]))
    return found


def cpu() -> float:
    """Milliseconds of CPU of all children so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description="What the user's own handlers cost.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--check", action="store_true", help="exit 1 if a target does not hold")
    options = parser.parse_args()
    missed = []
    print(f"python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "project" / ".git").mkdir(parents=True)  # a home inside the project would not count
        rounds = 3 if options.quick else 10
        for count in (1, 10, 50):
            seconds, memory = call(home, rows(count), rounds)
            ratio = seconds / SLOWEST
            print(f"parallel {count:3}: {seconds:.3f} s, {ratio:.2f} x the slowest, {memory:.0f} MB")
            missed += [f"parallel {count}"] if ratio > MOST_PARALLEL else []
        none, _ = call(home, "", rounds * 3)
        other, _ = call(home, rows(1, "Stop"), rounds * 3)
        print(f"idle: {none * 1000:.1f} ms without rows, {other * 1000:.1f} ms with a row for another event")
        for mode in ("sequence", "parallel"):
            each = inline(home, rounds * 10, mode)
            print(f"inline, {mode}: {each:.3f} ms each")
            missed += [f"inline {mode}"] if each > MOST_INLINE else []
        times = files(home, rounds)
        print("files: " + ", ".join(f"{query!r} {ms:.0f} ms ({used:.0f} CPU)" for query, (ms, used) in times.items()))
        missed += [f"files {query!r}" for query, (ms, _) in times.items() if ms > MOST_FILES]
    print(f"over the target: {', '.join(missed) or 'nothing'}")
    return 1 if missed and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
