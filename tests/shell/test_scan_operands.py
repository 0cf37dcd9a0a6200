"""The operand of `${name operator operand}`, the branches of a case and the text of an arithmetic command."""

import random

import pytest

from hookkit.errors import ShellError
from hookkit.shell.scan import scan
from hookkit.shell.syntax import LITERAL, Compound, Part, Word
from tests.shell import truth
from tests.shell.sight import check_places, words

PIECES = ["a", "b", " ", "/", "*", "'a'", "'b c'", '"a"', '"b c"', '""', "\\", "\\a", "\\'", '\\"', "\\\\", "\\}",
          "\\$", '"\\a"', '"\\}"', "'\\'", "$'a\\tb'", "\\\n", '"\\\\"', "$u", '"$u"', "é"]  # fmt: skip


def parameter(source: str) -> Part:
    """The only part of the second word of `p source`."""
    script = scan(f"p {source}")
    check_places(f"p {source}", script)
    parts = script.items[0][0].commands[0].words[1].parts
    assert len(parts) == 1
    return parts[0]


def pieces(word: Word) -> list[tuple[str, str, bool]]:
    return [(part.kind, part.text, part.quoted) for part in word.parts]


def compound(text: str) -> Compound:
    command = scan(text).items[0][0].commands[0]
    assert isinstance(command, Compound)
    return command


@pytest.mark.parametrize(
    ("source", "operand"),
    [
        ("${x/a/b}", "a/b"),
        ("${x//a/b}", "a/b"),
        ("${x/#a/b}", "a/b"),
        ("${x/%a/b}", "a/b"),
        ("${x:1:2}", "1:2"),
        ("${x: -1}", " -1"),
        ("${x#a*}", "a*"),
        ("${x##*/}", "*/"),
        ("${x%a}", "a"),
        ("${x%%a}", "a"),
        ("${x^a}", "a"),
        ("${x,,a}", "a"),
        ("${x@P}", "P"),
        ("${x-a b}", "a b"),
        ("${x:=a}", "a"),
        ("${x?a}", "a"),
        ("${x:+a}", "a"),
        ("${x[1]:-a}", "a"),
        ("${x[$i]#a}", "a"),
        ("${#:-a}", "a"),
        ("${!x:-a}", "a"),
        ("${@:2}", "2"),
        ("${$#1}", "1"),
        ("${x\\\n:\\\n-a}", "a"),
        ("${x:-<}", "<"),
    ],
)
def test_the_operand_is_one_word_of_the_text_behind_the_operator(source: str, operand: str) -> None:
    part = parameter(source)
    assert part.text == source[2:-1]
    assert [word.text for word in part.words] == [operand]
    assert [word.plain for word in part.words] == [True]
    assert pieces(part.words[0]) == [(LITERAL, operand, False)]


@pytest.mark.parametrize("source", ["${x}", "$x", "${x[1]}", "${#x}", "${!x}", "${x^^}", "${x:-}", "${!x@}", "${$}"])
def test_no_operand_is_no_word(source: str) -> None:
    assert parameter(source).words == ()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("${D:-$HOME}", [("variable", "HOME", False)]),
        ('${D:-"$HOME"}', [("variable", "HOME", True)]),
        ('"${D:-$HOME}"', [("variable", "HOME", True)]),
        ("${D:-$HOME/a'b c'}", [("variable", "HOME", False), ("literal", "/a", False), ("literal", "b c", True)]),
        ('${D:-"a"\\b}', [("literal", "a", True), ("literal", "b", True)]),
        ('${D:-""}', [("literal", "", True)]),
        ('"${D:-""}"', [("literal", "", True)]),
        ('"${D:-a b}"', [("literal", "a b", True)]),
        ("\"${D:-'a'}\"", [("literal", "'", True), ("literal", "a", True), ("literal", "'", True)]),
        ("${D:-$(p)}", [("command", "$(p)", False)]),
        ("${D:-<(p)a}", [("process", "<", False), ("literal", "a", False)]),
        # Quotes around ${…} do not make the characters of a pattern literal; quotes inside the pattern do.
        ('"${D#*/}"', [("literal", "*/", False)]),
        ('"${D#$x}"', [("variable", "x", False)]),
        ('"${D#"$x"}"', [("variable", "x", True)]),
        ("\"${D#'*'}\"", [("literal", "*", True)]),
    ],
)
def test_a_piece_of_the_operand_is_quoted_as_bash_quotes_it(source: str, expected: list[tuple[str, str, bool]]) -> None:
    assert [pieces(word) for word in parameter(source).words] == [expected]


def test_apostrophes_in_an_operand_of_a_quoted_patterns_operand_are_quotes() -> None:
    inner = parameter("\"${D#${x:-'a'}}\"").words[0].parts[0]
    assert [pieces(word) for word in inner.words] == [[("literal", "a", True)]]


def test_commands_of_an_operand_stay_in_the_scripts_of_the_part() -> None:
    part = parameter("${x[$(p1)]:-$(p2)${y:-`p3`}}")
    assert [words(script) for script in part.scripts] == [[["p1"]], [["p2"]], [["p3"]]]
    assert words(scan("p ${x:-$(q)}")) == [["p", None], ["q"]]


@pytest.mark.skipif(not truth.BASH, reason="bash is not installed")
@pytest.mark.parametrize("around", ["${{x:-{}}}", '"${{x:-{}}}"', '"a${{x-{}}}"', '${{x:-"${{x:-{}}}"}}'])
def test_bash_makes_the_same_text_of_an_operand(around: str) -> None:
    chance = random.Random(1)
    operands = ["".join(chance.choices(PIECES, k=chance.randint(1, 5))) for _ in range(150)]
    read = {around.format(operand): shown(around.format(operand)) for operand in operands}
    known = {source: text for source, text in read.items() if text is not None}
    assert len(known) > 40
    calls = truth.ran_each(f"IFS=; set -f; unset x u; u=v; p {source}" for source in known)
    for (source, text), found in zip(known.items(), calls, strict=True):
        assert found == [["p", text] if text or '"' in source or "'" in source else ["p"]], source


def shown(source: str) -> str | None:
    """The text of the word with every `${…}` replaced by its operand, and `$u` by `v`; None if the scanner refuses."""
    try:
        word = scan(f"p {source}").items[0][0].commands[0].words[1:]
    except ShellError:
        return None
    return expanded(word[0]) if len(word) == 1 else None


def expanded(word: Word) -> str:
    return "".join(
        part.text if part.kind == LITERAL else "v" if part.text == "u" else "".join(map(expanded, part.words))
        for part in word.parts
    )


# -- compound commands ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("((x = 1 + $(p)))", "x = 1 + $(p)"),
        ("(\\\n( x ))", " x "),
        ("for ((i = 0; i < 3; i++)); do p; done", "i = 0; i < 3; i++"),
        ("for ((;;)) { p; }", ";;"),
        ("((p) )", ""),
        ("for i in 1; do p; done", ""),
    ],
)
def test_an_arithmetic_command_keeps_its_text(text: str, expression: str) -> None:
    assert compound(text).text == expression


def test_a_case_keeps_the_patterns_and_the_ending_of_each_branch() -> None:
    command = compound("case $x in a | 'b c') p1 ;; (d) ;& e) p2 ;;& *) p3; esac")
    assert [[word.text for word in patterns] for patterns in command.branches] == [["a", "b c"], ["d"], ["e"], ["*"]]
    assert command.endings == [";;", ";&", ";;&", ""]
    assert [words(script) for script in command.scripts] == [[["p1"]], [], [["p2"]], [["p3"]]]
    assert [word.text for word in command.words] == [None, "a", "b c", "d", "e", "*"]


def test_other_compounds_have_no_branches() -> None:
    command = compound("if p1; then p2; elif p3; then p4; else p5; fi")
    assert (command.branches, command.endings, command.text) == ([], [], "")
    assert [words(script) for script in command.scripts] == [[["p1"]], [["p2"]], [["p3"]], [["p4"]], [["p5"]]]
