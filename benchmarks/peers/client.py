"""The baseline: Claude Code's own permission rules, measured with the real client and without any hook.

A scripted model asks for one command after another. In `-p` mode the client denies each call that it would ask a person
about, and lists it in `permission_denials`. A command that passes must not run: inside the client's namespaces every
shell is replaced by a stand-in that exits with 0, and a canary proves it before the first dangerous command.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from peers.adapters import FAILED, Contestant, npm_version

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.realclient import harness  # noqa: E402 - the tests' own way to run the client

BATCH = 60  # commands in a session: each request repeats the whole conversation
SECONDS = 300
CANARIES = ("touch canary", "echo x > canary")
# Mounts the stand-in over every shell of this machine, for the client alone; ends with an error where it cannot.
WALL = """
stand_in=$1; mount=$2; shift 2
for shell in /bin/*sh /usr/bin/*sh /usr/local/bin/*sh; do
    case ${shell##*/} in sh|ash|bash|dash|fish|ksh|mksh|rbash|zsh) "$mount" --bind "$stand_in" "$shell" ;; esac
done
ulimit -c 0; ulimit -f 400000; ulimit -t 300
exec "$@"
"""


class Client(Contestant):
    """The client with one list of allow rules. It has no latency to show: nothing is started for a call."""

    def __init__(self, name: str, allow: list[str]) -> None:
        self.program = find_client()
        super().__init__(name, npm_version(Path(self.program).resolve().parent), [self.program])
        self.allow = allow

    def missing(self) -> str:
        if not self.program:
            return "not installed: run scripts/install-client, or set HOOKKIT_CLIENT"
        return "" if shutil.which("unshare") else "the unshare command is missing (util-linux, Linux only)"

    def ask_all(self, commands: list[str]) -> None:
        self.prove_harmless()
        self.permit(self.allow)
        for start in range(0, len(commands), BATCH):
            self.answers += self.session(commands[start : start + BATCH])

    def prove_harmless(self) -> None:
        """Files that permitted commands would make must not appear. A canary that was stopped proves nothing."""
        self.permit(["Bash"])
        answers = self.session(list(CANARIES))
        if any(answers):
            raise RuntimeError(f"the client did not let the canaries pass: {answers}")
        if list(self.home.rglob("canary")):
            raise RuntimeError(f"a permitted command really ran in {self.home}: the client has another shell")

    def permit(self, allow: list[str]) -> None:
        settings = {"permissions": {"allow": allow, "defaultMode": "default"}}
        harness.write(self.home / "config" / "settings.json", json.dumps(settings))

    def session(self, commands: list[str]) -> list[str]:
        turns = [harness.bash(command, description="Do what was asked") for command in commands]
        script = harness.write(self.home / "script.json", json.dumps([*turns, "done"]))
        talk = [self.program, "-p", "go", "--output-format", "stream-json", "--verbose"]
        try:
            done = subprocess.run(
                self.walled(sys.executable, str(harness.STUB), str(script), os.devnull, *talk),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                cwd=self.home / "shop",
                env=self.walled_environ(),
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return [FAILED] * len(commands)
        answers = list(verdicts([json.loads(line) for line in done.stdout.splitlines()]))
        return answers + [FAILED] * (len(commands) - len(answers))

    def walled_environ(self) -> dict[str, str]:
        """The search path holds the stand-in and nothing else."""
        shell = self.stand_in()
        return harness.environment(self.home) | {"PATH": str(shell.parent), "SHELL": str(shell)}

    def walled(self, *command: str) -> list[str]:
        unshare, *options = harness.walled()
        tools = [str(shutil.which(name)) for name in (unshare, "sh", "mount")]
        return [tools[0], *options, tools[1], "-ec", WALL, "wall", str(self.stand_in()), tools[2], *command]

    def stand_in(self) -> Path:
        """A program named bash that ignores its arguments; `true` by its path, as it may be one of many in a file."""
        shell = self.home / "bin" / "bash"
        if not shell.exists():
            harness.write(shell, f"#!{shutil.which('true')}\n").chmod(0o755)
        return shell


def verdicts(stream: list[dict[str, Any]]) -> Iterator[str]:
    """One answer a tool call, in order. The denials come at the end: without that end nothing is known."""
    blocks = [
        block
        for row in stream
        if row["type"] in ("assistant", "user") and isinstance(row["message"]["content"], list)
        for block in row["message"]["content"]
    ]
    passed = {block["tool_use_id"] for block in blocks if block["type"] == "tool_result" and not block.get("is_error")}
    ends = [row for row in stream if row["type"] == "result"]
    stopped = {denial["tool_use_id"] for row in ends for denial in row["permission_denials"]}
    for block in blocks if ends else ():
        if block["type"] == "tool_use":
            yield "ask" if block["id"] in stopped else "" if block["id"] in passed else FAILED


def find_client() -> str:
    """The program, or nothing."""
    named = os.environ.get("HOOKKIT_CLIENT")
    if named:
        return shutil.which(named) or ""
    installed = sorted((ROOT / ".client" / "node_modules" / "@anthropic-ai").glob("claude-code-*/claude"))
    return str(installed[0]) if installed else ""


def baselines() -> list[Client]:
    return [Client("Claude Code, default mode", []), Client("Claude Code, Bash allowed", ["Bash"])]
