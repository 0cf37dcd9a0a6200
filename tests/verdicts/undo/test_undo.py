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
from hookkit.verdicts import undo
from hookkit.verdicts.undo import snapshot
from hookkit.verdicts.undo.snapshot import Snapshot, UndoError, manifest_of, missing_files, restore, snapshots
from tests.conftest import HOOKKIT
from tests.verdicts.undo import trees

ENVIRON = {"PATH": os.environ["PATH"], "HOME": "/dev/null/home", "GIT_CONFIG_GLOBAL": "/dev/null"}
LIMIT = 50 << 20


def settings() -> Settings:
    compiled = compiling.compile_values({"undo.enabled": True}, ENVIRON)
    return Settings(dict(ENVIRON), {"untrusted": [], "broken": [], **compiled})


SETTINGS = settings()


@pytest.fixture(autouse=True)
def own_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots are in the home of the test."""
    monkeypatch.setitem(ENVIRON, "HOME", str(home))
    monkeypatch.setitem(SETTINGS.environ, "HOME", str(home))


def before(root: Path, command: str) -> str:
    """The hook before a call, then the call; the id of its snapshot, if there is one."""
    event = Event("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": str(root)})
    known = set(snapshots(str(root), ENVIRON))
    hook.run(event, SETTINGS)
    subprocess.run(["bash", "-c", command], cwd=root, check=False, capture_output=True)
    return next((id_ for id_ in snapshots(str(root), ENVIRON) if id_ not in known), "")


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
    kept, *_ = restore(str(root), ENVIRON, id_, LIMIT)
    after = trees.state(root)
    assert after == old, command
    restore(str(root), ENVIRON, kept, LIMIT)
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
        ("rm $X", "It can be undone: hookkit undo {id}."),
        ("rm -rf .", "It can be undone: hookkit undo {id}."),
        ("rm -rf {root}", "It can be undone: hookkit undo {id}."),
        ("rm -rf .git a.txt", "It can be undone: hookkit undo {id}."),
        ("rm -rf .* *", "It can be undone: hookkit undo {id}."),
        ("find . -delete", "It can be undone: hookkit undo {id}."),
        ("git clean -fdx", "It can be undone: hookkit undo {id}."),
    ],
)
def test_a_promise_is_kept(repository: Path, command: str, said: str) -> None:
    """Snapshots are outside the repository: a command that deletes the repository leaves them."""
    for name in ("src", "data/objects"):
        (repository / name).mkdir(parents=True)
        (repository / name / "b.txt").write_text("b")
    given: dict[str, object] = {
        "tool_name": "Bash",
        "tool_input": {"command": command.format(root=repository)},
        "cwd": str(repository),
    }
    decision = hook.run(Event("PreToolUse", given), SETTINGS)
    ids = snapshots(str(repository), ENVIRON)
    assert decision is not None
    assert decision.aside == said.format(id=ids[0] if ids else "")


def test_a_question_about_a_call_keeps_nothing(repository: Path, home: Path) -> None:
    """`why` and `simulate` leave no file in the project, and its repository as it is."""
    path = home / ".config/hookkit/hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[undo]\nenabled = true\n")
    for words in (["why", "rm a.txt"], ["why", "rm -rf ."], ["simulate", "--tool", "Bash", "--args", "rm a.txt"]):
        subprocess.run([HOOKKIT, *words], check=True, cwd=repository, capture_output=True)
    assert snapshots(str(repository), ENVIRON) == []


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
        one = Snapshot(str(repository), LIMIT)
        one.add(str(repository / "a.txt"))
        made.append(one.keep(ENVIRON, str(number)))
    assert snapshots(str(repository), ENVIRON) == made[::-1]


def test_a_path_through_a_link_is_kept_by_its_real_name(repository: Path) -> None:
    """`deep` leads to the directory above, and from there back into the project."""
    (repository / "deep").symlink_to("..")
    old = trees.state(repository)
    id_ = before(repository, "rm -f deep/app/a.txt")
    assert not (repository / "a.txt").exists()
    restore(str(repository), ENVIRON, id_, LIMIT)
    assert trees.state(repository) == old


def test_a_file_that_was_not_there_is_gone_again(repository: Path) -> None:
    id_ = before(repository, "cp a.txt new.txt && rm a.txt")
    assert (repository / "new.txt").exists()
    restore(str(repository), ENVIRON, id_, LIMIT)
    assert sorted(os.listdir(repository)) == [".git", "a.txt"]


def test_the_index_and_the_branches_stay_as_they_are(repository: Path) -> None:
    subprocess.run(["git", "add", "a.txt"], cwd=repository, check=True)
    index = (repository / ".git/index").read_bytes()
    before(repository, "rm a.txt")
    assert (repository / ".git/index").read_bytes() == index
    done = subprocess.run(["git", "branch", "-a"], cwd=repository, check=True, capture_output=True)
    assert done.stdout == b""


def test_a_directory_that_became_a_link_is_not_followed(repository: Path, tmp_path: Path) -> None:
    (repository / "src").mkdir()
    (repository / "src/b.txt").write_text("b")
    id_ = before(repository, "rm src/b.txt")
    (repository / "src").rmdir()
    (tmp_path / "elsewhere").mkdir()
    os.symlink(tmp_path / "elsewhere", repository / "src")
    with pytest.raises(UndoError, match="has become a link"):
        restore(str(repository), ENVIRON, id_, LIMIT)
    assert not (tmp_path / "elsewhere/b.txt").exists()


def test_a_snapshot_that_others_may_write_is_refused(repository: Path, home: Path) -> None:
    id_ = before(repository, "rm a.txt")
    (path,) = home.glob(f".local/state/hookkit/undo/*/{id_}")
    path.chmod(0o666)
    with pytest.raises(OSError, match="not a file of ours"):
        restore(str(repository), ENVIRON, id_, LIMIT)


def test_a_large_file_is_named_at_the_call_in_the_list_and_at_the_restore(repository: Path) -> None:
    with open(repository / "huge.bin", "wb") as file:
        file.truncate(LIMIT + 1)
    event: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_input": {"command": "rm a.txt huge.bin"},
        "cwd": str(repository),
    }
    decision = hook.run(Event("PreToolUse", event), SETTINGS)
    (id_,) = snapshots(str(repository), ENVIRON)
    assert decision is not None
    assert decision.verdict == "ask"
    assert decision.reason == (
        "hookkit cannot keep huge.bin (larger than undo.megabytes), and git cannot bring it back. Other files are "
        f"kept: hookkit undo {id_}. To switch this off: hookkit set undo.enabled false"
    )
    said = "Not kept, too large for undo.megabytes: huge.bin."
    assert missing_files(manifest_of(str(repository), ENVIRON, id_)) == said
    os.unlink(repository / "a.txt")
    assert restore(str(repository), ENVIRON, id_, LIMIT)[1:] == (1, said)


def test_a_directory_of_too_many_files_is_named_and_not_walked_to_its_end(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call waits for the snapshot: of 300,000 files, only so many are looked at as can be kept."""
    monkeypatch.setattr(snapshot, "MOST", 30)
    for folder in range(20):
        (repository / f"many/{folder}").mkdir(parents=True)
        for number in range(10):
            (repository / f"many/{folder}/{number}").write_text("x")
    looks: list[str] = []
    lstat = os.lstat

    def looked(path: str, **more: Any) -> os.stat_result:
        looks.append(str(path))
        return lstat(path, **more)

    monkeypatch.setattr(os, "lstat", looked)
    tool: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "rm -rf many a.txt"}, "cwd": str(repository)}
    decision = hook.run(Event("PreToolUse", tool), SETTINGS)
    assert decision is not None
    assert decision.verdict == "ask"
    assert "many (more than 30 files), and git cannot bring it back." in decision.reason
    assert len({path for path in looks if "/many/" in path}) < 60
    (id_,) = snapshots(str(repository), ENVIRON)
    subprocess.run(["rm", "-rf", "many"], cwd=repository, check=True)
    restore(str(repository), ENVIRON, id_, LIMIT)
    assert len([path for path in (repository / "many").rglob("*") if path.is_file()]) >= 8


def test_a_submodule_comes_back_with_its_git_file(repository: Path) -> None:
    (repository / "sub").mkdir()
    (repository / "sub/.git").write_text("gitdir: ../.git/modules/sub\n")
    (repository / "sub/code.py").write_text("x\n")
    id_ = before(repository, "rm -rf sub")
    restore(str(repository), ENVIRON, id_, LIMIT)
    assert (repository / "sub/code.py").read_text() == "x\n"
    assert (repository / "sub/.git").read_text() == "gitdir: ../.git/modules/sub\n"


def test_a_clone_inside_the_project_comes_back_as_a_repository(repository: Path) -> None:
    subprocess.run(["git", "clone", "-q", str(repository), "inner"], cwd=repository, check=True, capture_output=True)
    id_ = before(repository, "rm -rf inner")
    restore(str(repository), ENVIRON, id_, LIMIT)
    done = subprocess.run(["git", "fsck"], cwd=repository / "inner", check=False, capture_output=True)
    assert done.returncode == 0


def test_a_sparse_checkout_stays_sparse(repository: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=repository, check=True,
                       capture_output=True)  # fmt: skip

    for name in ("here", "there"):
        (repository / name).mkdir()
        (repository / name / "f").write_text(name)
    git("add", "-A")
    git("commit", "-qm", "two")
    git("sparse-checkout", "set", "here")
    (repository / "here/f").write_text("changed")
    id_ = before(repository, "git reset -q --hard")
    assert (repository / "here/f").read_text() == "here"
    restore(str(repository), ENVIRON, id_, LIMIT)
    assert (repository / "here/f").read_text() == "changed"
    assert not (repository / "there").exists()


@pytest.mark.parametrize(
    "command",
    [
        "rm -f poe.db",
        "unlink poe.db",
        "truncate -s0 poe.db",
        "cp /dev/null poe.db",
        "echo x > poe.db",
        "mv a.txt poe.db",
        "ln -sf /dev/null poe.db",
        "dd if=/dev/null of=poe.db",
        "python3 -c \"open('poe.db','w')\"",
        "python3 - <<'E'\nopen('poe.db', 'w').write('')\nE",
        "python3 -c \"import os; os.remove('poe.db')\"",
        "perl -pi -e 's/.*//s' poe.db",
        'awk \'BEGIN{print "" > "poe.db"}\'',
        "sed -i d poe.db",
        "find . -name '*.db' -delete",
        "find . -name '*.db' -exec rm {} +",
        "ls *.db | xargs rm",
        "git clean -fdx",
        "rm -rf ./*",
    ],
)
def test_work_that_git_does_not_have_comes_back(tmp_path: Path, command: str) -> None:
    """With git and without: the file is ignored there, and known to nobody here."""
    for number, with_git in enumerate((True, False)):
        root = tmp_path / f"app{number}"
        root.mkdir()
        (root / "a.txt").write_text("a")
        (root / "poe.db").write_bytes(b"\0work\xff")
        if with_git:
            (root / ".gitignore").write_text("*.db\n")
            subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        elif command.startswith("git "):
            continue
        id_ = before(root, command)
        assert id_, command
        restore(str(root), ENVIRON, id_, LIMIT)
        assert (root / "poe.db").read_bytes() == b"\0work\xff"


def test_a_file_outside_the_project_comes_back_and_a_temporary_one_is_left_alone(
    repository: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "notes.md").write_text("mine")
    monkeypatch.setattr(undo, "ELSEWHERE", (f"{home}/",))
    assert before(repository, f"cp a.txt {home}/notes.md") == ""
    (home / "notes.md").write_text("mine")
    monkeypatch.setattr(undo, "ELSEWHERE", ("/dev/",))
    id_ = before(repository, f"rm {home}/notes.md")
    restore(str(repository), ENVIRON, id_, LIMIT)
    assert (home / "notes.md").read_text() == "mine"


def test_what_a_tool_makes_again_is_not_kept(repository: Path) -> None:
    (repository / "node_modules/a").mkdir(parents=True)
    (repository / "node_modules/a/index.js").write_text("x")
    assert before(repository, "rm -rf node_modules") == ""


def test_the_person_is_told_about_deleted_files(repository: Path) -> None:
    given: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": "rm a.txt"}, "cwd": str(repository)}
    decision = hook.run(Event("PreToolUse", given), SETTINGS)
    (id_,) = snapshots(str(repository), ENVIRON)
    assert decision is not None
    assert decision.verdict is None
    assert decision.message == f"hookkit kept 1 file (hookkit undo {id_})"


def test_old_snapshots_are_deleted(repository: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By number, by age, and by the size of all of them."""
    monkeypatch.setattr(snapshot, "KEPT", 3)
    ids = []
    for number in range(5):
        (repository / "a.txt").write_text(str(number))
        ids.append(before(repository, "rm a.txt"))
    assert snapshots(str(repository), ENVIRON) == ids[:1:-1]
    (path,) = home.glob(f".local/state/hookkit/undo/*/{ids[2]}")
    os.utime(path, (0, 0))
    (repository / "a.txt").write_text("x")
    last = before(repository, "rm a.txt")
    assert snapshots(str(repository), ENVIRON) == [last, ids[4], ids[3]]
    monkeypatch.setattr(snapshot, "TOTAL", 1)
    (repository / "a.txt").write_text("x")
    before(repository, "rm a.txt")
    assert snapshots(str(repository), ENVIRON) == []


def test_a_full_disk_is_a_question(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "SPARE", 1 << 80)
    given: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": "rm a.txt"}, "cwd": str(repository)}
    decision = hook.run(Event("PreToolUse", given), SETTINGS)
    assert decision is not None
    assert (decision.verdict, "the disk is nearly full" in decision.reason) == ("ask", True)
