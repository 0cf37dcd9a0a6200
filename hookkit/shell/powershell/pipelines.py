"""Pipelines and commands of a script: names, arguments, parameters, redirections."""

from hookkit.shell.powershell import reader as kinds
from hookkit.shell.powershell.expressions import Expressions
from hookkit.shell.powershell.reader import BLANK, DASHES, DOUBLE, SINGLE, ScriptNode

ENDS = "\n;|&)}"  # a command ends here
WORD = " \t\f\v\u00a0\u0085\n;|&(){},"  # a bare argument ends here
ASSIGNMENTS = ("??=", "+=", "-=", "*=", "/=", "%=", "=")
UNITS = ("kb", "mb", "gb", "tb", "pb", "l", "d", "u", "e")


class Pipelines(Expressions):
    def chain(self) -> ScriptNode:
        """`a && b || c`, and `a &`."""
        items = [self.pipeline()]
        while True:
            self.blanks()
            if self.take("&&") or self.take("||"):
                self.lines()
                items.append(self.statement())
            elif not self.take("&"):
                return items[0] if len(items) == 1 else ScriptNode(kinds.LIST, "", items)

    def pipeline(self) -> ScriptNode:
        first = self.stage()
        self.blanks()
        if first.kind == kinds.OUTPUT and len(first.parts) == 1:
            sign = next((sign for sign in ASSIGNMENTS if self.text.startswith(sign, self.place)), "")
            if sign:
                self.place += len(sign)
                self.lines()
                return ScriptNode(kinds.ASSIGN, sign, [first.parts[0], self.statement()])
        stages = [first]
        while self._piped():
            self.lines()
            stages.append(self.stage())
            self.blanks()
        return ScriptNode(kinds.PIPELINE, "", stages)

    def _piped(self) -> bool:
        """Whether the pipeline goes on, here or at the start of the next line."""
        before = self.place
        if self.peek() == "\n":
            self.lines()
        if self.peek() == "|" and self.peek(2) != "||":
            self.place += 1
            return True
        self.place = before
        return False

    def stage(self) -> ScriptNode:
        char, two = self.peek(), self.peek(2)
        if not char:
            raise self.fail("a command is missing")
        if two == "&&" or char in ")}|;":
            raise self.fail(f"not expected here: {char}")
        starts = char in "$@([{!," or char in SINGLE + DOUBLE or two in ("++", "--")
        signed = char in DASHES + "+" and (two[1:].isalnum() or two[1:] in ("$", "("))
        if starts or signed or self._is_number():
            node = ScriptNode(kinds.OUTPUT, "", [self.expression()])
            self.blanks()
            while (redirect := self.redirect()) is not None:
                node.parts.append(redirect)
                self.blanks()
            return node
        return self.command()

    def _is_number(self) -> bool:
        """`7` is a value, `7z` a program."""
        if not self.peek().isdigit():
            return False
        end = self.place
        while end < len(self.text) and (self.text[end].isalnum() or self.text[end] == "."):
            end += 1
        word = self.text[self.place : end].lower().replace("..", " ").split(" ")[0]
        for unit in UNITS:
            word = word.removesuffix(unit)
        return word.replace(".", "", 1).isdigit() or word[:2] == "0x"

    # -- commands ----------------------------------------------------------------------------------

    def command(self) -> ScriptNode:
        """The name of a command, or what `&` and `.` run, and its arguments."""
        sign = ""
        if self.peek() == "&" or (self.peek() == "." and (self.peek(2)[1:] in (" ", "\t", '"', "'", "$", "(", "{"))):
            sign = self.peek()
            self.place += 1
            self.blanks()
        node = ScriptNode(kinds.COMMAND, sign)
        self.blanks()
        while self.peek() and self.peek() not in ENDS:
            redirect = self.redirect() if node.parts else None
            if redirect is not None:
                node.parts.append(redirect)
            elif self.peek(3) == "--%":
                node.parts += self._verbatim()
            else:
                node.parts.append(self._list(self.argument()))
            self.blanks()
        if not node.parts:
            raise self.fail("a command is missing")
        return node

    def _verbatim(self) -> list[ScriptNode]:
        """Behind `--%` the line is for the program as it stands."""
        end = self.text.find("\n", self.place)
        end = len(self.text) if end < 0 else end
        pipe = self.text.find("|", self.place, end)
        end = end if pipe < 0 else pipe
        words = self.text[self.place + 3 : end].split()
        self.place = end
        return [ScriptNode(kinds.TEXT, word.strip('"')) for word in words]

    def _list(self, first: ScriptNode) -> ScriptNode:
        """`a, b`: an argument that is a list."""
        self.blanks()
        if self.peek() != "," or first.kind == kinds.PARAMETER:
            return first
        items = [first]
        while self.take(","):
            self.lines()
            items.append(self.argument())
            self.blanks()
        return ScriptNode(kinds.ARRAY, ",", items)

    def argument(self) -> ScriptNode:
        char, two = self.peek(), self.peek(2)
        if char in "({" or two in ("@(", "@{", "$("):
            return self.joined(self.postfix(self.primary()))
        if char == "@" and two[1:]:
            if two[1] in SINGLE + DOUBLE:
                return self.here()
            if two[1].isalpha() or two[1] == "_":
                self.place += 1
                word = self.word()
                self.place += len(word)
                return ScriptNode(kinds.SPLAT, word.lower())
        if char in SINGLE + DOUBLE:
            return self.postfix(self.primary())  # a quoted word ends at its quote: what follows is another word
        if char == "$" and self.starts_variable():
            return self.joined(self.postfix(self.variable()))
        if char in DASHES and (two[1:].isalpha() or two[1:] in ("?", "_")):
            return self._parameter()
        return self.joined(None)

    def _parameter(self) -> ScriptNode:
        start = self.place
        self.place += 1
        while self.peek() and self.peek() not in WORD and self.peek() not in ":\"'$`":
            self.place += 1
        name = f"-{self.text[start + 1 : self.place]}"
        if self.take(":"):
            glued = "" if self.peek() and self.peek() in BLANK else "glued"
            self.blanks()
            value = [self._list(self.argument())] if self.peek() and self.peek() not in ENDS else []
            return ScriptNode(kinds.PARAMETER, name, [*value, ScriptNode(kinds.TEXT, glued)])
        if self.peek() and self.peek() in "\"'$`":  # `-o"x"` of a program
            return self.joined(ScriptNode(kinds.TEXT, name))
        return ScriptNode(kinds.PARAMETER, name)

    def joined(self, first: ScriptNode | None) -> ScriptNode:
        """A bare word: letters, quotes and variables without a blank between."""
        parts = [first] if first is not None else []
        letters: list[str] = []
        while self.peek() and self.peek() not in WORD:
            char = self.peek()
            if char == "`" and self.peek(2) == "`\n":
                break
            part: ScriptNode | None = None
            if char == "`":
                letters.append(self.escaped())
            elif char in SINGLE:
                part = self.single()
            elif char in DOUBLE:
                part = self.double()
            elif self.peek(2) == "$(":
                part = self.subexpression()
            elif char == "$" and self.starts_variable():
                part = self.postfix(self.variable())
            else:
                letters.append(char)
                self.place += 1
            if part is not None:
                parts += [ScriptNode(kinds.TEXT, "".join(letters)), part] if letters else [part]
                letters = []
        if letters:
            parts.append(ScriptNode(kinds.TEXT, "".join(letters)))
        if not parts:
            raise self.fail(f"not expected here: {self.peek()}")
        return parts[0] if len(parts) == 1 else ScriptNode(kinds.STRING, "", parts)

    def redirect(self) -> ScriptNode | None:
        """`> file`, `2>> file`, `*> file`, `2>&1`."""
        start = self.place
        if self.peek() and self.peek() in "*0123456789" and self.text[start + 1 : start + 2] == ">":
            self.place += 1
        sign = ">>" if self.peek(2) == ">>" else self.peek()
        if sign not in (">", ">>", "<") or self.peek(2) == "<#":
            self.place = start
            return None
        self.place += len(sign)
        if self.peek() == "&":
            self.place += 2
            return ScriptNode(kinds.REDIRECT, "")
        self.blanks()
        return ScriptNode(kinds.REDIRECT, sign, [self.argument()])
