"""Who runs this process: an agent leaves its traces in the environment and among the parents."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hookkit import registry
from hookkit.settings import trust
from hookkit.system import agents
from tests.cli.conftest import Command, command
from tests.conftest import HOOKKIT

__all__ = ["command"]
REFUSED = "an agent runs this, and only a person can trust a project: run it in a terminal of your own"
parents = agents.parents  # the fixtures of all tests replace it


def process(proc: Path, pid: int, above: int, words: list[str], environ: str = "") -> None:
    (proc / str(pid)).mkdir()
    (proc / str(pid) / "cmdline").write_text("\0".join(words) + "\0")
    (proc / str(pid) / "environ").write_text(environ)
    (proc / str(pid) / "stat").write_text(f"{pid} (a ) b) S {above} 1 1")


@pytest.mark.parametrize(
    ("words", "environ", "expected"),
    [
        (["claude", "--resume"], "", "claude"),
        (["/usr/bin/node", "/opt/node_modules/@anthropic-ai/claude-code/cli.js"], "",
         "/opt/node_modules/@anthropic-ai/claude-code/cli.js"),
        (["/usr/bin/node", "/opt/bin/gemini"], "", "/opt/bin/gemini"),
        (["/opt/codex/bin/codex", "exec"], "", "/opt/codex/bin/codex"),
        (["bash", "-c", "env -i hookkit trust"], "A=1\0CLAUDECODE=1\0", "CLAUDECODE"),
        (["bash", "/home/me/claude/run.sh"], "NOT_CLAUDECODE=1\0", ""),
        (["vim", "codex.md"], "", ""),
    ],
)  # fmt: skip
def test_an_agent_is_seen_among_the_parents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], environ: str, expected: str
) -> None:
    monkeypatch.setattr(agents, "parents", parents)
    process(tmp_path, os.getppid(), 4_000_001, ["bash"])
    process(tmp_path, 4_000_001, 4_000_002, words, environ)
    process(tmp_path, 4_000_002, 0, ["init"])
    assert agents.agent({}, str(tmp_path)) == expected


BY_VARIABLE = {"pi": "PI_CODING_AGENT"}  # agents whose program has a name that others may have


@pytest.mark.parametrize("name", registry.names("agents"))
def test_every_agent_is_seen_by_its_program_or_by_a_variable(name: str) -> None:
    """An agent that this module does not know could trust a project and approve its own work."""
    names = {name, *getattr(registry.find("agents", name), "PROGRAMS", ())}
    assert names & set(agents.PROGRAMS) or BY_VARIABLE.get(name) in agents.VARIABLES, "add it to system/agents.py"


def test_a_process_that_left_the_tree_of_its_agent_is_no_person(project: Path) -> None:
    """A daemon has no agent among its parents, and no terminal either."""
    (project / "hookkit.toml").write_text("[nudge]\nfuzzy = false\n")
    code = (
        "from hookkit import __main__; from hookkit.system import agents; agents.parents = lambda *_: iter(());"
        "__main__.main()"
    )
    for words in (["trust"], ["approve", "00000000", "--as", "x"], ["pause", "1h"], ["allow-once", "x"], ["dashboard"]):
        start = ["setsid", "--wait", sys.executable, "-c", code, *words]
        done = subprocess.run(start, cwd=project, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        assert (done.returncode, done.stdout) == (1, ""), words
        expected = "no approval" if words[0] == "approve" else "this runs without a terminal, and only a person can"
        assert expected in " ".join(done.stderr.split())


@pytest.mark.parametrize("stat", ["", "1 (a", "1 (a) S x", "1 (a) S"])
def test_without_proc_only_the_environment_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stat: str) -> None:
    monkeypatch.setattr(agents, "parents", parents)
    assert agents.agent({}, str(tmp_path)) == ""
    assert agents.agent({"GEMINI_CLI": "1"}, str(tmp_path)) == "GEMINI_CLI"
    assert agents.agent({"CLAUDECODE": ""}, str(tmp_path)) == ""
    process(tmp_path, os.getppid(), os.getppid(), ["bash"])
    assert agents.agent({}, str(tmp_path)) == ""  # its own parent: the walk ends all the same
    (tmp_path / str(os.getppid()) / "stat").write_text(stat)
    assert agents.agent({}, str(tmp_path)) == ""


def test_an_agent_cannot_trust_a_project(command: Command, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "hookkit.toml").write_text("[nudge]\nfuzzy = false\n")
    assert command("trust").code == 0
    pins = trust.trusted(dict(os.environ))
    monkeypatch.setenv("CLAUDECODE", "1")
    (project / "hookkit.toml").write_text("[nudge]\nfuzzy = true\n")
    assert command("trust") == (1, "", f"hookkit: {REFUSED}\n")
    assert trust.trusted(dict(os.environ)) == pins
    assert command("trust", "--revoke").code == 0
    assert trust.trusted(dict(os.environ)) == {}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux tells the parents of a process")
def test_a_cleared_environment_hides_nothing(project: Path, tmp_path: Path) -> None:
    """A program with an agent's name runs a shell, which runs hookkit."""
    (project / "hookkit.toml").write_text("[nudge]\nfuzzy = false\n")
    (tmp_path / "claude").symlink_to(sys.executable)
    line = f"env -i HOME={tmp_path} PATH=/usr/bin:/bin {HOOKKIT} trust {project}; true"
    start = [str(tmp_path / "claude"), "-c", f"import subprocess; subprocess.run(['sh', '-c', {line!r}])"]
    done = subprocess.run(start, capture_output=True, check=True)
    assert "only a person can trust a project" in " ".join(done.stderr.decode().split())
    assert not (tmp_path / ".local").exists()


@pytest.mark.parametrize(
    ("name", "text", "agent", "told"),
    [
        (".claude/settings.json", '{"env": {"LD_PRELOAD": "x", "A": "b"}}', "claude", "LD_PRELOAD"),
        (".claude/settings.local.json", '{"env": {"HOOKKIT_ACTOR": "human:me"}}', "claude", "HOOKKIT_ACTOR"),
        (".claude/settings.json", '{"env": {"CLAUDE_CODE_SHELL_PREFIX": "x"}}', "claude", "CLAUDE_CODE_SHELL_PREFIX"),
        (".claude/settings.json", '{"env": {"PYTHONPATH": "x"}}', "claude", ""),
        (".claude/settings.json", '{"env": ["LD_PRELOAD"]}', "claude", ""),
        (".claude/settings.json", '{"env": ', "claude", ""),
        (".env", "A=b\nexport BASH_ENV=x\n", "gemini", "BASH_ENV"),
        (".qwen/.env", "LD_AUDIT = x", "qwen", "LD_AUDIT"),
        (".env", "LD_PRELOAD=x", "claude", ""),
    ],
)
def test_variables_that_steer_hooks_are_named(tmp_path: Path, name: str, text: str, agent: str, told: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    rows = [*agents.steering_files(str(tmp_path), [agent])]
    assert [said.partition(":")[0] for _, said in rows] == ([f"sets {told}"] if told else [])
