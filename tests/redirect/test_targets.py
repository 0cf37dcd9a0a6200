"""Task files: the place of each target, and a bound on the reading of an untrusted project's files."""

import os
import time
from pathlib import Path

import pytest

from hookkit.redirect import targets, toolchains
from hookkit.redirect.targets import TaskFiles

PACKAGE = '{\n  "name": "test",\n  "scripts": {\n    "test": "jest",\n    "lint": "eslint ."\n  }\n}\n'
TASKS = "version: '3'\ntasks:\n  build: go build\n  # it\n\n  test:\n    deps: [build]\n    cmds:\n      - go test .\n"
JUST = "set shell := ['sh']\ntest: lint\n    pytest\nlint:\n    ruff check\n"


@pytest.mark.parametrize(
    ("name", "text", "line", "recipe"),
    [
        ("Makefile", "# a\nall: x\n\ntest: \\\n  unit\n\tpytest\nunit:\n\truff check\n", 4, ["pytest", "ruff check"]),
        ("Makefile", "test: a\ntest: ; pytest -q\n", 2, ["pytest -q"]),
        (
            "justfile",
            "set shell := ['sh']\ntest: lint\n    pytest\nlint:\n    ruff check\n",
            2,
            ["pytest", "ruff check"],
        ),
        ("Taskfile.yml", TASKS, 6, ["deps: [build]", "cmds:", "- go test .", "go build"]),
        ("package.json", PACKAGE, 4, ["jest"]),
    ],
    ids=["make", "make, two rules", "just", "task", "package"],
)
def test_a_target_has_a_place_and_a_recipe(tmp_path: Path, name: str, text: str, line: int, recipe: list[str]) -> None:
    path = tmp_path / name
    path.write_text(text)
    tasks = TaskFiles()
    target = tasks.targets(str(path))["test"]
    assert (target.file, target.line) == (str(path), line)
    assert [part.strip() for part in tasks.recipe(str(path), "test").split("\n") if part.strip()] == recipe


def test_a_target_of_an_included_file_has_its_place_there(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("include mk/test.mk\n")
    (tmp_path / "mk").mkdir()
    (tmp_path / "mk" / "test.mk").write_text("\ntest:\n\ttrue\n")
    tasks = TaskFiles()
    target = tasks.targets(str(tmp_path / "Makefile"))["test"]
    assert (target.file, target.line) == (str(tmp_path / "mk" / "test.mk"), 2)
    assert tasks.sources[str(tmp_path / "Makefile")] == [str(tmp_path / "Makefile"), str(tmp_path / "mk" / "test.mk")]
    assert tasks.partial == set()


@pytest.mark.parametrize(
    "text",
    ["include $(FILES)\ntest:\n", "include *.mk\ntest:\n", "import 'x.just'\ntest:\n", "mod x\ntest:\n"],
)
def test_an_include_that_cannot_be_followed_makes_a_file_partial(tmp_path: Path, text: str) -> None:
    """The files behind it are unknown, so that no person can have trusted them."""
    path = tmp_path / ("Makefile" if text.startswith("include") else "justfile")
    path.write_text(text)
    tasks = TaskFiles()
    assert "test" in tasks.targets(str(path))
    assert tasks.partial == {str(path)}


def test_one_file_under_many_names_is_read_once(tmp_path: Path) -> None:
    """Fifteen spellings, a link and a hard link of an include of a megabyte cost what one costs."""
    (tmp_path / "big.mk").write_text("a:\n\tb\n" * 150_000)
    (tmp_path / "link.mk").symlink_to("big.mk")
    os.link(tmp_path / "big.mk", tmp_path / "hard.mk")
    names = [f"{'./' * number}big.mk" for number in range(1, 15)] + [f"{tmp_path}/big.mk", "link.mk", "hard.mk"]
    (tmp_path / "Makefile").write_text("test:\n\ttrue\n" + "".join(f"include {name}\n" for name in names))
    tasks = TaskFiles()
    start = time.process_time()
    assert "test" in tasks.targets(str(tmp_path / "Makefile"))
    assert time.process_time() - start < 1.5
    assert len(tasks.sources[str(tmp_path / "Makefile")]) == 2
    assert tasks.left == 0


HOSTILE = {
    "many includes": ("Makefile", "include " + " ".join(f"{n}.mk" for n in range(40_000)) + "\n"),
    "one long recipe": ("Makefile", "test:\n" + "\tx\n" * 200_000),
    "one long line": ("Makefile", "test: " + "x " * 260_000 + "\n"),
    "a line joined for ever": ("Makefile", "test: x" + "\\\n" * 200_000),
    "many targets": ("Makefile", "".join(f"t{n}:\n" for n in range(60_000))),
    "prerequisites in a circle": ("Makefile", "test: a\na: test b\nb: a\n" * 10_000),
    "a long justfile": ("justfile", "test:\n" + " x\n" * 170_000),
    "a long Taskfile": ("Taskfile.yml", "tasks:\n  test:\n" + "    - deps: [a, b]\n" * 25_000),
    "many scripts": ("package.json", '{"scripts": {' + ", ".join(f'"\\u0061{n}": "x"' for n in range(25_000)) + "}}"),
}


@pytest.mark.parametrize(("name", "text"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_costs_little(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    tasks = TaskFiles()
    start = time.process_time()
    toolchains.ecosystems(tasks.recipe(str(path), "test"))
    assert time.process_time() - start < 1.5


def test_all_files_of_a_line_share_one_limit(tmp_path: Path) -> None:
    tasks = TaskFiles()
    for number in range(5):
        place = tmp_path / str(number)
        place.mkdir()
        (place / "Makefile").write_text("test:\n" + "#" * (targets.LIMIT // 2))
        tasks.targets(str(place / "Makefile"))
    assert tasks.left == 0
    assert str(tmp_path / "0" / "Makefile") not in tasks.partial
    assert str(tmp_path / "4" / "Makefile") in tasks.partial


@pytest.mark.parametrize(
    ("recipe", "found"),
    [
        ("pytest -q", {"python"}),
        ("\t@cd web && CI=1 npx jest", {"node"}),
        ("uv run pytest && (cargo test; go vet ./...)", {"python", "rust", "go"}),
        ("$(PYTHON) -m pytest", {"python"}),
        ("${CARGO} test", {"rust"}),
        ("- npm test", {"node"}),
        ("cmds: [go test, ruff check]", {"go", "python"}),
        ("./gradlew test", {"gradle"}),
        ("./run-tests.sh --pytest", set()),
        ("echo pytest", set()),
        ("", set()),
    ],
)
def test_a_recipe_plainly_runs_the_tools_of_its_commands(recipe: str, found: set[str]) -> None:
    assert toolchains.ecosystems(recipe) == found
