"""The wheel and the sdist: a fresh HOME follows the first screen of the README, with pipx, uv and pip."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SECONDS = 300
# Read here: every test starts without the variables of hookkit.
TOOLS = os.pathsep.join((os.environ.get("HOOKKIT_TOOLS", ""), os.environ["PATH"]))


def run(*words: "str | Path", **more: str) -> "subprocess.CompletedProcess[str]":
    environ = {**os.environ, **more}
    return subprocess.run([*map(str, words)], env=environ, capture_output=True, text=True, check=False, timeout=SECONDS)


def installer(name: str) -> str:
    """A program on the PATH or in HOOKKIT_TOOLS, or the reason to skip."""
    found = shutil.which(name, path=TOOLS)
    return found or pytest.skip(f"{name} is not installed: HOOKKIT_TOOLS=$(scripts/install-packagers)")


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel and the sdist of this checkout."""
    if importlib.util.find_spec("hatchling") is None and not shutil.which("hatchling", path=TOOLS):
        pytest.skip("hatchling is not installed: HOOKKIT_TOOLS=$(scripts/install-packagers)")
    place = tmp_path_factory.mktemp("dist")
    program = shutil.which("hatchling", path=TOOLS)
    words = [program] if program else [sys.executable, "-m", "hatchling"]
    done = subprocess.run(
        [*words, "build", "-d", str(place)], cwd=ROOT, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr
    return place


def works(program: Path, home: Path, place: Path) -> None:
    """init, then doctor, as the README says: the agent's settings lead to this very installation."""
    (home / ".claude").mkdir(parents=True)
    (place / ".git").mkdir(parents=True)
    environ = {"HOME": str(home), "PATH": os.defpath}
    for words in (["--version"], ["init", "--yes"], ["doctor", "--live"]):
        done = subprocess.run(
            [program, *words], cwd=place, env=environ, capture_output=True, text=True, check=False, timeout=SECONDS
        )
        assert done.returncode == 0, done.stdout + done.stderr
    settings = json.loads((home / ".claude" / "settings.json").read_text())
    script = Path(settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"])
    assert f"{program.resolve().parent}" in script.read_text()


def test_pipx_install_then_init(dist: Path, home: Path, tmp_path: Path) -> None:
    pipx = installer("pipx")
    [wheel] = dist.glob("*.whl")
    places = {"PIPX_HOME": str(tmp_path / "pipx"), "PIPX_BIN_DIR": str(tmp_path / "bin")}
    done = run(pipx, "install", wheel, HOME=str(home), PIPX_DEFAULT_PYTHON=sys.executable, **places)
    assert done.returncode == 0, done.stderr
    works(tmp_path / "bin" / "hookkit", home, tmp_path / "work")


def test_uv_tool_install_then_init(dist: Path, home: Path, tmp_path: Path) -> None:
    uv = installer("uv")
    [wheel] = dist.glob("*.whl")
    places = {"UV_TOOL_DIR": str(tmp_path / "tools"), "UV_TOOL_BIN_DIR": str(tmp_path / "bin")}
    done = run(uv, "tool", "install", "--python", sys.executable, wheel, **places)
    assert done.returncode == 0, done.stderr
    works(tmp_path / "bin" / "hookkit", home, tmp_path / "work")


def test_pip_install_of_the_sdist_then_init(dist: Path, home: Path, tmp_path: Path) -> None:
    [sdist] = dist.glob("*.tar.gz")
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    done = run(tmp_path / "venv" / "bin" / "python", "-m", "pip", "install", "-q", sdist)
    if done.returncode:
        pytest.skip(f"pip cannot reach a package index: {done.stderr.strip()[-200:]}")
    works(tmp_path / "venv" / "bin" / "hookkit", home, tmp_path / "work")


def at_a_terminal(line: str, place: Path, environ: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    """Run a line with a terminal as stdin, on which a person has typed `y` and Enter."""
    person, terminal = os.openpty()
    try:
        os.write(person, b"y\n\n")  # yes, and the default for the second question
        return subprocess.run(
            ["bash", "-c", line], cwd=place, env=environ, stdin=terminal, capture_output=True, text=True, check=False,
            timeout=SECONDS,
        )  # fmt: skip
    finally:
        os.close(person)
        os.close(terminal)


def first_screen() -> list[str]:
    """The commands of the README that install hookkit, with the other installer that a comment names."""
    blocks = (ROOT / "README.md").read_text().split("```console\n")[1:]
    [lines] = [block.partition("```")[0].splitlines() for block in blocks if "pipx" in block.partition("```")[0]]
    return [line.removeprefix("$ ") for line in lines]


def test_the_readme_is_one_screen_and_names_commands_that_work() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 50
    assert len(text.split()) <= 400
    assert "pipx install hookkit" not in text, "there is no release yet"
    for line in text.splitlines():
        if line.startswith("$ scripts/"):
            assert os.access(ROOT / line.split()[1], os.X_OK)


@pytest.mark.parametrize("tool", ["pipx", "uv"])
def test_the_first_screen_works_literally(tool: str, dist: Path, tmp_path: Path) -> None:
    """A fresh HOME with Claude Code: each command as written, `y` as the answer, and then the agent is guarded."""
    home, project = tmp_path / "home", tmp_path / "work"
    (home / ".claude").mkdir(parents=True)
    (project / ".git").mkdir(parents=True)
    tools = os.path.dirname(installer(tool))
    # The package index of this machine.
    index = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_", "REQUESTS_"))}
    environ = {
        **index,
        "HOME": str(home),
        "PATH": os.pathsep.join((str(home / ".local" / "bin"), tools, os.defpath)),
        "PIP_FIND_LINKS": f"{dist} {os.environ.get('PIP_FIND_LINKS', '')}",  # the release is not on the index yet
        "UV_FIND_LINKS": str(dist),
        "UV_PYTHON": sys.executable,
        "PIPX_DEFAULT_PYTHON": sys.executable,
    }
    install, *others = first_screen()
    assert install.startswith("pipx install . ")
    other = install.partition("# or: ")[2].partition("  ")[0]
    assert other == "uv tool install ."
    [wheel] = dist.glob("*.whl")
    steps = [(install if tool == "pipx" else other).replace(" . ", f" {wheel} ").replace(" .", f" {wheel}"), *others]
    assert [step.partition("  ")[0] for step in steps[1:]] == ["hookkit init", "hookkit doctor --live"]
    for step in steps:
        done = at_a_terminal(step, project, environ)
        assert done.returncode == 0, f"{step}\n{done.stdout}{done.stderr}"
    handler = json.loads((home / ".claude" / "settings.json").read_text())["hooks"]["PreToolUse"][0]["hooks"][0]
    event = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "rm -rf ~"},
        "cwd": str(project),
    }
    reply = subprocess.run(
        [handler["command"], *handler["args"]], cwd=project, env={"HOME": str(home)}, input=json.dumps(event),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(reply.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_the_packages_pass_twine(dist: Path) -> None:
    done = run(installer("twine"), "check", "--strict", *dist.iterdir())
    assert done.returncode == 0, done.stdout
