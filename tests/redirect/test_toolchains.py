"""A toolchain is a row: what else a row needs, and nobody would miss at once."""

import json
from pathlib import Path

import pytest

from hookkit.redirect import toolchains
from hookkit.redirect.toolchains import BY_NAME, ROWS, Toolchain

ROOT = Path(__file__).parents[2]
CASES = [json.loads(line) for line in (ROOT / "tests" / "cases" / "redirect.jsonl").read_text().splitlines()]
PAGE = (ROOT / "docs" / "hooks" / "redirect.md").read_text()
each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


@each_row
def test_a_toolchain_has_a_rewritten_call(row: Toolchain) -> None:
    """In a project with its marker, and with its lock if it has one."""
    projects = [{Path(name).name for name in case.get("files", ())} for case in CASES if case["reply"]]
    tried = [names for names in projects if names & {*row.markers} and (not row.lock or names & {*row.lock})]
    assert tried, f"{row.name} needs a row in tests/cases/redirect.jsonl"


@each_row
def test_the_ecosystem_of_a_toolchain_is_known(row: Toolchain) -> None:
    """A toolchain without one runs task files; an unknown one never keeps a working command in its language."""
    assert not row.ecosystem or row.ecosystem in BY_NAME, f"{row.ecosystem} needs a row in ECOSYSTEMS"
    assert not row.commands or row.ecosystem


@each_row
def test_the_page_names_the_toolchain(row: Toolchain) -> None:
    named = any(name in PAGE for name in row.markers) or f"`{row.name} " in PAGE
    assert named, f"{row.name} needs a row in docs/hooks/redirect.md"


@pytest.mark.parametrize(
    ("recipe", "names"),
    [
        ("pytest -q", ["pytest"]),
        ("\t@-docker compose up -d && pytest; docker compose down", ["docker", "pytest", "docker"]),
        ("if [ -d x ]; then tox; else nox -s unit; fi", ["tox", "nox"]),
        ('echo "first, lint; then test" | tee log', ["tee"]),
        ("CI=1 env A=b timeout -k 5 60 pytest  # and; more", ["pytest"]),
        ("# pytest", []),
        ("$(PYTHON) -m pytest && ${TOOL} x", []),
        ("./scripts/test.sh", []),
        ("cd api && ./run.sh && pytest", ["pytest"]),
        ("pytest \\\n  tests/unit", ["pytest"]),
        ("desc: Runs it, all\ncmds:\n  - cmd: npm test\n  - task: lint\nsilent: true", ["npm"]),
        ("#!/usr/bin/env python3\nimport x\nprint(1)", []),
        ("for x in a b; do\n  go test $x\ndone", ["go"]),
        ("{{runner}} test", []),
    ],
)
def test_the_programs_of_a_recipe_must_be_there(recipe: str, names: list[str]) -> None:
    assert list(toolchains.programs_of(recipe)) == names


@pytest.mark.parametrize(
    ("recipe", "targets"),
    [
        ("$(MAKE) unit lint", ["unit", "lint"]),
        ("${MAKE} V=1 unit", ["unit"]),
        ("$(MAKE) -C api test", [toolchains.UNKNOWN]),
        ("cd api && make test", [toolchains.UNKNOWN]),
        ("@just unit", ["unit"]),
        ("make", [toolchains.UNKNOWN]),
        ("pytest make", []),
    ],
)
def test_a_recipe_calls_targets(recipe: str, targets: list[str]) -> None:
    assert toolchains.called(recipe) == targets


@pytest.mark.parametrize(
    ("recipe", "command", "is_other"),
    [("eslint --fix .", "eslint .", True), ("eslint --fix .", "eslint --fix .", False), ("jest --watch", "jest", True),
     ('"vitest --ui"', "vitest run", True), ("jest --watch=false", "jest", False), ("pytest -q", "pytest", False)],
)  # fmt: skip
def test_a_recipe_that_watches_or_changes_files_is_another_run(recipe: str, command: str, *, is_other: bool) -> None:
    assert toolchains.is_other_run(recipe, command.split()) is is_other
