"""Commands with command lines inside: conditions, loops, groups, tests."""

from hookkit.shell.scan.expansions import arithmetic, is_process
from hookkit.shell.scan.reader import Reader
from hookkit.shell.scan.words import OPERAND, PATTERN, REGEX, keyword, literal_name, word
from hookkit.shell.syntax import Compound, Word

ENDINGS = (";;&", ";;", ";&")  # of a branch of a case
UNARY = frozenset("-" + letter for letter in "abcdefghknoprstuvwxzGLNOSR")
# The operators between two words of a test, with the kind of the second word.
BINARY = {
    **dict.fromkeys(("=", "==", "!="), PATTERN),
    **dict.fromkeys(("-nt", "-ot", "-ef", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"), OPERAND),
    "=~": REGEX,
}


def parenthesis(reader: Reader) -> Compound:
    """`(…)` or `((…))`."""
    start = reader.at
    doubled = reader.behind("((") >= 0
    body = arithmetic(reader) if doubled else None
    if body is not None:
        command = Compound("((", start)
        command.scripts, command.text = body
        return command
    command = Compound("(", start)
    reader.at += 1
    reader.doubled += doubled
    command.scripts.append(reader.grammar.script(reader))
    reader.doubled -= doubled
    reader.close(")")
    return command


def _clause(reader: Reader, command: Compound, *words: str) -> None:
    """`word script` for each of the reserved words."""
    for reserved in words:
        reader.expect_word(reserved)
        command.scripts.append(reader.grammar.script(reader))


def _if(reader: Reader, command: Compound) -> None:
    _clause(reader, command, "if", "then")
    while keyword(reader) == "elif":
        _clause(reader, command, "elif", "then")
    if keyword(reader) == "else":
        _clause(reader, command, "else")
    reader.expect_word("fi")


def _while(reader: Reader, command: Compound) -> None:
    _clause(reader, command, command.kind, "do")
    reader.expect_word("done")


def _group(reader: Reader, command: Compound) -> None:
    _clause(reader, command, "{")
    reader.expect_word("}")


def _for(reader: Reader, command: Compound) -> None:
    reader.expect_word(command.kind)
    reader.blanks()
    if command.kind == "for" and reader.behind("((") >= 0:
        body = arithmetic(reader)
        if body is None:
            raise reader.fail("expected ))")
        command.scripts, command.text = body
    else:
        command.name = literal_name(reader)
        reader.newlines()
        if reader.take_word("in"):
            _words_to_line_end(reader, command)
    reader.blanks()
    reader.at += reader.peek() == ";"
    reader.newlines()
    if keyword(reader) == "{":
        _group(reader, command)
        return
    _clause(reader, command, "do")
    reader.expect_word("done")


def _words_to_line_end(reader: Reader, command: Compound) -> None:
    reader.blanks()
    while reader.at < reader.size and reader.peek() not in ";\n":
        command.words.append(word(reader, OPERAND))
        reader.blanks()


def _case(reader: Reader, command: Compound) -> None:
    reader.expect_word("case")
    reader.blanks()
    command.words.append(word(reader, OPERAND))
    reader.newlines()
    reader.expect_word("in")
    reader.newlines()
    while keyword(reader) != "esac":
        patterns = _patterns(reader)
        command.words += patterns
        command.branches.append(patterns)
        command.scripts.append(reader.grammar.script(reader))
        ending = next((ending for ending in ENDINGS if reader.take(ending)), "")
        command.endings.append(ending)
        reader.newlines()
        if not ending and keyword(reader) != "esac":
            raise reader.fail("expected ;;")
    reader.expect_word("esac")


def _patterns(reader: Reader) -> list[Word]:
    """`(a | b)` before a branch of a case."""
    reader.take("(")
    patterns = []
    while True:
        reader.blanks()
        patterns.append(word(reader, OPERAND))
        reader.blanks()
        if not reader.take("|"):
            break
    reader.close(")")
    return patterns


# -- tests ---------------------------------------------------------------------------------------


def _test(reader: Reader, command: Compound) -> None:
    """`[[ … ]]`, as strict as bash: after an invalid test, bash goes on at another position."""
    reader.expect_word("[[")
    level = 0
    while True:
        level += _term(reader, command)
        while reader.peek() == ")" and level:
            level -= 1
            reader.at += 1
            reader.newlines()
        if not level and reader.take_word("]]"):
            return
        if not reader.take("&&") and not reader.take("||"):
            raise reader.unexpected()


def _term(reader: Reader, command: Compound) -> int:
    """`-f x`, `a = b` or `a`, with the `!` and `(` before the test; the number of parentheses opened."""
    level = 0
    reader.newlines()
    while reader.peek() == "(" or reader.take_word("!"):
        if reader.peek() == "(":
            level += 1
            reader.at += 1
        reader.newlines()
    first = _operand(reader, command)
    if first.plain and first.text in UNARY:
        reader.blanks()
        _operand(reader, command)
    elif not _ends_term(reader):
        _comparison(reader, command)
    reader.newlines()
    return level


def _ends_term(reader: Reader) -> bool:
    reader.blanks()
    return any(reader.behind(token) >= 0 for token in ("&&", "||", ")")) or reader.behind_word("]]") >= 0


def _operand(reader: Reader, command: Compound, kind: str = OPERAND) -> Word:
    if reader.behind_word("]]") >= 0:
        raise reader.unexpected()
    operand = word(reader, kind)
    command.words.append(operand)
    return operand


def _comparison(reader: Reader, command: Compound) -> None:
    kind = OPERAND
    if reader.peek() in "<>" and not is_process(reader):
        reader.at += 1
    else:
        operator = _operand(reader, command)
        if not operator.plain or operator.text not in BINARY:
            raise reader.fail("expected an operator")
        kind = BINARY[operator.text]
    reader.blanks()
    _operand(reader, command, kind)


READERS = {
    "if": _if,
    "while": _while,
    "until": _while,
    "for": _for,
    "select": _for,
    "case": _case,
    "{": _group,
    "[[": _test,
}
