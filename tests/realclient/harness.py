"""Drive the real client offline and report what its hooks answered and what the model was sent.

One call of `run_client` is one session, with nobody at a terminal (that is `terminal`): the client runs in a fresh
network, process and mount namespace with nothing but a loopback, a scrubbed environment and a home of its own. When
its first process ends, the kernel ends every other process in there, and no process outside is ever touched.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from hookkit.system import error_log
from tests.conftest import PERSON

STUB = Path(__file__).with_name("stub.py")
SECONDS = 45
# What the client's debug log says of hooks; stream-json leaves out PreCompact and SessionEnd.
FINISHED = re.compile(r"\[DEBUG\] (?:Hooks: )?(\w+)(?::\S+)? \[.*\] (?:finished|completed) with status ")
LEFT = "[REPL:unmount]"
OVERTAKEN = re.compile(r"Hooks: PermissionRequest:\w+ \[.*\] cancelled")
TROUBLE = re.compile(
    r"\] (?:finished|completed) with status [1-9]|\] (?:cancelled|timed out)|\] failed to run"
    r"|Hook JSON output validation failed|Hook output starts with { but is not|\[ERROR\].*\bhook\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Request:
    """One request to the model: ``said`` in the conversation, and ``added`` to it by the client or a hook."""

    kind: str
    said: str
    added: str
    tool_results: list[tuple[str, bool]]


@dataclass(frozen=True)
class Run:
    """What one session left behind, seen from both of the client's sides."""

    exit_code: int
    stderr: str
    home: Path
    stream: list[dict[str, Any]]
    requests: list[Request]
    debug: list[str]

    @property
    def config(self) -> Path:
        return self.home / "config"

    def prompts(self) -> list[Request]:
        return [request for request in self.requests if request.kind == "conversation"]

    def summaries(self) -> list[Request]:
        return [request for request in self.requests if request.kind == "summary"]

    def replies(self, hook: str) -> list[dict[str, Any]]:
        """The JSON replies of a hook (`PreToolUse:Bash`), as the client took them."""
        reports = (row for row in self.stream if row.get("subtype") == "hook_response")
        return [json.loads(row["stdout"]) for row in reports if row["hook_name"] == hook and row["stdout"]]

    def fired(self) -> list[str]:
        """The events whose hook commands ran to their end, in order."""
        return [found[1] for line in self.debug if (found := FINISHED.search(line))]

    def hook_trouble(self) -> list[str]:
        """Every complaint of the client about a hook: a status, a timeout, a reply it would not take.

        Whoever answers the dialog before its hook does, or leaves while a Stop hook runs, has the hook ended by the
        client: no complaint.
        """
        left = next((at for at, line in enumerate(self.debug) if LEFT in line), len(self.debug))
        lines = [line for at, line in enumerate(self.debug) if at < left or "Stop" not in line]
        return [line for line in lines if TROUBLE.search(line) and not OVERTAKEN.search(line)]

    def swallowed(self) -> list[str]:
        """The errors that hookkit kept from the client: a hook that fails open looks healthy from outside."""
        return lines(Path(error_log.path({"HOME": str(self.home)})))

    def faults(self) -> list[str]:
        """Everything that went wrong with a hook, whoever noticed."""
        ended = [] if self.exit_code == 0 else [f"the client exited with {self.exit_code}"]
        return ended + self.stderr.splitlines() + self.hook_trouble() + self.swallowed()


def bash(command: str, **fields: object) -> dict[str, Any]:
    """A turn in which the model calls Bash."""
    return {"name": "Bash", "input": {"command": command, **fields}}


def use(tool: str, **given: object) -> dict[str, Any]:
    """A turn in which the model calls a tool."""
    return {"name": tool, "input": given}


def inside(turn: Any) -> dict[str, Any]:
    """A turn of a sub-agent."""
    return {"inside": turn}


def wire(project: Path, **commands: str) -> None:
    """Give the project one hook command an event: ``wire(project, Stop="hookkit run")``."""
    hooks = {event: [{"hooks": [{"type": "command", "command": text}]}] for event, text in commands.items()}
    write(project / ".claude" / "settings.json", json.dumps({"hooks": hooks}))


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def walled(*command: str) -> list[str]:
    """The command line that runs a command in namespaces of its own; only root needs no user namespace."""
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", *user, "--net", "--pid", "--mount", "--fork", "--mount-proc", "--kill-child", *command]


def home_of(project: Path) -> Path:
    """The throw-away home stands beside the project, where a test can furnish it before the client starts."""
    return project.parent / "home"


def environment(home: Path) -> dict[str, str]:
    """The whole environment of the client: nothing of the person's own account can leak into a test."""
    scratch = home / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    return {
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.defpath)),
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / "config"),
        "TMPDIR": str(scratch),
        "CLAUDE_CODE_TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        "ANTHROPIC_API_KEY": "stub-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
    }


def trust(project: Path) -> None:
    """What the person does once they have read the project's files."""
    assert person(project, "trust").returncode == 0


def person(project: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """A command of hookkit in a terminal beside the agent, also where an agent runs the tests."""
    command, environ = [sys.executable, "-c", PERSON, *words], environment(home_of(project))
    return subprocess.run(command, cwd=project, env=environ, capture_output=True, text=True, check=False)


def wall_problem(scratch: Path) -> str:
    """Why the harness cannot wall a command in on this machine, or nothing."""
    if not shutil.which("unshare"):
        return "the unshare command is missing (util-linux)"
    script = write(scratch / "script.json", "[]")
    command = walled(sys.executable, str(STUB), str(script), str(scratch / "requests.jsonl"), "true")
    probe = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    return "" if probe.returncode == 0 else f"namespaces do not work here: {probe.stderr.strip()}"


@dataclass(frozen=True)
class Stage:
    """Where one session plays, and what it leaves there for `report` to read."""

    home: Path
    env: dict[str, str]
    script: Path
    record: Path
    debug: Path

    def command(self, client: Path, *arguments: str) -> list[str]:
        """The client behind the wall, with the scripted model beside it."""
        talk = (str(client), "--debug-file", str(self.debug), *arguments)
        return walled(sys.executable, str(STUB), str(self.script), str(self.record), *talk)

    def report(self, exit_code: int, stderr: str = "", stream: Sequence[dict[str, Any]] = ()) -> Run:
        requests = [parse_request(json.loads(line)) for line in lines(self.record)]
        return Run(exit_code, stderr, self.home, list(stream), requests, lines(self.debug))


def set_stage(project: Path, turns: Sequence[Any]) -> Stage:
    """A home beside the project, with the script in it and nothing left of an earlier session's records."""
    home = home_of(project)
    script = write(home / "script.json", json.dumps(list(turns)))
    stage = Stage(home, environment(home), script, home / "requests.jsonl", home / "debug.txt")
    for stale in (stage.record, stage.debug):
        stale.unlink(missing_ok=True)
    return stage


def run_client(
    client: Path, project: Path, *prompts: str, turns: Sequence[Any] = (), arguments: Iterable[str] = ()
) -> Run:
    """One session in the project, prompt by prompt; ``turns`` is what the model says, in order."""
    stage = set_stage(project, turns)
    stderr = stage.home / "stderr.txt"
    flags = ("--input-format", "stream-json", "--output-format", "stream-json", "--include-hook-events", "--verbose")
    command = stage.command(client, "-p", *flags, *arguments)
    with (
        stderr.open("w", encoding="utf-8") as log,
        Popen(command, cwd=project, env=stage.env, stdin=PIPE, stdout=PIPE, stderr=log, text=True) as process,
        deadline(process),
    ):
        stream = list(converse(process, prompts))
    return stage.report(process.returncode, stderr.read_text(), stream)


@contextlib.contextmanager
def deadline(process: Popen[Any]) -> Iterator[None]:
    """A client that hangs is ended with all its namespace, and the test goes on to say what is missing."""
    timer = threading.Timer(SECONDS, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def converse(process: Popen[str], prompts: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Say each prompt when the answer to the one before is complete: sent at once they are merged."""
    assert process.stdin
    assert process.stdout
    for prompt in prompts:
        message = {"type": "user", "message": {"role": "user", "content": prompt}}
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        for line in process.stdout:
            row = json.loads(line)
            yield row
            if row["type"] == "result":
                break
        else:
            break  # the client is gone: its exit code says more than a broken pipe would
    process.stdin.close()
    yield from map(json.loads, process.stdout)
    process.wait()


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def parse_request(row: Mapping[str, Any]) -> Request:
    said: list[Mapping[str, Any]] = []
    added: list[Mapping[str, Any]] = []
    for message in row["body"]["messages"]:
        (added if message["role"] == "system" else said).extend(blocks_of(message["content"]))
    results = [block for block in said if block["type"] == "tool_result"]
    return Request(
        kind=row["kind"],
        said="\n".join(map(text_of, said)),
        added="\n".join(map(text_of, added)),
        tool_results=[(text_of(block), bool(block.get("is_error"))) for block in results],
    )


def blocks_of(content: Any) -> list[dict[str, Any]]:
    """The API takes a bare string for a single text block."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def text_of(block: Mapping[str, Any]) -> str:
    if block["type"] == "tool_result":
        return "\n".join(map(text_of, blocks_of(block.get("content", ""))))
    return str(block.get("text", ""))
