"""A TOML file with the place of everything in it: the parser tells values, the text tells lines."""

import re
import sys
from functools import cached_property
from typing import Any

from hookkit.documents.finding import Problem

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_KEY = re.compile(r"""[ \t]*("[^"]*"|'[^']*'|[A-Za-z0-9_-]+(?:[ \t]?\.[ \t]?[A-Za-z0-9_-]+)*)[ \t]*=""")
_AT = re.compile(r"\(at (?:line (\d+), column (\d+)|end of document)\)")


DOTS = 32


def _dots(line: str) -> int:
    return line.partition("=")[0].count(".")


class Source:
    """`data`, or the `problem` that kept it from being read."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = text.splitlines()
        self.data: dict[str, Any] = {}
        self.problem: Problem | None = None
        deep = next((number for number, line in enumerate(self.lines, 1) if _dots(line) > DOTS), 0)
        if deep:  # the parser takes a time that grows with their square
            self.problem = Problem(path, (deep, 1), f"a name of more than {DOTS} parts")
            return
        try:
            self.data = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            self.problem = self._unreadable(str(error))

    def _unreadable(self, said: str) -> Problem:
        at = _AT.search(said)
        where = (len(self.lines) or 1, 1)
        if at and at.group(1):
            where = (int(at.group(1)), int(at.group(2)))
        return Problem(self.path, where, f"not TOML: {_AT.sub('', said).strip()}")

    def place(self, name: str, row: int | None = None, field: str = "") -> tuple[int, int]:
        """Line and column of a setting, of one of its rows, or of a field in that row."""
        wanted = f"{name}.{field}" if field else name
        count = -1
        best = (1, 1)
        for number, line, at, full, is_header in self._keys:
            if is_header and full == name:
                count += 1
                if row is None or count == row:
                    best = (number, at)
            in_row = row is None or count == row
            if full == wanted and in_row:
                return (number, at)
            if not is_header and full == name and best == (1, 1):
                best = (number, line.index(line.lstrip()[0]) + 1)
        return best

    @cached_property
    def _keys(self) -> list[tuple[int, str, int, str, bool]]:
        found = []
        section = ""
        for number, line in enumerate(self.lines, 1):
            bare, key = line.strip(), _KEY.match(line)
            if bare.startswith("[") and "]" in bare:
                section = bare.partition("#")[0].strip().strip("[]").replace(" ", "").replace('"', "")
                found.append((number, line, line.index("[") + 1, section, True))
            elif key:
                name = key.group(1).replace(" ", "").strip("\"'")
                full = f"{section}.{name}" if section else name
                found.append((number, line, key.start(1) + 1, full, False))
        return found
