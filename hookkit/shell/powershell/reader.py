"""Characters of a script: blanks and comments, quotes, names of variables."""

from hookkit.errors import ShellError

# Expressions.
TEXT, STRING, VARIABLE, ARRAY, TABLE, BLOCK, GROUP = "text", "string", "variable", "array", "table", "block", "group"
MEMBER, STATIC, INVOKE, INDEX, TYPE, CAST = "member", "static", "invoke", "index", "type", "cast"
BINARY, UNARY, SPLAT = "binary", "unary", "splat"
# Parts of a pipeline.
COMMAND, OUTPUT, PIPELINE, PARAMETER, REDIRECT = "command", "output", "pipeline", "parameter", "redirect"
# Statements.
LIST, ASSIGN, BRANCH, LOOP, EACH, FUNCTION, LEAVE = "list", "assign", "branch", "loop", "each", "function", "leave"


class ScriptNode:
    """`text` is a name, an operator or a literal; `parts` are the nodes inside."""

    __slots__ = ("kind", "parts", "text")

    def __init__(self, kind: str, text: str = "", parts: "list[ScriptNode] | None" = None) -> None:
        self.kind = kind
        self.text = text
        self.parts = parts or []


def names(node: ScriptNode, kind: str = VARIABLE) -> "list[str]":
    """The names of all variables in a tree; the walk needs no recursion."""
    texts: list[str] = []
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.kind == kind:
            texts.append(node.text)
        waiting += node.parts
    return texts


DEEPEST = 32  # brackets inside brackets
SINGLE, DOUBLE = "'\u2018\u2019\u201a\u201b", '"\u201c\u201d\u201e'  # PowerShell takes typographic quotes, too
DASHES = "-\u2013\u2014\u2015"
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "", "a": "", "b": "", "f": "", "v": "", "e": ""}
BLANK = " \t\f\v\u00a0\u0085"
NAME = "_?:"  # characters of a variable's name beside letters and digits
LONE = "$?^_"  # variables of one character


class ScriptReader:
    """A place in a text. What cannot be read is a ShellError, which makes the line one that cannot be analysed."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.place = 0
        self.depth = 0

    def fail(self, why: str) -> ShellError:
        return ShellError(f"PowerShell: {why}", self.place)

    def peek(self, size: int = 1) -> str:
        return self.text[self.place : self.place + size]

    def take(self, text: str) -> bool:
        if self.text.startswith(text, self.place):
            self.place += len(text)
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.take(text):
            raise self.fail(f"expected {text}")

    def enter(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.fail("nested too deep to follow")

    def leave(self) -> None:
        self.depth -= 1

    def blanks(self, more: str = "") -> None:
        """Skip blanks, comments and continued lines; with `more`, those characters as well."""
        text, size = self.text, len(self.text)
        while self.place < size:
            char = text[self.place]
            if char in BLANK or char in more:
                self.place += 1
            elif char == "`" and text[self.place + 1 : self.place + 2] == "\n":
                self.place += 2
            elif char == "#":
                end = text.find("\n", self.place)
                self.place = size if end < 0 else end
            elif char == "<" and text.startswith("<#", self.place):
                end = text.find("#>", self.place)
                if end < 0:
                    raise self.fail("a comment without its end")
                self.place = end + 2
            else:
                return

    def lines(self) -> None:
        self.blanks("\n")

    def word(self) -> str:
        """The letters and digits at this place, without taking them."""
        end = self.place
        while end < len(self.text) and (self.text[end].isalnum() or self.text[end] == "_"):
            end += 1
        return self.text[self.place : end]

    # -- quotes ------------------------------------------------------------------------------------

    def single(self) -> ScriptNode:
        parts: list[str] = []
        self.place += 1
        while True:
            start = self.place
            while self.peek() and self.peek() not in SINGLE:
                self.place += 1
            parts.append(self.text[start : self.place])
            if not self.peek():
                raise self.fail("a quote without its end")
            self.place += 1
            if not (self.peek() and self.peek() in SINGLE):
                return ScriptNode(TEXT, "".join(parts))
            parts.append("'")
            self.place += 1

    def double(self) -> ScriptNode:
        self.place += 1
        return self.expandable(DOUBLE)

    def here(self) -> ScriptNode:
        """`@'` and `@"`: the text up to the quote at the start of a line."""
        quote = self.text[self.place + 1]
        start = self.text.find("\n", self.place)
        end = self.text.find(f"\n{quote}@", start) if start >= 0 else -1
        if end < 0:
            raise self.fail("a here-string without its end")
        body = self.text[start + 1 : end] if end > start else ""
        self.place = end + 3
        if quote in SINGLE:
            return ScriptNode(TEXT, body)
        inner = type(self)(body)
        inner.depth = self.depth
        return inner.expandable("")

    def expandable(self, ends: str) -> ScriptNode:
        """Text with variables and sub-expressions, up to the closing quote."""
        parts: list[ScriptNode] = []
        letters: list[str] = []
        while True:
            char = self.peek()
            if not char and ends:
                raise self.fail("a quote without its end")
            if not char or char in ends:
                self.place += 1
                if not (char and self.peek() and self.peek() in ends):
                    break
                letters.append(char)
                self.place += 1
            elif char == "`":
                letters.append(self.escaped())
            elif char == "$" and self.starts_variable():
                parts += [ScriptNode(TEXT, "".join(letters))] if letters else []
                letters = []
                parts.append(self.subexpression() if self.peek(2) == "$(" else self.variable(in_text=True))
            else:
                letters.append(char)
                self.place += 1
        if not parts:
            return ScriptNode(TEXT, "".join(letters))
        return ScriptNode(STRING, "", [*parts, ScriptNode(TEXT, "".join(letters))])

    def escaped(self) -> str:
        """A back-tick and the character behind it."""
        char = self.text[self.place + 1 : self.place + 2]
        self.place += 2
        if char == "u" and self.peek() == "{":
            code, _, _ = self.text[self.place + 1 : self.place + 9].partition("}")
            self.place += len(code) + 2
            try:
                return chr(int(code, 16))
            except (ValueError, OverflowError):
                return ""
        return ESCAPES.get(char, char)

    # -- variables ---------------------------------------------------------------------------------

    def starts_variable(self) -> bool:
        following = self.text[self.place + 1 : self.place + 2]
        return following.isalnum() or (bool(following) and following in "_({?$^:")

    def variable(self, *, in_text: bool = False) -> ScriptNode:
        """`$name`, `${any name}`, `$env:NAME`; scopes such as `script:` are left out."""
        self.place += 1
        if self.take("{"):
            end = self.text.find("}", self.place)
            if end < 0:
                raise self.fail("a variable without its }")
            name = self.text[self.place : end].replace("`", "")
            self.place = end + 1
            return ScriptNode(VARIABLE, plain_name(name))
        start = self.place
        while self.place < len(self.text) and (self.text[self.place].isalnum() or self.text[self.place] in NAME):
            if self.text[self.place] == ":" and not self._is_scope():
                break
            self.place += 1
        if self.place == start and self.peek() and self.peek() in LONE:
            self.place += 1
        name = self.text[start : self.place]
        if in_text and name[-1:] == "?" and len(name) > 1:
            self.place -= 1
            name = name[:-1]
        return ScriptNode(VARIABLE, plain_name(name))

    def _is_scope(self) -> bool:
        """A colon belongs to the name in `$env:X`, not in `$a::B` and not in `"$a: text"`."""
        following = self.text[self.place + 1 : self.place + 2]
        return following.isalnum() or following == "_"

    def subexpression(self) -> ScriptNode:
        """`$( … )`: statements, whose output is the value. Read by the parser of statements."""
        self.expect("$(")
        return ScriptNode(GROUP, "$", [self.statements(")")])

    def statements(self, end: str) -> ScriptNode:
        raise NotImplementedError


def plain_name(name: str) -> str:
    scope, colon, rest = name.lower().partition(":")
    return rest if colon and scope in ("global", "script", "local", "private", "using", "variable") else name.lower()
