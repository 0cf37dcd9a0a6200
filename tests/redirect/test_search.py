"""The overview of `hookkit toolchain`: for each action the command of each ecosystem, and its place."""

import os
from pathlib import Path

import pytest

from hookkit.redirect.search import CommandSearch
from hookkit.redirect.targets import TaskFiles
from tests.conftest import Run

PACKAGE = '{\n  "scripts": {\n    "test": "jest"\n  }\n}\n'
MIXED = {
    "pyproject.toml": "", "uv.lock": "", "Cargo.toml": "", "web/package.json": PACKAGE,
    "Makefile": ".PHONY: lint\nlint:\n\truff check\n",
}  # fmt: skip


def overview(project: Path, place: str = "") -> list[tuple[str, str, str, str]]:
    here = str(project / place)
    found = CommandSearch(os.path.normpath(here), str(project), TaskFiles()).overview()
    return [
        (action, eco, *((one.text, os.path.relpath(one.place, here)) if one else ("", "")))
        for action, eco, one in found
    ]


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("", [("test", "python", "uv run pytest", "pyproject.toml"), ("test", "", "cargo test", "Cargo.toml"),
              ("build", "", "cargo build", "Cargo.toml"),
              ("lint", "rust", "cargo clippy", "Cargo.toml"), ("lint", "", "make lint", "Makefile:2")]),
        ("web", [("test", "python", "uv run pytest", "../pyproject.toml"), ("test", "node", "", ""),
                 ("test", "", "cargo test", "../Cargo.toml"), ("build", "", "cargo build", "../Cargo.toml"),
                 ("lint", "rust", "cargo clippy", "../Cargo.toml"), ("lint", "", "make -C .. lint", "../Makefile:2")]),
    ],
    ids=["root", "package"],
)  # fmt: skip
def test_a_mixed_project_has_a_command_for_each_ecosystem(
    project: Path, place: str, expected: list[tuple[str, str, str, str]]
) -> None:
    (project / "web").mkdir()
    for name, text in MIXED.items():
        (project / name).write_text(text)
    assert overview(project, place) == expected


def test_toolchain_names_the_file_and_the_line(project: Path, hookkit: Run) -> None:
    (project / "Makefile").write_text("\ntest:\n\ttrue\n")
    lines = hookkit("toolchain", cwd=project).stdout.decode().splitlines()
    assert [line.split() for line in lines if "make" in line] == [
        ["test", "every", "command", "make", "test", "Makefile:2"]
    ]


def test_toolchain_of_an_empty_project_says_so(project: Path, hookkit: Run) -> None:
    said = hookkit("toolchain", cwd=project).stdout.decode()
    assert said == "No toolchain is known here: commands stay as written.\n"
