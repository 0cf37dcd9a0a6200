"""Other languages as tokens: names with their dots, strings, and single marks."""

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
    found: list[Token] = []
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
            _add(found, token)
        elif char in LETTERS:
            at = _name(code, at, language, found)
        elif code[at : at + 2] in ("||", "|&", ">>", "&&", "->", "::"):
            found.append(Token(MARK, code[at : at + 2]))
            at += 2
        elif char == "%" and language == "ruby" and code[at + 1 : at + 2] == "x" and code[at + 2 : at + 3] in PAIRS:
            text, at = _until(code, at + 3, PAIRS[code[at + 2]])
            found.append(Token(STRING, text, "command"))
        else:
            found.append(Token(MARK, char))
            at += 1
    return found


def _line_end(code: str, at: int) -> int:
    end = code.find("\n", at)
    return len(code) if end < 0 else end


def _add(found: list[Token], token: Token) -> None:
    """Neighbouring constants are joined: `"re" + "move"`, `"a" "b"`, `"a" . "b"`."""
    joins = len(found) > 1 and found[-1].text in ("+", ".") and found[-1].kind == MARK and found[-2].kind == STRING
    if joins and not token.mark and not found[-2].mark:
        found.pop()
        found[-1] = Token(STRING, found[-1].text + token.text)
    elif found and found[-1].kind == STRING and not token.mark and not found[-1].mark:
        found[-1] = Token(STRING, found[-1].text + token.text)
    else:
        found.append(token)


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


def _name(code: str, at: int, language: str, found: list[Token]) -> int:
    """A name with its dots; in perl and ruby also `q(…)`, in python `f"…"`."""
    start = at
    while at < len(code) and (code[at] in LETTERS or (code[at] == "." and code[at + 1 : at + 2] in LETTERS)):
        at += 1
    name = code[start:at]
    if language in ("perl", "ruby") and name in ("q", "qq", "qx", "qw") and at < len(code) and code[at] not in " ,;=)":
        text, end = _until(code, at + 1, PAIRS.get(code[at], code[at]))
        mark = "command" if name == "qx" else "format" if name == "qq" and "$" in text else ""
        _add(found, Token(STRING, text, mark))
        return end
    if (
        language == "python"
        and name.lower() in ("f", "rf", "fr", "b", "r", "u", "br", "rb")
        and code[at : at + 1] in ('"', "'")
    ):
        token, end = _string(code, at, language)
        if "f" in name.lower() and "{" in token.text:
            token.mark = "format"
        found.append(token)
        return end
    if found and found[-1].kind == MARK and found[-1].text in (".", "->", "::") and len(found) > 1:
        found.pop()
        name = f"{_owner(found)}.{name}"
    found.append(Token(NAME, name))
    return at


def _owner(found: list[Token]) -> str:
    """The object in front of `.name` behind a call: `require("fs").rm`, `Path("x").unlink`."""
    if found[-1].kind == NAME:
        return found[-1].text
    if found[-1].text == ")":
        strings = [token.text for token in found[-4:] if token.kind == STRING]
        return strings[-1] if strings else "()"
    return found[-1].text
