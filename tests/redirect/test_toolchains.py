"""A toolchain is a row: what else a row needs, and nobody would miss at once."""

import json
from pathlib import Path

import pytest

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
