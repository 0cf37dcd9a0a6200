"""How much longer a tool call of the real client takes with hooks, by their wiring: one table from one run.

    python benchmarks/warm_client.py [--rounds 5] [--calls 20] [--only NAME …] [--check]

`init` and `init --cold` are what `hookkit init` writes, with and without the server. The other wirings stand on
PreToolUse, PostToolUse and PostToolBatch alike; the `mcp_tool` hook asks a server that answers at once. A round plays
one session for each wiring, so that a busy moment hits all. Needs the client (scripts/install-client) and runs it
offline, in namespaces of its own. The median of all calls counts. `--check` exits 1 if a wiring costs more than its
limit.
"""

import argparse
import itertools
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.realclient import harness, servers  # noqa: E402 - the tests' own way to run the client

EVENTS = ("PreToolUse", "PostToolUse", "PostToolBatch")
PORT, TOKEN = 45_999, "ab" * 24
SERVE = {"type": "command", "command": f"hookkit serve --start --port {PORT}", "timeout": 60}
HTTP = {
    "type": "http",
    "url": f"http://127.0.0.1:{PORT}/hooks/run",
    "headers": {"Authorization": f"Bearer {TOKEN}"},
}
WIRINGS: dict[str, dict[str, Any] | str | None] = {
    "no hooks": None,
    "true": {"type": "command", "command": "true"},
    "init": "--warm",
    "init --cold": "--cold",
    "hookkit-hook run": {"type": "command", "command": "hookkit-hook", "args": ["run"]},
    "http hook": HTTP,
    "mcp_tool hook": {"type": "mcp_tool", "server": "s", "tool": "query", "input": {"call": "${tool_input}"}},
    "hookkit run": {"type": "command", "command": "hookkit run"},
}
LIMITS = {"init": 1.3, "init --cold": 3.0}  # times what `true` adds


def session(client: Path, wiring: dict[str, Any] | str | None, calls: int) -> list[float]:
    """Milliseconds of each tool call of a session."""
    with tempfile.TemporaryDirectory() as name:
        project = Path(name) / "project"
        project.mkdir()
        (project / ".git").mkdir()
        hooks = {event: [{"hooks": [wiring]}] for event in EVENTS} if isinstance(wiring, dict) else {}
        hooks |= {"SessionStart": [{"hooks": [SERVE]}]}
        harness.write(project / ".claude" / "settings.json", json.dumps({"hooks": hooks}))
        state = harness.home_of(project) / ".local" / "state" / "hookkit" / "serve"
        for place in (state.parent, state):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        harness.write(state / "token", f"{TOKEN}\n").chmod(0o600)
        harness.write(state / "closed", "").chmod(0o600)  # else the server takes a new token
        if isinstance(wiring, str):
            done = harness.person(project, "init", "--agent", "claude", "--yes", wiring)
            assert done.returncode == 0, done.stderr
        turns = [{"name": "Bash", "input": {"command": f"echo {n}", "description": "x"}} for n in range(calls)]
        stage = harness.set_stage(project, [*turns, "done"])
        flags: tuple[str, ...] = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
        server = {"command": sys.executable, "args": [servers.__file__, "mcp", ""]}
        config = harness.write(project.parent / "mcp.json", json.dumps({"mcpServers": {"s": server}}))
        flags += ("--mcp-config", str(config)) if isinstance(wiring, dict) and wiring["type"] == "mcp_tool" else ()
        command = stage.command(client, "-p", *flags, "--allowedTools", "Bash")
        with Popen(command, cwd=project, env=stage.env, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True) as process:
            times = [time.perf_counter() for row in harness.converse(process, ["go"]) if is_result(row)]
        return [1000 * (later - time) for time, later in itertools.pairwise(times)]


def is_result(row: dict[str, Any]) -> bool:
    """Whether the row brings the result of a tool."""
    return row["type"] == "user" and "tool_result" in json.dumps(row)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=20)
    parser.add_argument("--only", nargs="+", choices=[*WIRINGS], default=[*WIRINGS], metavar="NAME")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    client = sorted((ROOT / ".client" / "node_modules" / "@anthropic-ai").glob("claude-code-*/claude"))
    if not client:
        sys.exit("the client is not installed: run scripts/install-client")
    times: dict[str, list[float]] = {name: [] for name in WIRINGS if name in ("no hooks", "true", *given.only)}
    for _ in range(given.rounds):
        for name in times:
            times[name] += session(client[0], WIRINGS[name], given.calls)
    median = {name: statistics.median(taken) for name, taken in times.items()}
    bare, least = median["no hooks"], median["true"] - median["no hooks"]
    print(f"{'':20} {'a call, ms':>10} {'longer by':>10} {'to true':>8}")
    for name, taken in median.items():
        ratio = f"{(taken - bare) / least:8.2f}" if name != "no hooks" and least > 0 else ""
        print(f"{name:20} {taken:10.1f} {taken - bare:10.1f} {ratio}")
    dear = [name for name, most in LIMITS.items() if name in median and median[name] - bare > most * least]
    sys.exit(f"above its limit: {', '.join(dear)}" if given.check and dear else 0)


if __name__ == "__main__":
    main()
