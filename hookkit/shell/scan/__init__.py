"""Reads a command line as bash does, without running the line: text → the tree of `shell/syntax.py`.

One pass with no backtracking except for `((`, and with limits on size and depth. A line beyond the limits raises
ShellError: hookkit asks about the line and never treats the line as harmless. docs/adr/0003-own-shell-scanner.md says
why hookkit has its own scanner.
"""

from hookkit.errors import ShellError
from hookkit.shell.scan.expansions import is_process, whole
from hookkit.shell.scan.reader import END, META, Grammar, Reader
from hookkit.shell.scan.words import (
    ARGUMENT,
    CLOSERS,
    FIRST,
    OPENERS,
    REDIRECTING,
    RESERVED,
    behind_empty_parentheses,
    bodies,
    keyword,
    literal_name,
    redirection,
    redirections,
    word,
)
from hookkit.shell.syntax import Compound, Part, Pipeline, Script, Simple, Word

LIMIT = 64 * 1024


def scan(text: str) -> Script:
    """The command line as a tree; ShellError if bash would refuse the line or the scanner cannot follow the line."""
    if len(text) > LIMIT:
        raise ShellError(f"longer than {LIMIT} characters", LIMIT)
    if "\0" in text:
        raise ShellError("a NUL character", text.index("\0"))
    return whole(Reader(text, GRAMMAR))


# -- lists and pipelines -------------------------------------------------------------------------


def _script(reader: Reader, close: str = "") -> Script:
    """Pipelines up to a closing token: the end, `close`, `)`, `;;`, `then`, `done`…"""
    reader.deeper()
    script = Script(attached=reader.attached)
    reader.newlines()
    ends = ");" + END + close
    while reader.text[reader.at] not in ends and keyword(reader) not in CLOSERS:
        pipeline = _pipeline(reader)
        operator = _operator(reader)
        script.items.append((pipeline, operator))
        if operator in ("&&", "||"):
            reader.newlines()
            _expect_command(reader)
        elif not operator:
            break
        else:
            reader.newlines()
    reader.depth -= 1
    return script


def _expect_command(reader: Reader) -> None:
    if reader.at >= reader.size or reader.peek() == ")" or keyword(reader) in CLOSERS:
        raise reader.fail("expected a command")


def _operator(reader: Reader) -> str:
    """The end of a pipeline: `&&`, `||`, `;`, `&`, a newline, or an empty string."""
    reader.blanks()
    char = reader.text[reader.at]
    if char == "\n":
        reader.newlines()
        return "\n"
    if char == ";":
        if reader.peek(1) in ";&\\" and (reader.behind(";;") >= 0 or reader.behind(";&") >= 0):
            return ""
        if reader.documents and reader.closer:  # bash 5.2 loses this semicolon
            raise reader.fail("a ; behind a here-document in a command substitution")
        reader.at += 1
        return ";"
    if char == "&":
        return "&&" if reader.take("&&") else "&" if reader.take("&") else ""
    return "||" if reader.take("||") else ""


def _pipeline(reader: Reader) -> Pipeline:
    pipeline = Pipeline(reader.at)
    if _prefixes(reader, pipeline) and (reader.at >= reader.size or reader.peek() in ";\n"):
        pipeline.commands.append(Simple(reader.at))  # `time` or `!` without a command
        return pipeline
    while True:
        pipeline.commands.append(_command(reader))
        reader.blanks()
        if not _take_bar(reader):
            return pipeline
        reader.newlines()
        _expect_command(reader)
        if keyword(reader) == "!":
            raise reader.fail("unexpected !")


def _prefixes(reader: Reader, pipeline: Pipeline) -> bool:
    """Read `!` and `time` before a pipeline; False if there are none."""
    start = reader.at
    while (reserved := keyword(reader)) in ("!", "time"):
        reader.expect_word(reserved)
        reader.blanks()
        pipeline.negated ^= reserved == "!"
        for option in ("-p", "--") if reserved == "time" else ():
            if reader.take_word(option):
                reader.blanks()
    return reader.at > start


def _take_bar(reader: Reader) -> bool:
    """Move behind `|` or `|&` if the pipeline goes on here."""
    if reader.text[reader.at] != "|" or reader.peek(1) == "|" or reader.behind("||") >= 0:
        return False
    return reader.take("|&") or reader.take("|")


# -- commands ------------------------------------------------------------------------------------


def _command(reader: Reader) -> Simple | Compound:
    reader.another_command()
    reader.blanks()
    opener = "(" if reader.text[reader.at] == "(" else keyword(reader)
    if opener != "(" and opener not in OPENERS:
        return _simple(reader)
    from hookkit.shell.scan import compounds  # late: most lines have none

    if opener == "(":
        command = compounds.parenthesis(reader)
    else:
        command = Compound(opener, reader.at)
        (READERS.get(opener) or compounds.READERS[opener])(reader, command)
    redirections(reader, command.redirects)
    command.end = reader.at
    return command


def _opens_compound(reader: Reader) -> bool:
    return reader.text[reader.at] == "(" or keyword(reader) in OPENERS


def _simple(reader: Reader, coprocess: Compound | None = None) -> Simple | Compound:
    """A program with its arguments; or `name () body`, or the compound command behind the name of a coprocess."""
    command = Simple(reader.at)
    named = coprocess is not None  # then the second word may have a subscript too
    while True:
        reader.blanks()
        char = reader.text[reader.at]
        if char in REDIRECTING and (redirect := redirection(reader)) is not None:
            command.redirects.append(redirect)
            command.end = reader.at
        elif coprocess and _is_one_word(command) and _opens_compound(reader):
            coprocess.name = command.words[0].text or ""
            coprocess.words += command.words  # the name is expanded too
            return _command(reader)
        elif char == "(" and _is_one_word(command) and command.words[0].plain:
            return _short_function(reader, command)
        elif char == END or (char in META and not is_process(reader)):
            break
        else:
            _add(reader, command, word(reader, ARGUMENT if len(command.words) > named else FIRST))
    if command.start == command.end:
        raise reader.unexpected()
    return command


def _is_one_word(command: Simple) -> bool:
    return len(command.words) == 1 and not command.assignments and not command.redirects


def _add(reader: Reader, command: Simple, word: Word) -> None:
    if reader.closer and command.redirects and not command.words and word.plain and word.text in RESERVED:
        # bash 5.2 moves the reserved word before the redirection and reads the word again
        raise reader.fail("a reserved word behind a redirection")
    (command.assignments if not command.words and word.assigns else command.words).append(word)
    command.end = word.end


# -- functions and coprocesses -------------------------------------------------------------------


def _short_function(reader: Reader, head: Simple) -> Compound:
    """`name () body`."""
    end = behind_empty_parentheses(reader)
    if end < 0:
        raise reader.unexpected()
    reader.at = end
    function = Compound("function", head.start)
    function.name = head.words[0].text or ""
    _function_body(reader, function)
    function.end = reader.at
    return function


def _function(reader: Reader, function: Compound) -> None:
    """`function name body`."""
    reader.expect_word("function")
    reader.blanks()
    function.name = literal_name(reader)
    reader.blanks()
    if reader.peek() == "(":
        reader.at = max(reader.at, behind_empty_parentheses(reader))
    _function_body(reader, function)


def _function_body(reader: Reader, function: Compound) -> None:
    reader.newlines()
    start = reader.at
    if not _opens_compound(reader):
        raise reader.fail("expected a function's body")
    reader.deeper()
    function.scripts.append(_alone(reader, start, _command(reader)))
    reader.depth -= 1


def _coprocess(reader: Reader, coprocess: Compound) -> None:
    """`coproc NAME { … }`; before a simple command there is no name."""
    reader.expect_word("coproc")
    reader.blanks()
    reader.deeper()
    if keyword(reader) == "!" or keyword(reader) in CLOSERS:
        raise reader.unexpected()
    inner = _command(reader) if _opens_compound(reader) else _simple(reader, coprocess)
    coprocess.scripts.append(_alone(reader, inner.start, inner))
    reader.depth -= 1


def _alone(reader: Reader, start: int, command: Simple | Compound) -> Script:
    """A command line of this single command."""
    pipeline = Pipeline(start)
    pipeline.commands.append(command)
    script = Script(attached=reader.attached)
    script.items.append((pipeline, ""))
    return script


def _parameter(reader: Reader, *, quoted: bool) -> Part:
    from hookkit.shell.scan import parameters  # late: most lines have no ${…}

    return parameters.parameter(reader, quoted=quoted)


READERS = {"coproc": _coprocess, "function": _function}
# A word may hold a command line, so lower modules call back through the reader.
GRAMMAR = Grammar(script=_script, parameter=_parameter, bodies=bodies)
