"""Who takes part, each by the command line that its own installer writes into the client's settings.

Everyone gets a home and a project of their own, outside the temporary directories: some peers trust all that is there.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import hookkit

INSTALLED = Path(__file__).parents[1] / ".peers"
PYTHON = INSTALLED / "python"
SAFETY_NET = INSTALLED / "node" / "node_modules" / "cc-safety-net"
PATIENCE = 20  # seconds; the client's own limit is longer, but nobody waits for it
STOPPED, FAILED = ("deny", "ask"), "no answer"
FOLDERS = "api/src packages/api infra docs out build dist node_modules templates vendor .venv/bin src/components"
# What the ordinary commands speak of is there: a peer that looks at a script before it answers shall find one.
FILES = {
    "README.md Makefile CMakeLists.txt manage.py requirements.txt a.txt b.txt .env.example": "# shop\n",
    "src/app.py src/util.py src/old.py src/config.py tests/test_app.py scripts/report.py": "print('shop')\n",
    "scripts/build.sh .venv/bin/activate gradlew": "#!/bin/sh\ntrue\n",
    "scripts/seed.js src/login.test.ts": "console.log('shop')\n",
    "data/users.csv data/names.txt logs/dev.log": "name,city\n",
    "package.json": '{"name": "shop", "version": "1.0.0"}\n',
    ".claude/settings.local.json .claude/settings.json": "{}\n",
    "../.ssh/id_rsa ../.aws/credentials ../.bashrc": "not a secret\n",
}


class Contestant:
    """One tool with one configuration. `hook` is what the client would run, `setup` what a user runs once before."""

    def __init__(
        self, name: str, version: str, hook: list[str], setup: list[str] | None = None, **environ: str
    ) -> None:
        self.name = name
        self.version = version
        self.hook = hook
        self.setup = setup
        self.extra = environ
        self.home = Path()
        self.times: list[float] = []
        self.cpu: list[float] = []
        self.answers: list[str] = []

    def missing(self) -> str:
        """Why it cannot take part here, or nothing."""
        program = shutil.which(self.hook[0])
        if program is None:
            return f"{Path(self.hook[0]).name} is not on this machine: run scripts/install-peers"
        return "" if self.version else "not installed: run scripts/install-peers"

    def move_in(self, place: Path) -> None:
        self.home = place / "dev"
        project = self.home / "shop"
        for folder in FOLDERS.split():
            (project / folder).mkdir(parents=True)
        for names, content in FILES.items():
            for name in names.split():
                (project / name).parent.mkdir(parents=True, exist_ok=True)
                (project / name).write_text(content)
        subprocess.run(["git", "init", "--quiet"], cwd=project, env=self.environ(), check=True)
        if self.setup:
            subprocess.run(
                self.setup, cwd=project, env=self.environ(), check=True, stdin=subprocess.DEVNULL, capture_output=True
            )

    def forget(self) -> None:
        for noted in (self.times, self.cpu, self.answers):
            noted.clear()

    def environ(self) -> dict[str, str]:
        """Nothing of the machine's own but the search path: no keys, no settings, no proxy to the outside."""
        path = f"{Path(self.hook[0]).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        return {
            "PATH": path,
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "USER": "dev",
            "SHELL": "/bin/bash",
            **self.extra,
        }

    def ask(self, command: str) -> None:
        """The command goes in as text of an event, and is never run."""
        project = str(self.home / "shop")
        raw = json.dumps(event(command, project)).encode()
        start, before = time.perf_counter(), children()
        try:
            done = subprocess.run(
                self.hook,
                input=raw,
                capture_output=True,
                cwd=project,
                env=self.environ(),
                timeout=PATIENCE,
                check=False,
            )
            self.answers.append(verdict(done.returncode, done.stdout))
        except subprocess.TimeoutExpired:
            self.answers.append(FAILED)
        self.times.append(time.perf_counter() - start)
        self.cpu.append(children() - before)


def children() -> float:
    """CPU seconds of all processes that we have waited for: on a busy machine the wall clock measures the others."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def event(command: str, project: str) -> dict[str, Any]:
    return {
        "session_id": "bench",
        "transcript_path": f"{project}/.claude/none.jsonl",
        "cwd": project,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "Do what was asked"},
        "tool_use_id": "toolu_01",
    }


def verdict(code: int, stdout: bytes) -> str:
    """As the client reads it: exit 2 blocks, any other failure lets the command pass, silence is no opinion."""
    if code == 2:
        return "deny"
    if code:
        return FAILED
    if not stdout.strip():
        return ""
    try:
        reply = json.loads(stdout)
    except ValueError:
        return FAILED
    if reply.get("decision") == "block":
        return "deny"
    return str(reply.get("hookSpecificOutput", {}).get("permissionDecision", ""))


def contestants() -> list[Contestant]:
    """hookkit with what it ships and no settings; the peers as installed, cc-safety-net at its strictest as well."""
    nah, guard = str(PYTHON / "nah/bin/nah"), str(PYTHON / "claudeguard/bin/claudeguard")
    net = [str(INSTALLED / "node/node_modules/.bin/cc-safety-net"), "hook", "--coding-cli"]
    net_version = npm_version(SAFETY_NET)
    return [
        Contestant("hookkit", hookkit.__version__, [str(Path(sys.executable).parent / "hookkit"), "guard"]),
        Contestant("nah", pip_version("nah"), [nah, "_claude-hook"], [nah, "install", "claude"]),
        Contestant("claudeguard", pip_version("claudeguard"), [f"{guard}-hook"], [guard, "install"]),
        Contestant("cc-safety-net", net_version, net),
        Contestant("cc-safety-net, paranoid", net_version, net, CC_SAFETY_NET_LEVEL="paranoid"),
    ]


def pip_version(name: str) -> str:
    found = sorted((PYTHON / name).glob(f"lib/python*/site-packages/{name}-*.dist-info"))
    return found[-1].name.removeprefix(f"{name}-").removesuffix(".dist-info") if found else ""


def npm_version(package: Path) -> str:
    file = package / "package.json"
    return str(json.loads(file.read_text())["version"]) if file.exists() else ""
