"""The result of a scan as plain data: every simple command, with the kinds of nodes around it."""

from collections.abc import Iterator
from typing import Any

from hookkit.shell.syntax import ARRAY, VARIABLE, Compound, Redirect, Script, Simple, Word

Path = tuple[str, ...]


def simples(script: Script, path: Path = ()) -> Iterator[tuple[Simple, Path, bool]]:
    """Every simple command, the kinds of nodes around it, and whether its positions are positions in the line."""
    for pipeline, _ in script.items:
        for command in pipeline.commands:
            if isinstance(command, Simple):
                yield command, path, script.attached
                yield from _in_words([*command.assignments, *command.words], path)
            else:
                inside = (*path, command.kind)
                yield from _in_words(command.words, inside)
                for inner in command.scripts:
                    yield from simples(inner, inside)
            yield from _in_redirects(command.redirects, path)


def _in_words(words: list[Word], path: Path) -> Iterator[tuple[Simple, Path, bool]]:
    for word in words:
        for part in word.parts:
            for script in part.scripts:
                yield from simples(script, (*path, part.kind))
            if part.kind == ARRAY:
                yield from _in_words(list(part.words), (*path, part.kind))


def _in_redirects(redirects: list[Redirect], path: Path) -> Iterator[tuple[Simple, Path, bool]]:
    for redirect in redirects:
        yield from _in_words([redirect.target], path)
        if redirect.body is not None:
            yield from _in_words([redirect.body], (*path, "document"))


def words(script: Script) -> list[list[str | None]]:
    """The words of every simple command, None for a word known only to a running shell."""
    return [[word.text for word in command.words] for command, _, _ in simples(script)]


def names(script: Script) -> list[str | None]:
    return [found[0] for found in words(script) if found]


def described(script: Script) -> list[Any]:
    """The simple commands in the format of tests/cases/shell: a dict, or a list if there are only words."""
    return [_described(command, path) for command, path, _ in simples(script)]


def _described(command: Simple, path: Path) -> Any:
    found: dict[str, Any] = {"words": [word.text for word in command.words]}
    if command.assignments:
        found["assigns"] = [_assignment(word) for word in command.assignments]
    if command.redirects:
        found["redirects"] = [_redirect(redirect) for redirect in command.redirects]
    if path:
        found["in"] = " ".join(path)
    return found["words"] if len(found) == 1 else found


def _assignment(word: Word) -> Any:
    """The text, or the elements of an array."""
    arrays = [part for part in word.parts if part.kind == ARRAY and part.words]
    return [inner.text for inner in arrays[0].words] if arrays else word.text


def _redirect(redirect: Redirect) -> list[str | None]:
    body = [] if redirect.body is None else [redirect.body.text]
    return [redirect.fd + redirect.operator, redirect.target.text, *body]


def shape(script: Script) -> str:
    """The structure of the command line: `if[p1 ;, p2 ;] && ! p3 | p4`."""
    shapes = []
    for pipeline, operator in script.items:
        commands = " | ".join(_shape(command) for command in pipeline.commands)
        shapes.append(
            ("! " if pipeline.negated else "") + commands + (" " + repr(operator).strip("'") if operator else "")
        )
    return " ".join(shapes)


def _shape(command: Simple | Compound) -> str:
    if isinstance(command, Simple):
        return str(command.words[0].text) if command.words else "-"
    name = f" {command.name}" if command.name else ""
    return f"{command.kind}{name}[" + ", ".join(shape(script) for script in command.scripts) + "]"


# -- positions -----------------------------------------------------------------------------------


def check_places(text: str, script: Script) -> None:
    """Every node lies inside its parent, in the written order, with only blanks between words."""
    if script.attached:
        _check_script(text, script, 0, len(text))


def _check_script(text: str, script: Script, start: int, end: int) -> None:
    at = start
    for pipeline, _ in script.items:
        assert at <= pipeline.start
        at = pipeline.start
        for command in pipeline.commands:
            assert at <= command.start <= command.end <= end
            at = command.end
            if isinstance(command, Simple):
                _check_simple(text, command)
            else:
                _check_compound(text, command)


def _check_simple(text: str, command: Simple) -> None:
    pieces: list[Word | Redirect] = [*command.assignments, *command.words, *command.redirects]
    pieces.sort(key=lambda piece: piece.start)
    at = command.start
    for piece in pieces:
        gap = text[at : piece.start].replace("\\\n", "")
        assert not gap.strip(" \t")
        at = piece.end
        _check_word(text, piece.target if isinstance(piece, Redirect) else piece, piece.start, piece.end)
    assert at == command.end


def _check_compound(text: str, command: Compound) -> None:
    for word in command.words:
        _check_word(text, word, command.start, command.end)
    for script in command.scripts:
        if script.attached:
            _check_script(text, script, command.start, command.end)
    for redirect in command.redirects:
        _check_word(text, redirect.target, redirect.start, redirect.end)
        assert command.start <= redirect.start < redirect.end <= command.end


def _check_word(text: str, word: Word, start: int, end: int) -> None:
    assert start <= word.start < word.end <= end <= len(text)
    for part in word.parts:
        for script in part.scripts:
            if script.attached:
                _check_script(text, script, word.start, word.end)
        for inner in part.words:
            if part.kind == VARIABLE and inner.start == inner.end:  # an operand taken out of the line
                assert word.start <= inner.start <= word.end
            else:
                _check_word(text, inner, word.start, word.end)
    if word.plain:
        assert text[word.start : word.end].replace("\\\n", "") == word.text
