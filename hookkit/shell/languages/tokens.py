"""Other languages as tokens, and the arguments of a call in them."""

from hookkit.shell.state import UNKNOWN

NAME, STRING, MARK = "name", "string", "mark"
LETTERS = frozenset("_$abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
PAIRS = {"(": ")", "{": "}", "[": "]", "<": ">"}
LONGEST = 40_000  # characters read of the code


class Token:
    """`mark` is "command" for a string run as a command, "format" for a string with computed parts."""

    __slots__ = ("kind", "mark", "text")

    def __init__(self, kind: str, text: str, mark: str = "") -> None:
        self.kind = kind
        self.text = text
        self.mark = mark


def tokenize(code: str, language: str) -> list[Token]:
    tokens: list[Token] = []
    code = code[:LONGEST]
    at = 0
    while at < len(code):
        char = code[at]
        if char in " \t\r\n":
            at += 1
        elif (char == "#" and language not in ("js", "php")) or (
            char == "/" and code[at : at + 2] == "//" and language in ("js", "php")
        ):
            at = _line_end(code, at)
        elif char in "\"'" or (char == "`" and language not in ("python", "awk", "sql")):
            token, at = _string(code, at, language)
            _add(tokens, token)
        elif char in LETTERS:
            at = _name(code, at, language, tokens)
        elif code[at : at + 2] in ("||", "|&", ">>", "&&", "->", "::"):
            tokens.append(Token(MARK, code[at : at + 2]))
            at += 2
        elif char == "%" and language == "ruby" and code[at + 1 : at + 2] == "x" and code[at + 2 : at + 3] in PAIRS:
            text, at = _until(code, at + 3, PAIRS[code[at + 2]])
            tokens.append(Token(STRING, text, "command"))
        else:
            tokens.append(Token(MARK, char))
            at += 1
    return tokens


def _line_end(code: str, at: int) -> int:
    end = code.find("\n", at)
    return len(code) if end < 0 else end


def _add(tokens: list[Token], token: Token) -> None:
    """Neighbouring constants are joined: `"re" + "move"`, `"a" "b"`, `"a" . "b"`."""
    joins = len(tokens) > 1 and tokens[-1].text in ("+", ".") and tokens[-1].kind == MARK and tokens[-2].kind == STRING
    if joins and not token.mark and not tokens[-2].mark:
        tokens.pop()
        tokens[-1] = Token(STRING, tokens[-1].text + token.text)
    elif tokens and tokens[-1].kind == STRING and not token.mark and not tokens[-1].mark:
        tokens[-1] = Token(STRING, tokens[-1].text + token.text)
    else:
        tokens.append(token)


def _string(code: str, at: int, language: str) -> tuple[Token, int]:
    quote = code[at]
    if code[at : at + 3] == quote * 3 and language == "python":
        end = code.find(quote * 3, at + 3)
        end = len(code) if end < 0 else end
        return Token(STRING, code[at + 3 : end]), end + 3
    text, end = _until(code, at + 1, quote)
    mark = ""
    if quote == "`":
        mark = "format" if language == "js" and "${" in text else "" if language == "js" else "command"
    elif quote == '"' and language in ("perl", "ruby", "php") and any(sign in text for sign in ("$", "#{", "@{")):
        mark = "format" if language != "ruby" or "#{" in text else ""
    return Token(STRING, _plain(text), mark), end


def _plain(text: str) -> str:
    return text.replace("\\n", "\n").replace("\\t", "\t").replace("\\", "") if "\\" in text else text


def _until(code: str, at: int, close: str) -> tuple[str, int]:
    start = at
    while at < len(code) and code[at] != close:
        at += 2 if code[at] == "\\" else 1
    return code[start:at], at + 1


def _name(code: str, at: int, language: str, tokens: list[Token]) -> int:
    """A name with its dots; in perl and ruby also `q(…)`, in python `f"…"`."""
    start = at
    while at < len(code) and (code[at] in LETTERS or (code[at] == "." and code[at + 1 : at + 2] in LETTERS)):
        at += 1
    name = code[start:at]
    if language in ("perl", "ruby") and name in ("q", "qq", "qx", "qw") and at < len(code) and code[at] not in " ,;=)":
        text, end = _until(code, at + 1, PAIRS.get(code[at], code[at]))
        mark = "command" if name == "qx" else "format" if name == "qq" and "$" in text else ""
        _add(tokens, Token(STRING, text, mark))
        return end
    if (
        language == "python"
        and name.lower() in ("f", "rf", "fr", "b", "r", "u", "br", "rb")
        and code[at : at + 1] in ('"', "'")
    ):
        token, end = _string(code, at, language)
        if "f" in name.lower() and "{" in token.text:
            token.mark = "format"
        tokens.append(token)
        return end
    if tokens and tokens[-1].kind == MARK and tokens[-1].text in (".", "->", "::") and len(tokens) > 1:
        tokens.pop()
        name = f"{_owner(tokens)}.{name}"
    tokens.append(Token(NAME, name))
    return at


def _owner(tokens: list[Token]) -> str:
    """The object in front of `.name` behind a call: `require("fs").rm`, `Path("x").unlink`."""
    if tokens[-1].kind == NAME:
        return tokens[-1].text
    if tokens[-1].text == ")":
        strings = [token.text for token in tokens[-4:] if token.kind == STRING]
        return strings[-1] if strings else "()"
    return tokens[-1].text


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
