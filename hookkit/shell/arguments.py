"""The arguments of a call in code of another language: constants, lists of constants, and computed parts."""

from hookkit.shell.state import UNKNOWN
from hookkit.shell.tokens import MARK, NAME, STRING, Token


def arguments_of(tokens: list[Token], at: int, language: str) -> list[Token] | None:
    """The tokens of a call's arguments: in parentheses, or right behind the name (perl, ruby)."""
    if at >= len(tokens):
        return None
    bare = language in ("perl", "ruby") and tokens[at].text not in ("(", "=", ",", ";", ")", "}", ".", "->", "::", "|")
    if tokens[at].kind == STRING or bare:
        end = at
        while end < len(tokens) and tokens[end].text not in (";", "\n", "}"):
            end += 1
        return tokens[at:end]
    if tokens[at].text != "(":
        return None
    level, end = 0, at
    while end < len(tokens):
        level += (tokens[end].text == "(" and tokens[end].kind != STRING) - (
            tokens[end].text == ")" and tokens[end].kind != STRING
        )
        if not level:
            break
        end += 1
    return tokens[at + 1 : end]


def strings(tokens: list[Token]) -> list[str]:
    return [token.text for token in tokens if token.kind == STRING]


def assigned(tokens: list[Token], at: int, arguments: list[Token]) -> list[Token]:
    """`cmd = [...]; run(cmd)`: the value of a variable set only once, in front of the call."""
    if not arguments or arguments[0].kind != NAME or (len(arguments) > 1 and arguments[1].text != ","):
        return arguments
    wanted = arguments[0].text
    places = [
        place
        for place, token in enumerate(tokens[:-1])
        if token.kind == NAME and token.text == wanted and tokens[place + 1].text not in (")", ",")
    ]
    changed = any(token.kind == NAME and token.text.startswith(f"{wanted}.") for token in tokens)
    if len(places) != 1 or changed or places[0] > at or tokens[places[0] + 1].text != "=":
        return arguments
    value = tokens[places[0] + 2 :]
    if value[:1] and value[0].kind == STRING and (len(value) < 2 or value[1].text[:1] not in "+%.*,:["):  # noqa: PLR2004
        return [value[0], *arguments[1:]]
    return value if value[:1] and value[0].text in ("[", "(") and value[0].kind != STRING else arguments


def holes(text: str) -> str:
    """A format string with its computed parts as UNKNOWN."""
    pieces = text.split("{")
    return pieces[0] + "".join(UNKNOWN + piece.partition("}")[2] for piece in pieces[1:])


def all_strings(tokens: list[Token]) -> bool:
    """`"rm", "-rf", "x"`: at least two constants and commas."""
    return len(tokens) > 2 and all(  # noqa: PLR2004
        token.kind == STRING if number % 2 == 0 else token.text == "," for number, token in enumerate(tokens)
    )


def has_list(tokens: list[Token]) -> bool:
    """`system "rm", "-rf", $x`: a comma at the top level."""
    return len(tokens) > 2 and tokens[1].text == "," and tokens[1].kind == MARK  # noqa: PLR2004


def _item(tokens: list[Token]) -> str:
    """A constant of a list, or UNKNOWN."""
    if len(tokens) != 1:
        return UNKNOWN
    if tokens[0].kind == STRING:
        return tokens[0].text if tokens[0].mark != "format" else holes(tokens[0].text)
    return (
        "python" if tokens[0].text == "sys.executable" else "node" if tokens[0].text == "process.execPath" else UNKNOWN
    )


def items(tokens: list[Token]) -> list[str]:
    """The items of a list; an item other than a constant is UNKNOWN."""
    words: list[str] = []
    item: list[Token] = []
    level = 0
    for token in tokens[1:]:
        if token.kind != STRING and token.text in ("[", "(", "{"):
            level += 1
        if token.kind != STRING and token.text in ("]", ")", "}"):
            level -= 1
        if level < 0 or (not level and token.kind != STRING and token.text == ","):
            words.append(_item(item))
            item = []
            if level < 0:
                break
            continue
        item.append(token)
    if item and level > 0:
        words.append(UNKNOWN)
    return [word for number, word in enumerate(words) if word != UNKNOWN or number < len(words)]
