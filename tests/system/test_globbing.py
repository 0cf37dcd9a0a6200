"""A pattern finds what the shell finds, and stops at its budget."""

from glob import glob
from pathlib import Path

import pytest

from hookkit.system import globbing


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a/x.py", "a/b/y.py", "a/b/.z.py", "c.txt", ".hidden/x.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    return tmp_path


@pytest.mark.parametrize("pattern", ["*", "*/*", "a/*.py", "a/?.py", ".*", "a/[bx]*", "*/b/*.py", "missing/*", "c.txt"])
def test_a_pattern_finds_what_the_shell_finds(tree: Path, pattern: str) -> None:
    found = list(globbing.matches(f"{tree}/{pattern}"))
    assert sorted(found) == sorted(glob(f"{tree}/{pattern}"))


def test_two_stars_go_to_any_depth(tree: Path) -> None:
    names = {Path(path).name for path in globbing.matches(f"{tree}/**/*.py", hidden=True)}
    assert names == {"x.py", "y.py", ".z.py"}


def test_names_are_counted_and_not_finds(tree: Path) -> None:
    with pytest.raises(globbing.TooMany):
        list(globbing.matches(f"{tree}/*/*/zzz/*", visits=3))
