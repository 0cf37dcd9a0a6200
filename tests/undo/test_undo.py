"""Undo: files come back byte for byte, with modes and links; an undo can be undone."""

import json
import os
import subprocess
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hookkit.hooks import snapshot as hook
from hookkit.model import Event
from hookkit.settings import compiling
from hookkit.settings.layers import Settings
from hookkit.undo import snapshot, store
from tests.conftest import HOOKKIT
from tests.undo import trees

ENVIRON = {"PATH": os.environ["PATH"], "HOME": "/dev/null/home", "GIT_CONFIG_GLOBAL": "/dev/null"}
LIMIT = 50 << 20


def settings() -> Settings:
    compiled = compiling.compile_values({"undo.enabled": True}, ENVIRON)
    return Settings(dict(ENVIRON), {"untrusted": [], "broken": [], **compiled})


SETTINGS = settings()


def before(root: Path, command: str) -> str:
    """The hook before a call, then the call; the id of its snapshot, if there is one."""
    event = Event("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": str(root)})
    known = set(store.names(str(root), ENVIRON))
    hook.run(event, SETTINGS)
    subprocess.run(["bash", "-c", command], cwd=root, check=False, capture_output=True)
    return next((id_ for id_ in store.names(str(root), ENVIRON) if id_ not in known), "")


@pytest.mark.parametrize("seed", range(60))
def test_a_destroyed_tree_comes_back(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    root = tmp_path / "tree"
    root.mkdir()
    trees.grow(root, random)
    command = trees.command(root, random)
    old = trees.state(root)
    id_ = before(root, command)
    destroyed = trees.state(root)
    lost = {path for path in old if destroyed.get(path) != old[path]}
    if not id_:
        assert lost == set(), command
        return
    kept, *_ = snapshot.restore(str(root), ENVIRON, id_, LIMIT)
    after = trees.state(root)
    assert after == old, command
    snapshot.restore(str(root), ENVIRON, kept, LIMIT)
    assert trees.state(root) == destroyed, command


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "app"
    root.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    (root / "a.txt").write_text("a\n")
    return root


def run(root: Path, *words: str, code: int = 0) -> Any:
    done = subprocess.run([HOOKKIT, *words, "-o", "json"], cwd=root, capture_output=True, check=False)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout or "null")


def test_a_person_lists_and_restores(repository: Path, home: Path) -> None:
    path = home / ".config/hookkit/hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[undo]\nenabled = true\n")
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm a.txt"}}
    raw = json.dumps({**event, "cwd": str(repository)}).encode()
    subprocess.run([HOOKKIT, "run"], input=raw, check=True, cwd=repository, capture_output=True)
    (repository / "a.txt").unlink()
    (row,) = run(repository, "undo")
    assert (row["before"], row["files"]) == ("rm a.txt", ["a.txt"])
    assert run(repository, "undo", row["id"])["restored"] == 1
    assert (repository / "a.txt").read_text() == "a\n"
    run(repository, "undo", "nowhere", code=1)


def test_an_asked_command_says_that_it_can_be_undone(repository: Path, home: Path) -> None:
    path = home / ".config/hookkit/hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text('[undo]\nenabled = true\n[[rules]]\ntype = "ask"\nmatch = "Bash(rm *)"\n')
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm a.txt"}}
    raw = json.dumps({**event, "cwd": str(repository)}).encode()
    done = subprocess.run([HOOKKIT, "run"], input=raw, check=True, cwd=repository, capture_output=True)
    reply = json.loads(done.stdout)
    (row,) = run(repository, "undo")
    said = reply["hookSpecificOutput"]["permissionDecisionReason"]
    assert said.endswith(f" It can be undone: hookkit undo {row['id']}.")
    assert "systemMessage" not in reply


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("rm a.txt", "It can be undone: hookkit undo {id}."),
        ("rm -rf data/objects .git/index.lock", "It can be undone: hookkit undo {id}."),
        ("rm -rf src", "It can be undone: hookkit undo {id}."),
        ("rm $X", "The files of the project are kept: hookkit undo {id}."),
        ("rm -rf .", hook.LOST),
        ("rm -rf {root}", hook.LOST),
        ("cd .. && rm -rf app", hook.LOST),
        ("rm -rf {root}/..", hook.LOST),
        ("rm -rf .git a.txt", hook.LOST),
        ("rm -rf .git", hook.LOST),
        ("rm -rf .* *", hook.LOST),
        ("rm -rf .git/objects a.txt", hook.LOST),
        ("find . -delete", hook.LOST),
        ("git clean -fdx", "It can be undone: hookkit undo {id}."),
    ],
)
def test_a_promise_is_kept(repository: Path, command: str, said: str) -> None:
    """Snapshots are in the repository: a command that deletes the repository takes its snapshots along."""
    for name in ("src", "data/objects"):
        (repository / name).mkdir(parents=True)
        (repository / name / "b.txt").write_text("b")
    given: dict[str, object] = {
        "tool_name": "Bash",
        "tool_input": {"command": command.format(root=repository)},
        "cwd": str(repository),
    }
    decision = hook.run(Event("PreToolUse", given), SETTINGS)
    ids = store.names(str(repository), ENVIRON)
    assert decision is not None
    assert decision.aside == said.format(id=ids[0] if ids else "")


def test_a_question_about_a_call_keeps_nothing(repository: Path, home: Path) -> None:
    """`why` and `simulate` leave no file in the project, and its repository as it is."""
    path = home / ".config/hookkit/hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[undo]\nenabled = true\n")
    for words in (["why", "rm a.txt"], ["why", "rm -rf ."], ["simulate", "--tool", "Bash", "--args", "rm a.txt"]):
        subprocess.run([HOOKKIT, *words], check=True, cwd=repository, capture_output=True)
    assert store.names(str(repository), ENVIRON) == []


def test_a_secret_in_the_command_is_not_written_to_the_repository(repository: Path, home: Path) -> None:
    path = home / ".config/hookkit/hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[undo]\nenabled = true\n")
    call = {"tool_name": "Bash", "tool_input": {"command": "API_TOKEN=s3cr3t-value-1234 make > a.txt"}}
    raw = json.dumps({"hook_event_name": "PreToolUse", **call, "cwd": str(repository)}).encode()
    subprocess.run([HOOKKIT, "run"], input=raw, check=True, cwd=repository, capture_output=True)
    (row,) = run(repository, "undo")
    assert row["before"] == "API_TOKEN=[masked] make > a.txt"


def test_snapshots_of_the_same_second_are_listed_newest_first(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for number in range(12):
        monkeypatch.setattr(time, "time_ns", lambda number=number: 1_790_000_000_000_000_000 + number * 2_000_000)
        monkeypatch.setattr(time, "time", lambda: 1_790_000_000)
        one = snapshot.Snapshot(str(repository), LIMIT)
        one.add(str(repository / "a.txt"))
        made.append(one.keep(ENVIRON, str(number)))
    assert store.names(str(repository), ENVIRON) == made[::-1]


def test_a_path_through_a_link_is_kept_by_its_real_name(repository: Path) -> None:
    """`deep` leads to the directory above, and from there back into the project."""
    (repository / "deep").symlink_to("..")
    old = trees.state(repository)
    id_ = before(repository, "rm -f deep/app/a.txt")
    assert not (repository / "a.txt").exists()
    snapshot.restore(str(repository), ENVIRON, id_, LIMIT)
    assert trees.state(repository) == old


def test_a_file_that_was_not_there_is_gone_again(repository: Path) -> None:
    id_ = before(repository, "cp a.txt new.txt && rm a.txt")
    assert (repository / "new.txt").exists()
    snapshot.restore(str(repository), ENVIRON, id_, LIMIT)
    assert sorted(os.listdir(repository)) == [".git", "a.txt"]


def test_the_index_and_the_branches_stay_as_they_are(repository: Path) -> None:
    subprocess.run(["git", "add", "a.txt"], cwd=repository, check=True)
    index = (repository / ".git/index").read_bytes()
    before(repository, "rm a.txt")
    assert (repository / ".git/index").read_bytes() == index
    done = subprocess.run(["git", "branch", "-a"], cwd=repository, check=True, capture_output=True)
    assert done.stdout == b""


def test_a_manifest_that_leads_out_of_the_project_is_refused(repository: Path) -> None:
    manifest = {"at": 1, "about": "x", "entries": [{"path": "../x", "kind": "file", "mode": 0o644, "blob": 0}]}
    store.keep(str(repository), ENVIRON, "abcd", manifest, [b"evil"])
    with pytest.raises(store.UndoError):
        snapshot.restore(str(repository), ENVIRON, "abcd", LIMIT)
    assert not (repository.parent / "x").exists()


def test_a_large_file_is_named_at_the_call_in_the_list_and_at_the_restore(repository: Path) -> None:
    with open(repository / "huge.bin", "wb") as file:
        file.truncate(LIMIT + 1)
    event: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_input": {"command": "rm a.txt huge.bin"},
        "cwd": str(repository),
    }
    decision = hook.run(Event("PreToolUse", event), SETTINGS)
    assert decision is not None
    assert decision.message == "hookkit: Not kept for undo, too large for undo.megabytes: huge.bin."
    (id_,) = store.names(str(repository), ENVIRON)
    said = "Not kept, too large for undo.megabytes: huge.bin."
    assert snapshot.missing(store.manifest(str(repository), ENVIRON, id_)) == said
    os.unlink(repository / "a.txt")
    assert snapshot.restore(str(repository), ENVIRON, id_, LIMIT)[1:] == (1, said)


def test_a_submodule_comes_back_without_its_git_file(repository: Path) -> None:
    (repository / "sub").mkdir()
    (repository / "sub/.git").write_text("gitdir: ../.git/modules/sub\n")
    (repository / "sub/code.py").write_text("x\n")
    id_ = before(repository, "rm -rf sub")
    snapshot.restore(str(repository), ENVIRON, id_, LIMIT)
    assert (repository / "sub/code.py").read_text() == "x\n"
    assert not (repository / "sub/.git").exists()


def test_a_snapshot_of_an_earlier_version_with_a_git_file_is_restored_without_it(repository: Path) -> None:
    entries = [{"path": name, "kind": "file", "mode": 0o644, "blob": blob} for blob, name in enumerate((".git", "b"))]
    store.keep(
        str(repository), ENVIRON, "abcd", {"at": 1, "about": "x", "entries": entries, "left_out": 2}, [b"1", b"2"]
    )
    assert snapshot.restore(str(repository), ENVIRON, "abcd", LIMIT)[1:] == (1, "2 files were too large to be kept.")
    assert (repository / "b").read_text() == "2"
