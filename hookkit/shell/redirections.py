"""Redirections: `2>file`, `{fd}<file`, `<<EOF`."""

from hookkit.shell.expansions import is_process
from hookkit.shell.quotes import name
from hookkit.shell.reader import STOP, Reader
from hookkit.shell.syntax import LITERAL, Part, Redirect, Word, is_name
from hookkit.shell.words import word

# By their first character, the longer operators first.
OPERATORS = {
    "<": ("<<<", "<<-", "<<", "<&", "<>", "<"),
    ">": (">>", ">&", ">|", ">"),
    "&": ("&>>", "&>"),
}
HEREDOCS = ("<<", "<<-")
DIGITS = "0123456789"
REDIRECTING = "<>&{" + DIGITS  # first characters of a redirection
MOST_DIGITS = 9  # of a file descriptor; a longer number is a word


def redirections(reader: Reader, found: list[Redirect]) -> None:
    """Read all redirections from here on."""
    while True:
        back = reader.at
        reader.blanks()
        redirect = redirection(reader)
        if redirect is None:
            reader.at = back
            return
        found.append(redirect)


def redirection(reader: Reader) -> Redirect | None:
    """The redirection at this position, or None."""
    start = reader.at
    char = reader.text[start]
    if char not in REDIRECTING or (char == "&" and reader.behind("&>") < 0):
        return None
    fd = _descriptor(reader) if char not in "<>&" else ""
    reader.join()
    operator = _operator(reader)
    if not operator or (operator.startswith("&") and fd):
        reader.at = start
        return None
    redirect = Redirect(start, operator, fd)
    reader.blanks()
    redirect.target = _target(reader, operator)
    redirect.end = reader.at
    if operator in HEREDOCS:
        if reader.doubled:  # bash reads these parentheses twice, and the here-document from another position
            raise reader.fail("a here-document inside ((")
        reader.heredocs.append(redirect)
        reader.documents += 1
    return redirect


def _descriptor(reader: Reader) -> str:
    """A number, `{name}` or `{name[…]}`; an empty string, with the position unchanged, if there is none."""
    start = reader.at
    if reader.peek() in DIGITS:
        number = name(reader)
        if number.isdigit() and len(number.lstrip("0")) <= MOST_DIGITS:
            return number
    elif reader.take("{"):
        reader.join()
        variable = name(reader)
        subscript = reader.run(STOP + "]}") if is_name(variable) and reader.peek() == "[" else ""
        if is_name(variable) and reader.take("]}" if subscript else "}"):
            return "{" + variable + (subscript + "]" if subscript else "") + "}"
    reader.at = start
    return ""


def _operator(reader: Reader) -> str:
    if is_process(reader):
        return ""
    for operator in OPERATORS.get(reader.peek(), ()):
        if reader.take(operator):
            return operator
    return ""


def _target(reader: Reader, operator: str) -> Word:
    """In `>&-x` the target is only the dash, and `x` is a word of the command."""
    if operator in ("<&", ">&") and reader.peek() == "-":
        reader.at += 1
        return Word(reader.at - 1, reader.at, [Part(LITERAL, "-")], plain=True)
    target = word(reader)
    if operator == ">&" and any(
        part.kind == LITERAL and ("$" in part.text or "`" in part.text) for part in target.parts
    ):
        raise reader.fail("a target that bash expands twice")
    return target
