"""The launcher script answers by the person's own policy, whatever variables a project hands to its hooks."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hookkit.agents.wiring import launcher
from hookkit.server import process
from tests.conftest import HOOKKIT

RULE = '[[rules]]\ntype = "deny"\nmatch = "Bash(touch canary*)"\nreason = "my own rule"\n'
LAX = '[policy]\nbase = false\n[[rules]]\ntype = "allow"\nmatch = "*"\n'
OWN, SHIPPED = "touch canary", "rm -rf ~/"
PROGRAMS = ("git", "mkdir", "sh", "bash", "cat", "head", "python3", "hookkit", "env")
# P is the project, E a directory beside it, O a file outside: code of the project leaves its name there.
VARIABLES: tuple[dict[str, str], ...] = (
    {}, {"HOME": "P"}, {"HOME": "/proc/self/cwd"}, {"HOME": "/nonexistent"}, {"HOME": ""}, {"HOME": "x"},
    {"HOME": "/dev/null"}, {"XDG_CONFIG_HOME": "/usr"}, {"XDG_CONFIG_HOME": "P/cfg"},
    {"XDG_CONFIG_HOME": "/proc/self/cwd/cfg"}, {"XDG_CONFIG_HOME": "E"}, {"XDG_CONFIG_HOME": "/proc/self/cwd/../evil"},
    {"XDG_CONFIG_HOME": "//P/cfg"}, {"XDG_STATE_HOME": "E"}, {"XDG_STATE_HOME": "/proc/self/cwd/st"},
    {"XDG_STATE_HOME": "//P/st"}, {"XDG_DATA_HOME": "P"}, {"CLAUDE_CONFIG_DIR": "P"}, {"BASH_ENV": "P/env.sh"},
    {"ENV": "P/env.sh"}, {"SHELLOPTS": "noexec"}, {"SHELLOPTS": "xtrace", "PS4": "$(echo ps4 >> O)"},
    {"BASHOPTS": "extdebug"}, {"PROMPT_COMMAND": "echo prompt >> O"}, {"BASH_FUNC_exec%%": "() { exit 0; }"},
    {"BASH_FUNC_[%%": "() { exit 0; }"}, {"BASH_FUNC_read%%": "() { exit 0; }"}, {"POSIXLY_CORRECT": "1"},
    {"IFS": "/x"}, {"_hk_python": "P/bin/python3", "_hk_program": "P/bin/hookkit", "_hk_server": "on"},
    {"OPENSSL_CONF": "P/env.sh"}, {"GCONV_PATH": "P"}, {"LC_ALL": "xx"}, {"LC_ALL": "zh_CN.GBK"},
    {"PYTHONPATH": "."}, {"PYTHONPATH": "P"}, {"PYTHONPATH": "/proc/self/cwd"}, {"PYTHONPATH": "//P"},
    {"PYTHONHASHSEED": "x"}, {"PYTHONHOME": "P"}, {"PYTHONSTARTUP": "P/sitecustomize.py"}, {"PYTHONINSPECT": "1"},
    {"PYTHONIOENCODING": "utf-16"}, {"PYTHONWARNINGS": "error"}, {"PYTHONPYCACHEPREFIX": "P"},
    {"PYTHONUSERBASE": "P"}, {"PYTHONPLATLIBDIR": "x"}, {"__PYVENV_LAUNCHER__": "P"},
    {"__PYVENV_LAUNCHER__": "/proc/self/cwd/venv/bin/python3"}, {"PATH": "P/bin:/usr/bin:/bin"}, {"PATH": "."},
    {"PATH": ""}, {"GIT_DIR": "/nonexistent"}, {"GIT_EXTERNAL_DIFF": "P/bin/git"}, {"GIT_EXEC_PATH": "P/bin"},
    {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "echo git >> O"},
    {"TMPDIR": "P"}, {"TMPDIR": "/nonexistent"}, {"TZ": "/dev/zero"}, {"CLAUDE_PROJECT_DIR": "/"},
    {"CLAUDE_PROJECT_DIR": "/proc"}, {"CLAUDE_CODE_SHELL_PREFIX": "P/bin/sh"}, {"HOOKKIT_SESSION_DIR": "/usr/share"},
    {"HOOKKIT_REQUEST": "abc"}, {"HOOKKIT_WARM": "1"}, {"HOOKKIT_LIMIT": "0"}, {"HOOKKIT_SHIM_GREETING": "0"},
    {"HOOKKIT_SHIM_SILENCE": "x"}, {"AGENT_ID": "x\nx"}, {f"X{number}": "y" * 100_000 for number in range(15)},
)  # fmt: skip


class Wired:
    """A person with hookkit in Claude Code, and a hostile project."""

    def __init__(self, root: Path, *words: str) -> None:
        self.home, self.project, self.evil, self.mark = (root / name for name in ("home", "project", "evil", "mark"))
        self.environ = {"HOME": str(self.home), "PATH": os.defpath, "LANG": "C.UTF-8"}
        (self.home / ".claude").mkdir(parents=True)
        _write(self.home / ".config/hookkit/hookkit.toml", RULE)
        done = subprocess.run([HOOKKIT, "init", "--yes", "--agent", "claude", *words], env=self.environ, cwd="/",
                              capture_output=True, check=False)  # fmt: skip
        assert done.returncode == 0, done.stderr
        settings = json.loads((self.home / ".claude/settings.json").read_text())
        wired = settings["hooks"]["PreToolUse"][0]["hooks"][0]
        self.command = [wired["command"], *wired["args"]]
        self._plant()

    def _plant(self) -> None:
        leave = f"echo planted >> {self.mark}\n"
        for directory in (self.project / "cfg", self.evil):
            _write(directory / "hookkit/hookkit.toml", LAX)
        _write(self.project / "env.sh", leave)
        _write(self.project / "sitecustomize.py", f"open({str(self.mark)!r}, 'a').write('site')\n")
        library = self.project / f"venv/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
        _write(library / "hookkit/__init__.py", f"open({str(self.mark)!r}, 'a').write('package')\n")
        _write(self.project / "venv/pyvenv.cfg", "home = /usr/bin\n")
        for name in PROGRAMS:
            _write(self.project / "bin" / name, f"#!/bin/sh\n{leave}").chmod(0o755)

    def verdict(self, command: str, variables: dict[str, str]) -> str:
        call = {"session_id": f"s{time.time_ns()}", "cwd": str(self.project), "hook_event_name": "PreToolUse",
                "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t1"}  # fmt: skip
        environ = {**self.environ, "CLAUDE_PROJECT_DIR": str(self.project), "CLAUDECODE": "1", **variables}
        done = subprocess.run(self.command, input=json.dumps(call).encode(), env=environ, cwd=self.project,
                              capture_output=True, timeout=60, check=False)  # fmt: skip
        reply = json.loads(done.stdout) if done.stdout else {}
        return str(reply.get("hookSpecificOutput", {}).get("permissionDecision", ""))

    def filled(self, text: str) -> str:
        for letter, path in (("P", self.project), ("E", self.evil), ("O", self.mark)):
            text = str(path) if text == letter else text.replace(f"{letter}/", f"{path}/")
            text = text.replace(f">> {letter}", f">> {path}")
        return text


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture(scope="module", params=["without the server", "with the server"])
def wired(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wired]:
    found = Wired(tmp_path_factory.mktemp("wired"), "--warm" if request.param.startswith("with ") else "--cold")
    yield found
    process.stop(found.environ)


@pytest.mark.parametrize("row", VARIABLES, ids=lambda row: " ".join(f"{name}={row[name][:40]}" for name in [*row][:2]))
def test_no_variable_of_a_project_changes_the_verdict(wired: Wired, row: dict[str, str]) -> None:
    variables = {name: wired.filled(value) for name, value in row.items()}
    assert [wired.verdict(command, variables) for command in (OWN, SHIPPED)] == ["deny", "deny"]
    assert not wired.mark.exists()


def test_the_script_names_the_directories_of_the_person(wired: Wired) -> None:
    text = Path(wired.command[0]).read_text()
    assert f"XDG_STATE_HOME={wired.home}/.local/state\n" in text
    assert f"XDG_CONFIG_HOME={wired.home}/.config\n" in text
    found = launcher.read(wired.command[0])
    assert found is not None
    assert (found.program, found.is_there) == (HOOKKIT, True)


def test_without_bash_the_script_starts_python_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "BASH", "/nonexistent")
    text = launcher.Launcher(HOOKKIT, sys.executable).script(["PreToolUse"], {"HOME": str(tmp_path)})
    script = _write(tmp_path / "hookkit/hook", text)
    script.chmod(0o700)
    raw = json.dumps({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": SHIPPED}})
    done = subprocess.run([script, "run"], input=raw.encode(), env={}, cwd="/", capture_output=True, check=False)
    assert b'"permissionDecision":"deny"' in done.stdout
    assert launcher.read(str(script)) is not None
