"""What a recipe runs: its programs, the targets that it calls, and whether it is another run than the command."""

import pytest

from hookkit.redirect import recipes


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
    assert list(recipes.programs(recipe)) == names


@pytest.mark.parametrize(
    ("recipe", "targets"),
    [
        ("$(MAKE) unit lint", ["unit", "lint"]),
        ("${MAKE} V=1 unit", ["unit"]),
        ("$(MAKE) -C api test", [recipes.UNKNOWN]),
        ("cd api && make test", [recipes.UNKNOWN]),
        ("@just unit", ["unit"]),
        ("make", [recipes.UNKNOWN]),
        ("pytest make", []),
    ],
)
def test_a_recipe_calls_targets(recipe: str, targets: list[str]) -> None:
    assert recipes.called(recipe) == targets


@pytest.mark.parametrize(
    ("recipe", "command", "is_other"),
    [("eslint --fix .", "eslint .", True), ("eslint --fix .", "eslint --fix .", False), ("jest --watch", "jest", True),
     ('"vitest --ui"', "vitest run", True), ("jest --watch=false", "jest", False), ("pytest -q", "pytest", False)],
)  # fmt: skip
def test_a_recipe_that_watches_or_changes_files_is_another_run(recipe: str, command: str, *, is_other: bool) -> None:
    assert recipes.is_other_run(recipe, command.split()) is is_other
