"""Reading and writing where others may have been before."""

import fcntl
import os
import stat
import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookkit.system import clipping, files


@given(st.text())
def test_a_safe_name_stays_in_its_folder(text: str) -> None:
    name = files.safe_name(text)
    assert 0 < len(name) <= 120
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


@given(st.text(), st.text())
def test_different_ids_have_different_names(one: str, two: str) -> None:
    assert one == two or files.safe_name(one) != files.safe_name(two)


def test_a_uuid_keeps_its_name() -> None:
    """The document's state file is `local-{session_id}`."""
    session = "d0fd916d-ae63-4047-8afc-de49eac20224"
    assert files.safe_name(session) == session


def test_only_one_of_many_creates(tmp_path: Path) -> None:
    path = str(tmp_path / "x")
    assert [files.create(path, b"1"), files.create(path, b"2")] == [True, False]
    assert Path(path).read_bytes() == b"1"
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert os.listdir(tmp_path) == ["x"]


def test_a_write_replaces_a_link_instead_of_following_it(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "x").symlink_to(tmp_path / "victim")
    files.write(str(tmp_path / "x"), b"new")
    assert (tmp_path / "victim").read_text() == "precious"
    assert (tmp_path / "x").read_text() == "new"


def test_a_kept_file_is_synced_before_its_name_and_its_directory_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    sync, replace = files.sync, os.replace

    def synced(handle: int) -> None:
        calls.append("directory" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        sync(handle)

    def replaced(old: str, new: str) -> None:
        calls.append("rename")
        replace(old, new)

    monkeypatch.setattr(files, "sync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    files.keep(str(tmp_path / "x"), b"new")
    assert calls == ["file", "rename", "directory"]
    assert stat.S_IMODE(os.stat(tmp_path / "x").st_mode) == 0o600


def test_a_kept_file_keeps_mode_and_attributes(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(0o640)
    try:
        os.setxattr(path, "user.note", b"mine")
    except (AttributeError, OSError):
        pytest.skip("no extended attributes on this file system")
    files.keep(str(path), b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o640)
    assert os.getxattr(path, "user.note") == b"mine"


def test_a_kept_file_keeps_its_access_list(tmp_path: Path) -> None:
    """One more user may write, the group may only read: without the list, the mask of both is the group's right."""
    path = tmp_path / "x"
    path.write_text("old")
    rows = ((1, 6, -1), (2, 6, 1234), (4, 4, -1), (16, 6, -1), (32, 0, -1))  # owner, user 1234, group, mask, others
    access = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *row) for row in rows)
    try:
        os.setxattr(path, files.ACCESS_LIST, access)
    except (AttributeError, OSError):
        pytest.skip("no access lists on this file system")
    files.keep(str(path), b"new")
    assert (path.read_bytes(), os.getxattr(path, files.ACCESS_LIST)) == (b"new", access)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_kept_file_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    os.chown(path, 1234, 1234)
    files.keep(str(path), b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 1234)


def test_temporary_files_of_a_killed_process_are_swept_and_those_of_a_running_one_stay(tmp_path: Path) -> None:
    for name, age in (("x.0123456789ab.tmp", 3600), ("x.ba9876543210.tmp", 0), ("x.mine.tmp", 3600)):
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (time.time() - age, time.time() - age))
    files.keep(str(tmp_path / "x"), b"new")
    assert sorted(os.listdir(tmp_path)) == ["x", "x.ba9876543210.tmp", "x.mine.tmp"]


@pytest.mark.parametrize("write", [files.write, files.keep])
def test_a_failed_rename_leaves_no_temporary_file(write: Callable[[str, bytes], None], tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with pytest.raises(IsADirectoryError):
        write(str(tmp_path / "x"), b"new")
    assert os.listdir(tmp_path) == ["x"]


def test_a_directory_of_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(OSError, match="not a directory of ours"):
        files.private_dir(str(tmp_path / "link"))


def test_a_directory_of_ours_is_closed_to_others(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x").chmod(0o777)
    files.private_dir(str(tmp_path / "x"))
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o755


def test_a_repository_is_found_from_below_and_a_directory_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "repo" / "a" / "b").mkdir(parents=True)
    (tmp_path / "repo" / ".git").write_text("gitdir: elsewhere")  # a worktree's .git is a file
    assert files.repository(str(tmp_path / "repo" / "a" / "b")) == str(tmp_path / "repo")
    assert files.repository("/nonexistent/x") == "/nonexistent/x"
    assert files.repository("") == ""


@given(st.text(), st.integers(60, 400))
def test_a_clipped_text_fits_and_says_what_is_missing(text: str, limit: int) -> None:
    text *= 20
    cut = clipping.clip(text, limit)
    assert clipping.length(cut) <= limit
    if clipping.length(text) > limit:
        kept, _, mark = cut.rpartition("\n[… cut by hookkit: ")
        assert text.startswith(kept)
        assert int(mark.split(" ")[0]) == clipping.length(text) - clipping.length(kept)
    else:
        assert cut == text


@given(st.lists(st.text(), min_size=1, max_size=4), st.integers(1_000, 4_000))
def test_texts_share_a_limit_and_each_keeps_its_end(texts: list[str], limit: int) -> None:
    texts = [text * 200 for text in texts]
    kept = clipping.share(texts, limit)
    assert clipping.length("\n\n".join(kept)) <= limit
    if clipping.length("\n\n".join(texts)) <= limit:
        assert kept == texts
    for text, shown in zip(texts, kept, strict=True):
        assert shown == text or (shown[:20] == text[:20] and shown[-20:] == text[-20:])


def test_a_limit_with_no_room_ends_and_fits() -> None:
    assert clipping.length(clipping.clip("x" * 500, 10)) < 100


def test_a_persons_own_file_is_not_forgotten_with_the_markers(tmp_path: Path) -> None:
    for name in ("local-notes.md", "local-old"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, 0))
    files.prune(str(tmp_path), 1e10, prefix="local-")
    assert os.listdir(tmp_path) == ["local-notes.md"]


def test_a_lock_is_held_by_one_and_waited_for_within_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with path.open("w") as one, path.open("w") as two:
        assert files.lock(one.fileno())
        assert not files.lock(two.fileno())
        start = time.monotonic()
        assert not files.lock(two.fileno(), 0.05)
        assert 0.05 <= time.monotonic() - start < 5
        fcntl.flock(one, fcntl.LOCK_UN)
        assert files.lock(two.fileno(), 0.05)


def test_a_stamp_changes_with_the_file(tmp_path: Path) -> None:
    """A writer who sets the times back is found by the change time."""
    path = tmp_path / "x"
    assert files.stamp(str(path)) == files.stamp("a\0b") == []
    path.write_text("one")
    before, info = files.stamp(str(path)), path.stat()
    assert files.stamp(str(path)) == before
    time.sleep(0.02)
    path.write_text("two")
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
    assert files.stamp(str(path)) != before


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"XDG_STATE_HOME": "/s", "HOME": "/h"}, "/s/hookkit"),
        ({"XDG_STATE_HOME": "/s/", "HOME": "/h"}, "/s/hookkit"),
        ({"XDG_STATE_HOME": "s", "HOME": "/h"}, "/h/.local/state/hookkit"),
        ({"HOME": "/h/"}, "/h/.local/state/hookkit"),
        ({"HOME": "/"}, "/.local/state/hookkit"),
    ],
)
def test_a_slash_at_the_end_of_a_variable_changes_no_path(environ: dict[str, str], expected: str) -> None:
    """Paths of the state are compared as texts, and shown."""
    assert files.state_dir(environ) == expected
