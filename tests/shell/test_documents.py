"""Here-documents: the body read at once is the body read line by line."""

from itertools import product

import pytest

from hookkit.errors import ShellError
from hookkit.shell.scan import scan, words
from hookkit.shell.scan.reader import Reader
from hookkit.shell.scan.words import _joined
from hookkit.shell.syntax import Simple

PIECES = ("EOF", "a\n", "EOF\n", "\n", " EOF\n", "EOFx\n", "EOF)\n", "\\\n", "$x\n", "\tEOF\n")
STARTS = ("cat <<'EOF'\n", "cat <<'EOF' <<\"B\"\nB\n", "cat <<\\EOF && ls\n", "x=$(cat <<'EOF'\n", "cat <<-'EOF'\n")


def by_lines(reader: Reader, delimiter: str) -> str:
    return _joined(reader, delimiter, literal=True, tabs=False)


def read(line: str) -> object:
    """The bodies, and the commands behind them."""
    try:
        items = scan(line).items
    except ShellError as error:
        return str(error)
    simple = [command for pipeline, _ in items for command in pipeline.commands if isinstance(command, Simple)]
    bodies = [redirect.body and redirect.body.text for command in simple for redirect in command.redirects]
    return bodies, [[word.text for word in command.words] for command in simple]


@pytest.mark.parametrize("start", STARTS)
def test_a_literal_body_is_the_same_read_at_once_and_by_lines(start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [start + "".join(pieces) for count in range(4) for pieces in product(PIECES, repeat=count)]
    at_once = [read(line) for line in lines]
    monkeypatch.setattr(words, "_literal", by_lines)
    assert [line for line, found in zip(lines, at_once, strict=True) if read(line) != found] == []


def test_bodies_are_read() -> None:
    assert read("cat <<'EOF' <<'B'\na\nEOF \nEOF\nb\nB\nls") == ((["a\nEOF \n", "b\n"], [["cat"], ["ls"]]))
