"""Asking git about a directory that may be anything."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from hookkit.system import git


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    run(tmp_path, "init", "-q", "-b", "topic")
    (tmp_path / "a").write_text("a")
    run(tmp_path, "add", "a")
    run(tmp_path, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "a")
    return tmp_path


def run(directory: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=directory, check=True, capture_output=True)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is not what these tests are about."""
    monkeypatch.setattr(git, "SECONDS", 60.0)


def status(directory: Path, **more: str) -> list[str]:
    return git.status(str(directory), {**os.environ, **more})


def test_the_branch_comes_first_and_a_renamed_file_once(repository: Path) -> None:
    run(repository, "mv", "a", "b")
    (repository / "new file").touch()
    assert status(repository) == ["## topic", "R  b", "?? new file"]


def test_variables_of_git_do_not_lead_it_elsewhere(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    run(other, "init", "-q", "-b", "wrong")
    found = status(repository, GIT_DIR=str(other / ".git"), GIT_WORK_TREE=str(other), GIT_TRACE="1")
    assert found == ["## topic"]


def test_a_git_that_lies_in_the_project_is_not_run(repository: Path) -> None:
    fake = repository / "git"
    fake.write_text("#!/bin/sh\necho stolen > stolen\n")
    fake.chmod(0o755)
    assert status(repository, PATH=f".::{os.environ['PATH']}")[0] == "## topic"
    assert not (repository / "stolen").exists()


def test_a_monitor_that_the_project_names_is_not_run(repository: Path) -> None:
    run(repository, "config", "core.fsmonitor", "touch stolen; false")
    assert status(repository) == ["## topic"]


FILTER = '[filter "x"]\n\tclean = touch stolen; cat\n\trequired\n'


@pytest.mark.parametrize("name", [".realgit", "./.realgit", "{root}/.realgit"])
def test_a_git_that_is_somewhere_else_is_looked_at_there(repository: Path, name: str) -> None:
    (repository / ".git").rename(repository / ".realgit")
    (repository / ".git").write_text(f"gitdir: {name.format(root=repository)}\n")
    assert status(repository)[0] == "## topic"
    with (repository / ".realgit" / "config").open("a") as file:
        file.write(FILTER)
    (repository / ".gitattributes").write_text("* filter=x\n")
    (repository / "a").write_text("changed\n")
    assert (status(repository), git.diff_stat(str(repository), dict(os.environ))) == ([], "")
    assert not (repository / "stolen").exists()


def test_a_work_tree_beside_shares_the_settings(repository: Path, tmp_path: Path) -> None:
    run(repository, "worktree", "add", "-q", "-b", "beside", str(tmp_path / "beside"))
    assert status(tmp_path / "beside") == ["## beside"]
    with (repository / ".git" / "config").open("a") as file:
        file.write(FILTER)
    assert status(tmp_path / "beside") == []


def test_submodules_are_not_looked_into(repository: Path) -> None:
    inner = repository / "sub"
    inner.mkdir()
    run(inner, "init", "-q", "-b", "inner")
    (inner / "b").write_text("b\n")
    run(inner, "add", "b")
    run(inner, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "b")
    run(repository, "add", "sub")
    with (inner / ".git" / "config").open("a") as file:
        file.write(FILTER)
    (inner / ".gitattributes").write_text("* filter=x\n")
    (inner / "b").write_text("changed\n")
    assert status(repository) == ["## topic"]
    assert not (inner / "stolen").exists()


def test_no_repository_and_no_git_say_nothing(tmp_path: Path) -> None:
    assert status(tmp_path) == []
    assert status(tmp_path / "gone") == []
    assert status(tmp_path, PATH="/nowhere") == []


def elsewhere(tmp_path: Path) -> Path:
    """A directory beside the stand-in for git: one inside the project would not be run at all."""
    (tmp_path / "work" / ".git").mkdir(parents=True)
    (tmp_path / "work" / ".git" / "config").touch()
    return tmp_path / "work"


def test_a_git_of_the_projects_packages_is_not_run(repository: Path) -> None:
    planted = repository / "node_modules" / ".bin" / "git"
    planted.parent.mkdir(parents=True)
    planted.write_text("#!/bin/sh\ntouch stolen\n")
    planted.chmod(0o755)
    assert status(repository, PATH=f"{planted.parent}:{os.environ['PATH']}")[:1] == ["## topic"]
    assert not (repository / "stolen").exists()


def test_a_repository_that_would_run_filters_is_not_asked(repository: Path) -> None:
    run(repository, "config", "filter.x.clean", "touch stolen; cat")
    (repository / ".gitattributes").write_text("* filter=x\n")
    assert status(repository) == []
    assert not (repository / "stolen").exists()


def test_a_slow_git_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git, "SECONDS", 0.5)
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nprintf '## main\\0'\nexec sleep 20\n")
    slow.chmod(0o755)
    started = time.monotonic()
    assert status(elsewhere(tmp_path), PATH=f"{slow.parent}:{os.environ['PATH']}") == []
    assert time.monotonic() - started < 19  # the stand-in takes twenty


def test_what_git_says_is_bounded(tmp_path: Path) -> None:
    endless = tmp_path / "bin" / "git"
    endless.parent.mkdir()
    endless.write_text("#!/bin/sh\nprintf '## main\\0'\nyes '?? file' | tr '\\n' '\\0'\n")
    endless.chmod(0o755)
    found = status(elsewhere(tmp_path), PATH=f"{endless.parent}:{os.environ['PATH']}")
    assert found[:2] == ["## main", "?? file"]
    assert len(found) < 2 * git.LIMIT / len("?? file\0")


# -- what is not committed -------------------------------------------------------------------------


def diff_stat(directory: Path, **more: str) -> str:
    return git.diff_stat(str(directory), {**os.environ, **more})


def test_all_that_is_not_committed_is_in_the_stat(repository: Path) -> None:
    assert diff_stat(repository) == ""
    (repository / "a").write_text("a\nb\n")
    (repository / "b").write_text("b\n")
    run(repository, "add", "b")
    assert diff_stat(repository) == " a | 3 ++-\n b | 1 +\n 2 files changed, 3 insertions(+), 1 deletion(-)"


def test_a_stat_is_short_however_many_files_there_are(repository: Path) -> None:
    for number in range(60):
        (repository / f"{number:02}").write_text("x\n")
    run(repository, "add", "-A")
    lines = diff_stat(repository).split("\n")
    assert (len(lines), lines[-2:]) == (32, [" ...", " 60 files changed, 60 insertions(+)"])


@pytest.mark.parametrize(
    ("setting", "attributes"),
    [
        ("diff.external", ""),
        ("diff.x.command", "* diff=x\n"),
        ("diff.x.textconv", "* diff=x\n"),
        ("core.fsmonitor", ""),
        ("core.pager", ""),
        ("pager.diff", ""),
    ],
)
def test_no_program_of_the_projects_shows_a_diff(repository: Path, setting: str, attributes: str) -> None:
    run(repository, "config", setting, "touch stolen; cat")
    (repository / ".git" / "info" / "attributes").write_text(attributes)
    (repository / "a").write_text("a\nb\n")
    assert diff_stat(repository) == " a | 3 ++-\n 1 file changed, 2 insertions(+), 1 deletion(-)"
    assert not (repository / "stolen").exists()


def test_a_repository_that_would_run_filters_has_no_stat(repository: Path) -> None:
    run(repository, "config", "filter.x.clean", "touch stolen; cat")
    (repository / ".gitattributes").write_text("* filter=x\n")
    (repository / "a").write_text("other")
    assert diff_stat(repository) == ""
    assert not (repository / "stolen").exists()


def test_no_repository_no_commit_and_no_git_have_no_stat(tmp_path: Path) -> None:
    assert diff_stat(tmp_path) == ""
    run(tmp_path, "init", "-q")
    assert diff_stat(tmp_path) == ""
    assert diff_stat(tmp_path, PATH="/nowhere") == ""
