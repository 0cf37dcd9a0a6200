"""Statements, pipelines and commands of a script."""

from hookkit.shell.powershell import reader as kinds
from hookkit.shell.powershell.pipelines import Pipelines
from hookkit.shell.powershell.reader import DASHES, ScriptNode

PARTS = ("begin", "process", "end", "dynamicparam", "clean")
UNREAD = ("class", "enum", "configuration", "workflow", "data", "using")


def scan(text: str) -> ScriptNode:
    """A script as a tree; ShellError if it cannot be read."""
    parser = Statements(text)
    tree = parser.statements("")
    if parser.peek():
        raise parser.fail(f"not expected here: {parser.peek()}")
    return tree


class Statements(Pipelines):
    def statements(self, end: str) -> ScriptNode:
        """All statements up to the closing bracket, which is taken, or up to the end of the text."""
        self.enter()
        items: list[ScriptNode] = []
        self.blanks("\n;")
        while self.peek() and self.peek() != end:
            before = self.place
            items.append(self.statement())
            self.blanks("\n;")
            if self.place == before or (self.peek() and self.peek() in ")}" and self.peek() != end):
                raise self.fail(f"not expected here: {self.peek()}")
        if end:
            self.expect(end)
        self.leave()
        return ScriptNode(kinds.LIST, "", items)

    def statement(self) -> ScriptNode:
        self.enter()
        if self.peek() == ":" and self.text[self.place + 1 : self.place + 2].isalpha():  # a label of a loop
            self.place += 1
            self.place += len(self.word())
            self.lines()
        word = self.word().lower()
        following = self.text[self.place + len(word) : self.place + len(word) + 1]
        read = KEYWORDS.get(word) if following not in ("-", ".", "\\", "/", ":") else None
        if word in UNREAD and following == " ":
            raise self.fail(f"{word} is not followed")
        if read is None:
            node = self.chain()
        else:
            self.place += len(word)
            self.lines() if word not in ("return", "throw", "exit", "break", "continue") else self.blanks()
            node = read(self)
        self.leave()
        return node

    # -- keywords ----------------------------------------------------------------------------------

    def group(self) -> ScriptNode:
        self.lines()
        self.expect("(")
        node = self.statements(")")
        self.lines()
        return node

    def body(self) -> ScriptNode:
        self.lines()
        return self.block().parts[0]

    def follows(self, word: str) -> bool:
        """Take a keyword that may stand on the next line."""
        before = self.place
        self.lines()
        if self.word().lower() == word:
            self.place += len(word)
            return True
        self.place = before
        return False

    def if_(self) -> ScriptNode:
        parts = [self.group(), self.body()]
        while True:
            if self.follows("elseif"):
                parts += [self.group(), self.body()]
            elif self.follows("else"):
                return ScriptNode(kinds.BRANCH, "else", [*parts, self.body()])
            else:
                return ScriptNode(kinds.BRANCH, "", parts)

    def while_(self) -> ScriptNode:
        return ScriptNode(kinds.LOOP, "", [self.group(), self.body()])

    def do_(self) -> ScriptNode:
        body = self.body()
        if not (self.follows("while") or self.follows("until")):
            raise self.fail("do without its while")
        return ScriptNode(kinds.LOOP, "", [body, self.group()])

    def foreach_(self) -> ScriptNode:
        self._options()
        if self.peek() != "(":
            raise self.fail("expected ( behind foreach")
        self.place += 1
        self.lines()
        name = self.variable().text
        self.lines()
        if not self.follows("in"):
            raise self.fail("expected in")
        self.lines()
        source = self.statements(")")
        return ScriptNode(kinds.EACH, name, [source, self.body()])

    def switch_(self) -> ScriptNode:
        """Any of the bodies may run, with the value as `$_`."""
        self._options()
        source = self.group() if self.peek() == "(" else ScriptNode(kinds.LIST)
        self.expect("{")
        bodies: list[ScriptNode] = []
        self.blanks("\n;")
        while not self.take("}"):
            condition = self.primary() if self.peek() in ("{", "(", "$", '"', "'") else self.joined(None)
            bodies += [condition] if condition.kind == kinds.BLOCK else []
            self.lines()
            bodies.append(self.body())
            self.blanks("\n;")
        return ScriptNode(kinds.EACH, "_", [source, ScriptNode(kinds.BRANCH, "switch", bodies)])

    def _options(self) -> None:
        while self.peek() and self.peek() in DASHES:
            word = self.argument().text.lower()
            self.lines()
            if word in ("-file", "-throttlelimit"):
                self.argument()
                self.lines()

    def function_(self) -> ScriptNode:
        name = self.joined(None).text.lower()
        self.lines()
        parameters = [self._parameters()] if self.peek() == "(" else []
        return ScriptNode(kinds.FUNCTION, name.rpartition(":")[2], [*parameters, self.body()])

    def param_(self) -> ScriptNode:
        return self._parameters()

    def _parameters(self) -> ScriptNode:
        """`([type]$a = value, $b)`: assignments of the values that the parameters have if none are given."""
        self.expect("(")
        parts: list[ScriptNode] = []
        self.lines()
        while not self.take(")"):
            while self.peek() == "[":
                self.bracketed()
                self.lines()
            parts.append(ScriptNode(kinds.ASSIGN, "param", [self.variable()]))
            self.lines()
            if self.take("="):
                self.lines()
                parts[-1].parts.append(self.expression(commas=False))
                self.lines()
            if not self.take(",") and self.peek() != ")":
                raise self.fail("expected ) behind the parameters")
            self.lines()
        return ScriptNode(kinds.LIST, "param", parts)

    def try_(self) -> ScriptNode:
        parts = [self.body()]
        while True:
            if self.follows("catch"):
                self.lines()
                while self.peek() == "[":
                    self.bracketed()
                    self.lines()
                    self.take(",")
                    self.lines()
                parts.append(self.body())
            elif self.follows("finally"):
                parts.append(self.body())
            else:
                return ScriptNode(kinds.LIST, "", parts)

    def trap_(self) -> ScriptNode:
        while self.peek() == "[":
            self.bracketed()
            self.lines()
        return self.body()

    def leave_(self) -> ScriptNode:
        """`return`, `throw`, `exit`, with what they give back."""
        if not self.peek() or self.peek() in "\n;)}":
            return ScriptNode(kinds.LEAVE)
        return ScriptNode(kinds.LEAVE, "", [self.statement()])


KEYWORDS = {
    "if": Statements.if_,
    "while": Statements.while_,
    "for": Statements.while_,
    "do": Statements.do_,
    "foreach": Statements.foreach_,
    "switch": Statements.switch_,
    "function": Statements.function_,
    "filter": Statements.function_,
    "param": Statements.param_,
    "try": Statements.try_,
    "trap": Statements.trap_,
    **dict.fromkeys(("return", "throw", "exit", "break", "continue"), Statements.leave_),
    **dict.fromkeys(PARTS, Statements.body),
}
