"""Expressions: literals, variables, members, methods, operators, script blocks, hash tables."""

from hookkit.shell.powershell import reader as kinds
from hookkit.shell.powershell.reader import DASHES, DOUBLE, SINGLE, ScriptNode, ScriptReader

SIGNS = ("..", "??", "+", "*", "/", "%", "-")
ENDS = " \t\n;|&(){},\"'$`"  # a bare word ends here


class Expressions(ScriptReader):
    def expression(self, *, commas: bool = True) -> ScriptNode:
        """Operators have no order of precedence, but for the comma: enough to find known texts."""
        self.enter()
        left = self.operands() if commas else self.unary()
        while True:
            self.blanks()
            operator = self._operator()
            if not operator:
                break
            self.lines()
            if operator == "?":
                left = self._choice(left)
            else:
                left = ScriptNode(kinds.BINARY, operator, [left, self.operands() if commas else self.unary()])
        self.leave()
        return left

    def _operator(self) -> str:
        char = self.peek()
        if char and char in DASHES and self.text[self.place + 1 : self.place + 2].isalpha():
            self.place += 1
            word = self.word()
            self.place += len(word)
            return f"-{word.lower()}"
        for sign in SIGNS:
            if self.text.startswith(sign, self.place) and not self.text.startswith("=", self.place + len(sign)):
                self.place += len(sign)
                return sign
        if char == "?" and self.text[self.place + 1 : self.place + 2] in (" ", "\n"):
            self.place += 1
            return "?"
        return ""

    def _choice(self, condition: ScriptNode) -> ScriptNode:
        """`a ? b : c`: either value."""
        first = self.expression()
        self.lines()
        self.expect(":")
        self.lines()
        return ScriptNode(kinds.ARRAY, "?", [condition, first, self.expression()])

    def operands(self) -> ScriptNode:
        """`a, b, c`: the comma binds tighter than every operator."""
        items = [self.unary()]
        self.blanks()
        while self.take(","):
            self.lines()
            items.append(self.unary())
            self.blanks()
        return items[0] if len(items) == 1 else ScriptNode(kinds.ARRAY, ",", items)

    def unary(self) -> ScriptNode:
        self.enter()
        char = self.peek()
        if self.take("++") or self.take("--"):
            node = self.unary()
        elif char and char in "!,+":
            self.place += 1
            self.lines()
            inner = self.unary()
            node = ScriptNode(kinds.ARRAY, ",", [inner]) if char == "," else ScriptNode(kinds.UNARY, char, [inner])
        elif char and char in DASHES:
            self.place += 1
            word = self.word() if not self.peek().isdigit() else ""
            self.place += len(word)
            self.blanks()
            node = ScriptNode(kinds.UNARY, f"-{word.lower()}", [self.operands() if word else self.unary()])
        else:
            node = self.postfix(self.primary())
        self.leave()
        return node

    # -- primaries ---------------------------------------------------------------------------------

    def primary(self) -> ScriptNode:
        char, two = self.peek(), self.peek(2)
        if not char:
            raise self.fail("an expression is missing")
        if two == "$(":
            return self.subexpression()
        if two == "@(":
            self.place += 2
            return ScriptNode(kinds.GROUP, "@", [self.statements(")")])
        if two == "@{":
            return self.table()
        if char == "@" and two[1:] and two[1] in SINGLE + DOUBLE:
            return self.here()
        if char in SINGLE:
            return self.single()
        if char in DOUBLE:
            return self.double()
        if char == "$" and self.starts_variable():
            return self.variable()
        if char == "(":
            self.place += 1
            return ScriptNode(kinds.GROUP, "(", [self.statements(")")])
        if char == "{":
            return self.block()
        if char == "[":
            return self.typed()
        return self.bare()

    def bare(self) -> ScriptNode:
        """A number, or a word where no quotes are needed: a key, a name behind a dot."""
        start = self.place
        if self.peek() == "`":
            return ScriptNode(kinds.TEXT, self.escaped())
        while self.peek() and self.peek() not in ENDS and self.peek() not in "=[]:!?":
            if self.peek() == "." and (not self.text[start : self.place].isdigit() or self.peek(2) == ".."):
                break
            self.place += 1
        if self.place == start:
            raise self.fail(f"not expected here: {self.peek()}")
        return ScriptNode(kinds.TEXT, self.text[start : self.place])

    def typed(self) -> ScriptNode:
        """`[type]`, and `[type]value`."""
        name = self.bracketed()
        if self.peek(2) == "::":
            return ScriptNode(kinds.TYPE, name)
        self.blanks()
        char = self.peek()
        if char and (char in "$@([{" or char in SINGLE + DOUBLE or char.isdigit()):
            return ScriptNode(kinds.CAST, name, [self.unary()])
        return ScriptNode(kinds.TYPE, name)

    def bracketed(self) -> str:
        """The text between [ and its ]: a type, or an attribute."""
        start, open_ = self.place, 0
        while self.peek():
            open_ += {"[": 1, "]": -1}.get(self.peek(), 0)
            self.place += 1
            if not open_:
                return self.text[start + 1 : self.place - 1].strip().lower()
        raise self.fail("a [ without its ]")

    def block(self) -> ScriptNode:
        self.expect("{")
        return ScriptNode(kinds.BLOCK, "", [self.statements("}")])

    def table(self) -> ScriptNode:
        """`@{ key = value; … }`: keys and values in turn."""
        self.expect("@{")
        self.enter()
        parts: list[ScriptNode] = []
        self.blanks("\n;")
        while not self.take("}"):
            if not self.peek():
                raise self.fail("a hash table without its }")
            parts.append(self.postfix(self.primary()))
            self.lines()
            self.expect("=")
            self.lines()
            parts.append(self.statement())
            self.blanks("\n;")
        self.leave()
        return ScriptNode(kinds.TABLE, "", parts)

    # -- behind a primary --------------------------------------------------------------------------

    def postfix(self, node: ScriptNode) -> ScriptNode:
        """Members, methods and subscripts; nothing may stand between."""
        while True:
            two = self.peek(2)
            if two == "::":
                self.place += 2
                node = ScriptNode(kinds.STATIC, self._member(node), [node])
            elif two[:1] == "." and two[1:] and (two[1].isalpha() or two[1] in "_$\"'({"):
                self.place += 1
                node = ScriptNode(kinds.MEMBER, self._member(node), [node])
            elif two == "?.":
                self.place += 2
                node = ScriptNode(kinds.MEMBER, self._member(node), [node])
            elif two[:1] == "[":
                self.place += 1
                self.lines()
                node = ScriptNode(kinds.INDEX, "", [node, self.expression()])
                self.lines()
                self.expect("]")
            elif two[:1] in ("(", "{") and two and node.kind in (kinds.MEMBER, kinds.STATIC):
                node = ScriptNode(
                    kinds.INVOKE, node.text, [node.parts[0], *self._arguments(), ScriptNode(kinds.TEXT, node.kind)]
                )
            elif two in ("++", "--"):
                self.place += 2
            else:
                return node

    def _member(self, _: ScriptNode) -> str:
        """The name of a member; an empty text for a computed name."""
        self.blanks()
        if self.peek() and (self.peek() in SINGLE + DOUBLE):
            return self.primary().text.lower()
        if self.peek() in ("$", "(", "{"):
            self.primary()
            return ""
        word = self.word()
        self.place += len(word)
        return word.lower()

    def _arguments(self) -> list[ScriptNode]:
        if self.peek() == "{":
            return [self.block()]
        self.expect("(")
        self.lines()
        arguments: list[ScriptNode] = []
        while not self.take(")"):
            arguments.append(self.expression(commas=False))
            self.lines()
            if not self.take(",") and self.peek() != ")":
                raise self.fail("expected ) behind the arguments of a method")
            self.lines()
        return arguments

    def statement(self) -> ScriptNode:
        raise NotImplementedError
