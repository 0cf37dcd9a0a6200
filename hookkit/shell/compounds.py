"""Commands with command lines inside: conditions, loops, groups, functions, tests."""

from hookkit.shell.lexer import OPERAND, PATTERN, REGEX
from hookkit.shell.reader import END, META
from hookkit.shell.redirections import Redirections
from hookkit.shell.syntax import Compound, Pipeline, Redirect, Script, Simple, Word

OPENERS = ("if", "while", "until", "for", "select", "case", "function", "{", "[[", "coproc")
CLOSERS = ("then", "elif", "else", "fi", "do", "done", "esac", "}")
RESERVED = frozenset((*OPENERS, *CLOSERS, "time", "!"))
FIRST_LETTERS = "itefdcwus{}[!"
LONGEST = len("function")
ENDINGS = (";;&", ";;", ";&")  # of a branch of a case
UNARY = frozenset("-" + letter for letter in "abcdefghknoprstuvwxzGLNOSR")
# What stands between two words of a test, and what the second one is.
BINARY = {
    **dict.fromkeys(("=", "==", "!="), PATTERN),
    **dict.fromkeys(("-nt", "-ot", "-ef", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"), OPERAND),
    "=~": REGEX,
}


class Compounds(Redirections):
    keyword_at = -1  # the place where `keyword` looked last, and what it found
    keyword_here = ""

    def simple(self, coprocess: Compound | None = None) -> Simple | Compound:
        raise NotImplementedError

    # -- reserved words --------------------------------------------------------------------------

    def keyword(self) -> str:
        """The reserved word that stands here, if one does."""
        text, at = self.text, self.at
        if text[at] not in FIRST_LETTERS:
            return ""
        if at != self.keyword_at:
            word = ""
            while (char := text[at]) not in META and char != END and len(word) <= LONGEST:
                joined = text.startswith("\\\n", at)
                word += "" if joined else char
                at += 2 if joined else 1
            self.keyword_at = self.at
            self.keyword_here = word if word in RESERVED else ""
        return self.keyword_here

    def expect(self, word: str) -> None:
        if not self.take_word(word):
            raise self.fail(f"expected {word}")

    # -- commands --------------------------------------------------------------------------------

    def command(self) -> Simple | Compound:
        self.another_command()
        self.blanks()
        start = self.at
        if self.peek() == "(":
            command = self.parenthesis()
        elif (word := self.keyword()) in OPENERS:
            command = Compound(word, start)
            _READERS[word](self, command)
        else:
            return self.simple()
        self.redirections(command.redirects)
        command.end = self.at
        return command

    def redirections(self, found: list[Redirect]) -> None:
        while True:
            back = self.at
            self.blanks()
            redirect = self.redirect()
            if redirect is None:
                self.at = back
                return
            found.append(redirect)

    def parenthesis(self) -> Compound:
        start = self.at
        doubled = self.behind("((") >= 0
        found = self.arithmetic() if doubled else None
        if found is not None:
            command = Compound("((", start)
            command.scripts, command.text = found
            return command
        command = Compound("(", start)
        self.at += 1
        self.doubled += doubled
        command.scripts.append(self.script())
        self.doubled -= doubled
        self.close(")")
        return command

    def clause(self, command: Compound, *words: str) -> None:
        """`word script` for each of the words."""
        for word in words:
            self.expect(word)
            command.scripts.append(self.script())

    def read_if(self, command: Compound) -> None:
        self.clause(command, "if", "then")
        while self.keyword() == "elif":
            self.clause(command, "elif", "then")
        if self.keyword() == "else":
            self.clause(command, "else")
        self.expect("fi")

    def read_while(self, command: Compound) -> None:
        self.clause(command, command.kind, "do")
        self.expect("done")

    def read_group(self, command: Compound) -> None:
        self.clause(command, "{")
        self.expect("}")

    def read_for(self, command: Compound) -> None:
        self.expect(command.kind)
        self.blanks()
        if command.kind == "for" and self.behind("((") >= 0:
            found = self.arithmetic()
            if found is None:
                raise self.fail("expected ))")
            command.scripts, command.text = found
        else:
            command.name = self.literal_name()
            self.newlines()
            if self.take_word("in"):
                self.words_to_line_end(command)
        self.blanks()
        self.at += self.peek() == ";"
        self.newlines()
        if self.keyword() == "{":
            self.read_group(command)
            return
        self.clause(command, "do")
        self.expect("done")

    def literal_name(self) -> str:
        name = self.word(OPERAND).text
        if name is None:
            raise self.fail("a computed name")
        return name

    def words_to_line_end(self, command: Compound) -> None:
        self.blanks()
        while self.at < self.size and self.peek() not in ";\n":
            command.words.append(self.word(OPERAND))
            self.blanks()

    def read_case(self, command: Compound) -> None:
        self.expect("case")
        self.blanks()
        command.words.append(self.word(OPERAND))
        self.newlines()
        self.expect("in")
        self.newlines()
        while self.keyword() != "esac":
            self.read_patterns(command)
            command.scripts.append(self.script())
            ending = next((ending for ending in ENDINGS if self.take(ending)), "")
            command.endings.append(ending)
            self.newlines()
            if not ending and self.keyword() != "esac":
                raise self.fail("expected ;;")
        self.expect("esac")

    def read_patterns(self, command: Compound) -> None:
        self.take("(")
        patterns = []
        while True:
            self.blanks()
            patterns.append(self.word(OPERAND))
            self.blanks()
            if not self.take("|"):
                break
        command.words += patterns
        command.branches.append(patterns)
        self.close(")")

    def read_function(self, command: Compound) -> None:
        self.expect("function")
        self.blanks()
        command.name = self.literal_name()
        self.blanks()
        if self.peek() == "(":
            self.at = max(self.at, self.empty_parentheses())
        self.function_body(command)

    def function_body(self, command: Compound) -> None:
        self.newlines()
        start = self.at
        if self.peek() != "(" and self.keyword() not in OPENERS:
            raise self.fail("expected a function's body")
        self.deeper()
        command.scripts.append(self.alone(start, self.command()))
        self.depth -= 1

    def alone(self, start: int, command: Simple | Compound) -> Script:
        """A command line of this one command."""
        pipeline = Pipeline(start)
        pipeline.commands.append(command)
        script = Script(attached=self.attached)
        script.items.append((pipeline, ""))
        return script

    def read_coproc(self, command: Compound) -> None:
        """`coproc NAME { … }`; before a simple command there is no name."""
        self.expect("coproc")
        self.blanks()
        self.deeper()
        if self.keyword() == "!" or self.keyword() in CLOSERS:
            raise self.unexpected()
        compound = self.peek() == "(" or self.keyword() in OPENERS
        inner = self.command() if compound else self.simple(command)
        command.scripts.append(self.alone(inner.start, inner))
        self.depth -= 1

    # -- tests -----------------------------------------------------------------------------------

    def read_test(self, command: Compound) -> None:
        """`[[ … ]]`; as strict as bash, which goes on elsewhere than we would after what it refuses."""
        self.expect("[[")
        level = 0
        while True:
            level += self.read_term(command)
            while self.peek() == ")" and level:
                level -= 1
                self.at += 1
                self.newlines()
            if not level and self.take_word("]]"):
                return
            if not self.take("&&") and not self.take("||"):
                raise self.unexpected()

    def read_term(self, command: Compound) -> int:
        """`-f x`, `a = b` or `a`, with what stands before it; how many parentheses it opens."""
        level = 0
        self.newlines()
        while self.peek() == "(" or self.take_word("!"):
            if self.peek() == "(":
                level += 1
                self.at += 1
            self.newlines()
        first = self.operand(command)
        if first.plain and first.text in UNARY:
            self.blanks()
            self.operand(command)
        elif not self.ends_term():
            self.comparison(command)
        self.newlines()
        return level

    def ends_term(self) -> bool:
        self.blanks()
        return any(self.behind(token) >= 0 for token in ("&&", "||", ")")) or self.behind_word("]]") >= 0

    def operand(self, command: Compound, kind: str = OPERAND) -> Word:
        if self.behind_word("]]") >= 0:
            raise self.unexpected()
        word = self.word(kind)
        command.words.append(word)
        return word

    def comparison(self, command: Compound) -> None:
        kind = OPERAND
        if self.peek() in "<>" and not self.is_process():
            self.at += 1
        else:
            operator = self.operand(command)
            if not operator.plain or operator.text not in BINARY:
                raise self.fail("expected an operator")
            kind = BINARY[operator.text]
        self.blanks()
        self.operand(command, kind)


_READERS = {
    "if": Compounds.read_if,
    "while": Compounds.read_while,
    "until": Compounds.read_while,
    "for": Compounds.read_for,
    "select": Compounds.read_for,
    "case": Compounds.read_case,
    "function": Compounds.read_function,
    "{": Compounds.read_group,
    "[[": Compounds.read_test,
    "coproc": Compounds.read_coproc,
}
