"""Trust cannot be dodged: not without a home, not through a link, not from a directory of somebody else."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hookkit.settings import layers, trust
from tests.conftest import Run

STRONG = '[redirect]\narguments = "drop"\n'


def arguments(project: Path, environ: dict[str, str] | None = None) -> object:
    return layers.load(str(project), environ if environ is not None else dict(os.environ))["redirect.arguments"]


def test_without_a_home_nothing_is_trusted(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project could bring a trust.json of its own: it is never looked for beside the project."""
    path = project / "hookkit.toml"
    path.write_text(STRONG)
    pin = {str(path): trust.digest(STRONG), os.path.realpath(path): trust.digest(STRONG)}
    (project / "trust.json").write_text(json.dumps(pin))
    monkeypatch.chdir(project)
    assert arguments(project, {"HOME": "relative"}) == "auto"


def test_a_link_to_a_trusted_file_is_another_file(tmp_path: Path, hookkit: Run) -> None:
    for name in ("one", "two"):
        (tmp_path / name / ".git").mkdir(parents=True)
    (tmp_path / "one" / "hookkit.toml").write_text(STRONG)
    (tmp_path / "two" / "hookkit.toml").symlink_to(tmp_path / "one" / "hookkit.toml")
    assert hookkit("trust", cwd=tmp_path / "one").returncode == 0
    assert arguments(tmp_path / "one") == "drop"
    assert arguments(tmp_path / "two") == "auto"


def test_what_others_may_write_says_nothing(project: Path, home: Path, hookkit: Run) -> None:
    (project / "hookkit.toml").write_text(STRONG)
    assert hookkit("trust", cwd=project).returncode == 0
    (home / ".local/state/hookkit/trust.json").chmod(0o666)
    assert arguments(project) == "auto"


@pytest.mark.parametrize("entry", ["src", "{project}/src", "{project}", ".."])
def test_a_pythonpath_into_the_project_brings_nothing_in(
    project: Path, hookkit: Run, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    for folder in (project, project / "src"):
        (folder / "hookkit").mkdir(parents=True)
        (folder / "hookkit" / "__init__.py").write_text("raise SystemExit('PLANTED')\n")
    (project / "sub").mkdir()
    monkeypatch.setenv("PYTHONPATH", entry.format(project=project))
    cwd = project / "sub" if entry == ".." else project
    done = hookkit("redirect", stdin=b"{}", cwd=cwd)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_of_many_who_trust_at_once_none_loses_anothers_pin(tmp_path: Path, home: Path) -> None:
    environ = {"HOME": str(home)}
    names = [f"{tmp_path}/{number}/hookkit.toml" for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: trust.pin(environ, {name: "x"}), names))
    trust.pin(environ, {names[0]: None})
    assert sorted(trust.trusted(environ)) == sorted(names[1:])
