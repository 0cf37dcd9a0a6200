"""pre-commit and the GitHub Action: the hooks and the steps of this checkout run as a user's CI would run them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from hookkit import __version__
from hookkit.agents.wiring.settings_files import AGENTS
from hookkit.settings.documents.toml_text import TomlDocument
from tests.test_packaging import ROOT, SECONDS, installer, run

RECIPES = ROOT / "docs" / "recipes.md"
ROWS = '{"id": "no force push", "tool": "Bash", "args": "git push -f", "expect": "ask"}\n'
TRUSTED = '{"id": "a rule that needs trust", "tool": "Bash", "args": "git status", "expect": "allow"}\n'
WRONG = ROWS.replace('"ask"', '"allow"')
IF_GIVEN = re.compile(r"inputs\.(\w+) != ''")
INPUT = re.compile(r"\$\{\{ inputs\.(\w+) \}\}")


def commit(place: Path) -> str:
    """Everything below a directory as a commit; the return value is its hash."""
    git = ("git", "-C", str(place), "-c", "user.name=x", "-c", "user.email=x@example.com")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "all")):
        subprocess.run([*git, *words], check=True, capture_output=True)
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> tuple[Path, str]:
    """This checkout, with changes that are not committed yet, as a repository with a commit."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("this is no git checkout")
    place = tmp_path / "checkout"
    for name in listed.stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, place / name)
    return place, commit(place)


def test_the_pre_commit_hooks_of_the_recipe_run(checkout: tuple[Path, str], home: Path, tmp_path: Path) -> None:
    """Good files pass. A mistake in hookkit.toml fails both hooks; a row with another verdict fails the second one."""
    pre_commit = installer("pre-commit")
    recipe = next(
        block for block in re.findall(r"```yaml\n(.*?)```", RECIPES.read_text(), re.DOTALL) if "rev:" in block
    )
    config = yaml.safe_load(recipe)
    config["repos"][0] |= {"repo": f"file://{checkout[0]}", "rev": checkout[1]}
    project = tmp_path / "team"
    project.mkdir()
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    (project / "hookkit.toml").write_text('[policy]\ndefault = "ask"\n')
    (project / "policy.jsonl").write_text(ROWS)
    commit(project)

    def check() -> list[str]:
        """The names of the failed hooks."""
        done = subprocess.run(
            [pre_commit, "run", "--all-files", "--color=never"],
            cwd=project,
            env={**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "cache"), "HOME": str(home)},
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        if "pip" in done.stdout + done.stderr and "An unexpected error" in done.stdout + done.stderr:
            pytest.skip(f"pip cannot reach a package index: {(done.stdout + done.stderr).strip()[-300:]}")
        found = re.findall(r"^(.*?)\.+(Passed|Failed)$", done.stdout, re.MULTILINE)
        assert len(found) == 2, done.stdout + done.stderr
        return [name for name, result in found if result == "Failed"]

    assert check() == []
    (project / "hookkit.toml").write_text('[policy]\ndefault = "maybe"\n')
    assert check() == ["check hookkit.toml and agent settings", "play the policy's test rows"]
    (project / "hookkit.toml").write_text('[policy]\ndefault = "ask"\n')
    (project / "policy.jsonl").write_text(WRONG)
    assert check() == ["play the policy's test rows"]


def test_the_validate_hook_takes_the_settings_of_agents_and_no_editors() -> None:
    [hook, _] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    names = [name for agent in AGENTS.values() for scope, name, *_ in agent.module.CONFIG if scope != "user"]
    taken = [name for name in names if re.search(hook["files"], name)]
    left = {name for name in names if name not in taken}
    assert left == {
        ".amp/plugins/hookkit.ts", ".clinerules/hooks", ".kilo/plugins/hookkit.js", ".opencode/plugins/hookkit.js",
        ".pi/extensions/hookkit.ts", ".agents/plugins/hookkit/hooks/hooks.json",
    }, "programs that init writes, and a plugin"  # fmt: skip
    for name in ("hookkit.toml", "web/hookkit.local.toml", ".mentu/genesis.key", ".cocode/hooks.toml"):
        assert re.search(hook["files"], name)
    for name in (".vscode/settings.json", "settings.json", "hooks.json", "src/hookkit.tomlx"):
        assert not re.search(hook["files"], name)


def steps(inputs: dict[str, str]) -> list[tuple[str, str, dict[str, str]]]:
    """The shell steps of the Action that run with these inputs: name, script, variables."""
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    given = {name: inputs.get(name, row["default"]) for name, row in action["inputs"].items()}
    found = []
    for step in action["runs"]["steps"]:
        needed = IF_GIVEN.fullmatch(step.get("if", ""))
        assert needed or "if" not in step
        if "run" in step and (needed is None or given[needed[1]]):
            variables = step.get("env", {})
            filled = {name: INPUT.sub(lambda found: given[found[1]], text) for name, text in variables.items()}
            assert step["shell"] == "bash"
            found.append((step["name"], step["run"], filled))
    return found


def test_the_steps_of_the_action_run(checkout: tuple[Path, str], home: Path, tmp_path: Path) -> None:
    """It installs its own checkout. A mistake and a wrong verdict fail, with an annotation in the file."""
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    project = tmp_path / "team"
    (project / ".git").mkdir(parents=True)
    path = os.pathsep.join((str(tmp_path / "venv" / "bin"), os.defpath))

    def play(**inputs: str) -> dict[str, tuple[int, str]]:
        results = {}
        for name, script, variables in steps(inputs):
            words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
            done = subprocess.run(
                words,
                cwd=project,
                env={"PATH": path, "HOME": str(home), "GITHUB_ACTION_PATH": str(checkout[0]), **variables},
                capture_output=True,
                text=True,
                check=False,
                timeout=SECONDS,
            )
            if name == "Install hookkit" and done.returncode:
                pytest.skip(f"pip cannot reach a package index: {done.stderr.strip()[-200:]}")
            results[name] = (done.returncode, done.stdout)
        return results

    (project / "hookkit.toml").write_text(
        '[policy]\ndefault = "ask"\n[[rules]]\ntype = "allow"\nmatch = "Bash(git status)"\n'
    )
    (project / "policy.jsonl").write_text(ROWS + TRUSTED)
    good = play(rows="policy.jsonl")
    assert {name: code for name, (code, _) in good.items()} == {"Install hookkit": 0, "Validate": 0, "Simulate": 0}
    assert set(play()) == {"Install hookkit", "Validate"}
    (project / "policy.jsonl").write_text(WRONG)
    assert play(rows="policy.jsonl")["Simulate"][0] == 1
    (project / "hookkit.toml").write_text('[policy]\ndefault = "maybe"\n')
    code, said = play(files="hookkit.toml")["Validate"]
    assert (code, said.startswith("::error file=hookkit.toml,line=2,")) == (1, True)


def test_the_project_has_one_address_and_one_version() -> None:
    """Every link to the project begins with the address in pyproject.toml; the recipes name this version."""
    urls = TomlDocument("", (ROOT / "pyproject.toml").read_text()).data["project"]["urls"]
    source = urls["Source"]
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "action.yml", ROOT / "pyproject.toml"]
    owner = source.rpartition("/")[0]
    wrong = [
        f"{page.name}: {link}"
        for page in pages
        for link in re.findall(rf"{re.escape(owner)}[^\s)\"'>]*", page.read_text())
        if not (link == source or link.startswith(f"{source}/"))
    ]
    assert wrong == []
    assert all(url == source or url.startswith(f"{source}/") for url in urls.values())
    assert re.findall(r"(?:rev: |hookkit@)v([\d.]+)", RECIPES.read_text()) == [__version__] * 2
