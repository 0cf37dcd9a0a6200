"""The scanner, row by row: the commands found in a line, compared with the commands that bash runs."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import hookkit.shell
from hookkit.errors import ShellError
from hookkit.shell.scan import LIMIT, scan
from tests.shell import truth
from tests.shell.sight import check_places, described, shape, simples, words

Row = dict[str, Any]
CASES = Path(__file__).parent.parent / "cases" / "shell"
ROWS: dict[str, Row] = {
    f"{path.stem}: {row['id']}": row
    for path in sorted(CASES.glob("*.jsonl"))
    for row in map(json.loads, path.read_text().splitlines())
}
SEEN = [pytest.param(row, id=name) for name, row in ROWS.items() if "sees" in row]
REFUSED = [pytest.param(row, id=name) for name, row in ROWS.items() if "error" in row]


@pytest.mark.parametrize("row", SEEN)
def test_a_command_line_shows_its_simple_commands(row: Row) -> None:
    script = scan(row["command"])
    assert described(script) == row["sees"]
    assert shape(script) == row.get("shape", shape(script))
    check_places(row["command"], script)


@pytest.mark.parametrize("row", REFUSED)
def test_an_unreadable_line_is_refused_with_its_position(row: Row) -> None:
    with pytest.raises(ShellError) as error:
        scan(row["command"])
    assert (str(error.value), error.value.offset) == (row["error"], row["at"])


@pytest.mark.parametrize("row", SEEN)
def test_a_words_source_alone_is_read_as_the_same_word(row: Row) -> None:
    """A rewrite may move a word, so text[word.start:word.end] is exactly the source of the word."""
    text = row["command"]
    for command, _, attached in simples(scan(text)):
        for word in command.words if attached else []:
            source = text[word.start : word.end]
            if "[" not in source and "extglob" not in text:
                assert words(scan(f"p q {source}"))[0] == ["p", "q", word.text]


@pytest.mark.skipif(not truth.BASH, reason="bash is not installed")
def test_bash_runs_nothing_that_a_row_does_not_show() -> None:
    commands = [row["command"] for row in ROWS.values() if "sees" in row]
    given = [command for command in commands if not any("\ud800" <= char <= "\udfff" for char in command)]
    for command, calls in zip(given, truth.ran_each(given), strict=True):
        seen = words(scan(command))
        assert [call for call in calls if not truth.is_seen(call, seen)] == [], command


ORDER = "reader expansions parameters words compounds __init__".split()


@pytest.mark.parametrize("name", ORDER)
def test_a_module_of_the_scanner_imports_only_modules_before_it(name: str) -> None:
    """Late imports count too. Only the Grammar leads from a lower module to a higher module."""
    tree = ast.parse((Path(hookkit.shell.__path__[0]) / "scan" / f"{name}.py").read_text())
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names} if node.module == "hookkit.shell.scan" else {node.module or ""}
            imported |= {found.rpartition(".")[2] for found in names} & set(ORDER)
    assert imported <= set(ORDER[: ORDER.index(name)])


def test_a_line_up_to_the_limit_is_read_and_a_longer_line_refused() -> None:
    assert words(scan("p" * LIMIT)) == [["p" * LIMIT]]
    with pytest.raises(ShellError, match="longer than 65536 characters"):
        scan("p" * (LIMIT + 1))


def test_commands_inside_backquotes_and_documents_have_no_position_in_the_line() -> None:
    """Their text was taken out of the line with escapes removed, so a rewrite in the line is impossible."""
    found = {command.words[0].text: attached for command, _, attached in simples(scan("p1 `p2` $(p3) <<E\n$(p4)\nE\n"))}
    assert found == {"p1": True, "p2": False, "p3": True, "p4": False}


def test_an_error_inside_backquotes_has_the_position_of_the_backquotes() -> None:
    with pytest.raises(ShellError) as error:
        scan("p a `q 'b`")
    assert error.value.offset == len("p a `q 'b`")
