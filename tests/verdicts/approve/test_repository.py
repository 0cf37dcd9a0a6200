"""The reader of git's settings agrees with git itself."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookkit.verdicts.approve.repository import settings_in

# Git before 2.45 turns a tab inside a value into a blank, so no tabs here.
PIECES = ("a", "B", " ", '"', "\\\\", '\\"', "\\n", "\\\n", "#", ";", "=", "-", "\\t")


def by_git(path: Path) -> "list[tuple[str, str, str]] | None":
    words = ["git", "config", "-f", str(path), "--list", "-z"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    rows = [entry.partition("\n") for entry in done.stdout.split("\0")[:-1]]
    return None if done.returncode else [
        (name.partition(".")[0].lower(), name.rpartition(".")[2].lower(), value if mark else "true")
        for name, mark, value in rows
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "[core]\n hooksPath = MyHooks\n",
        "[core] hooksPath = hk # c\n",
        '[core]\nhooksPath = h"k"\n',
        '[CORE]\n\tHooksPath="a b" ; x\n[filter "x\\"]y"]\n clean = foo \\\n bar\n',
        "[a.B]\nx\n[include]\npath=~/x\n",
        "[core]\r\n a = b\r\n",
        '[includeIf "gitdir:/x"]\n path = y\n',
    ],
)
def test_settings_are_read_as_git_reads_them(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config"
    path.write_bytes(text.encode())
    assert list(settings_in(text)) == by_git(path)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_any_value_is_read_as_git_reads_it(tmp_path: Path, pieces: list[str]) -> None:
    text = f"[core]\n k = {''.join(pieces)}\n z=1\n"
    path = tmp_path / "config"
    path.write_text(text)
    expected = by_git(path)
    if expected is not None:  # git refuses the rest, and then runs nothing
        assert list(settings_in(text)) == expected
