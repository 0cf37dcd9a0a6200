"""Directories without symbolic links: the same as the standard library's, asked once."""

import os
from pathlib import Path

import pytest

from hookkit.system.files import Holding, memory, real


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "a/b/c").mkdir(parents=True)
    (tmp_path / "to_b").symlink_to("a/b")
    (tmp_path / "a/b/up").symlink_to("../..")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "gone").symlink_to("nowhere/at/all")
    (tmp_path / "file").write_text("")
    return tmp_path


PATHS = (
    "", "a", "a/b/c", "to_b", "to_b/c", "to_b/up/to_b/c", "a/b/up/a", "loop", "loop/x", "gone/x", "file/x", "none/x/y",
    "x\0y/z", "/".join("d" * 80),
)  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_a_path_is_what_the_standard_library_says(tree: Path, path: str) -> None:
    known: dict[str, str] = {}
    whole = os.path.join(tree, path).rstrip("/")
    try:
        wanted = os.path.realpath(whole)
    except ValueError:
        wanted = whole  # no file can have this name
    assert [real(whole, known) for _ in range(2)] == [wanted] * 2


@pytest.mark.parametrize("path", ["/", "//", "//usr", "", "relative/x", "/nowhere"])
def test_an_odd_path_is_what_the_standard_library_says(path: str) -> None:
    assert real(path, {}) == os.path.realpath(path)


def test_paths_do_not_disturb_each_other(tree: Path) -> None:
    known: dict[str, str] = {}
    for path in (*PATHS, *reversed(PATHS)):
        if "\0" not in path:
            whole = os.path.join(tree, path).rstrip("/")
            assert real(whole, known) == os.path.realpath(whole)


def test_the_memory_lasts_as_long_as_it_is_held() -> None:
    assert memory() is not memory()
    with Holding():
        assert memory() is memory()
        real("/usr", memory())
        assert "/usr" in memory()
    assert memory() == {}
