"""Reads a command line as bash does, without running it.

One pass, no backtracking but for `((`, bounded in size and depth: what is beyond that is "could not tell", never
"fine". Why our own: docs/adr/0003-own-shell-scanner.md.
"""

from hookkit.errors import ShellError
from hookkit.shell.compounds import CLOSERS, OPENERS, RESERVED, Compounds
from hookkit.shell.lexer import ARGUMENT, FIRST
from hookkit.shell.reader import END, META
from hookkit.shell.redirections import REDIRECTING
from hookkit.shell.syntax import Compound, Pipeline, Script, Simple, Word

LIMIT = 64 * 1024


def scan(text: str) -> Script:
    """The command line as a tree; ShellError where bash would refuse it or we cannot follow."""
    if len(text) > LIMIT:
        raise ShellError(f"longer than {LIMIT} characters", LIMIT)
    if "\0" in text:
        raise ShellError("a NUL character", text.index("\0"))
    return Scanner(text).whole()


class Scanner(Compounds):
    """The grammar: lists of pipelines of commands."""

    def whole(self) -> Script:
        script = self.script()
        if self.at < self.size:
            raise self.unexpected()
        self.bodies()
        return script

    def script(self, close: str = "") -> Script:
        """Pipelines up to whatever cannot start another one: the end, `close`, `)`, `;;`, `then`, `done`…"""
        self.deeper()
        script = Script(attached=self.attached)
        self.newlines()
        ends = ");" + END + close
        while self.peek() not in ends and self.keyword() not in CLOSERS:
            pipeline = self.pipeline()
            operator = self.operator()
            script.items.append((pipeline, operator))
            if operator in ("&&", "||"):
                self.newlines()
                self.more()
            elif not operator:
                break
            else:
                self.newlines()
        self.depth -= 1
        return script

    def more(self) -> None:
        if self.at >= self.size or self.peek() == ")" or self.keyword() in CLOSERS:
            raise self.fail("expected a command")

    def operator(self) -> str:
        """What ends a pipeline: `&&`, `||`, `;`, `&`, a newline, or nothing."""
        self.blanks()
        char = self.peek()
        if char == "\n":
            self.newlines()
            return "\n"
        if char == ";":
            if self.peek(1) in ";&\\" and (self.behind(";;") >= 0 or self.behind(";&") >= 0):
                return ""
            if self.documents and self.closer:  # bash 5.2 loses this semicolon
                raise self.fail("a ; behind a here-document in a command substitution")
            self.at += 1
            return ";"
        if char == "&":
            return "&&" if self.take("&&") else "&" if self.take("&") else ""
        return "||" if self.take("||") else ""

    def pipeline(self) -> Pipeline:
        pipeline = Pipeline(self.at)
        prefixed = False
        while (word := self.keyword()) in ("!", "time"):
            self.expect(word)
            self.blanks()
            pipeline.negated ^= word == "!"
            prefixed = True
            if word == "time":
                self.time_options()
        if prefixed and (self.at >= self.size or self.peek() in ";\n"):
            pipeline.commands.append(Simple(self.at))  # `time` or `!` of nothing
            return pipeline
        while True:
            pipeline.commands.append(self.command())
            self.blanks()
            if not self.piped():
                return pipeline
            self.newlines()
            self.more()
            if self.keyword() == "!":
                raise self.fail("unexpected !")

    def piped(self) -> bool:
        """Whether a pipeline goes on here; then its bar is left behind."""
        if self.peek() != "|" or self.peek(1) == "|" or self.behind("||") >= 0:
            return False
        return self.take("|&") or self.take("|")

    def time_options(self) -> None:
        for option in ("-p", "--"):
            if self.take_word(option):
                self.blanks()

    def simple(self, coprocess: Compound | None = None) -> Simple | Compound:
        """A program with its arguments; or `name () body`, or the compound command behind a coprocess's name."""
        command = Simple(self.at)
        named = coprocess is not None  # there the second word, too, may have a subscript
        while True:
            self.blanks()
            char = self.text[self.at]
            if char in REDIRECTING and (redirect := self.redirect()) is not None:
                command.redirects.append(redirect)
                command.end = self.at
            elif coprocess and _is_one_word(command) and (char == "(" or self.keyword() in OPENERS):
                coprocess.name = command.words[0].text or ""
                coprocess.words += command.words  # its name is expanded, too
                return self.command()
            elif char == "(" and _is_one_word(command) and command.words[0].plain:
                return self.short_function(command)
            elif char == END or (char in META and not self.is_process()):
                break
            else:
                self.add(command, self.word(ARGUMENT if len(command.words) > named else FIRST))
        if command.start == command.end:
            raise self.unexpected()
        return command

    def add(self, command: Simple, word: Word) -> None:
        if self.closer and command.redirects and not command.words and word.plain and word.text in RESERVED:
            raise self.fail("a reserved word behind a redirection")  # bash 5.2 puts it before that, and reads it again
        (command.assignments if not command.words and word.assigns else command.words).append(word)
        command.end = word.end

    def short_function(self, head: Simple) -> Compound:
        end = self.empty_parentheses()
        if end < 0:
            raise self.unexpected()
        self.at = end
        function = Compound("function", head.start)
        function.name = head.words[0].text or ""
        self.function_body(function)
        function.end = self.at
        return function


def _is_one_word(command: Simple) -> bool:
    return len(command.words) == 1 and not command.assignments and not command.redirects
