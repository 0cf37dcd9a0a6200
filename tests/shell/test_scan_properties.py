"""Properties of any text: the scanner returns a tree with right positions, or raises ShellError."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.errors import ShellError
from hookkit.shell.scan import scan
from hookkit.shell.syntax import Script
from tests.shell.nestings import backquoted
from tests.shell.sight import check_places, words
from tests.shell.test_scan_bounds import steps

TOKENS = """
    p1 p2 echo a=b a[ ]= a=( a+= x 1 2 - , # #c ! time coproc function f f() if then elif else fi while until for in do
    done case esac select [[ ]] =~ == -f ( ) { } (( )) $( $(( $[ ] ` ' " $' $" \\ ${x:- ${x# ${x/ ${a[ } <( >( << <<-
    <<< > >> >& >&- &> 2> {fd}> < <> | |& || & && ; ;; ;;& ;& @( $x $ $$ E 'E' extglob \\` \\" \\' \\$ \\\\ é 値
""".split()
SPACES = [" ", " ", "\n", "\t", "\\\n", "", "", "\r"]
soup = st.lists(st.tuples(st.sampled_from(TOKENS), st.sampled_from(SPACES)).map("".join), max_size=30).map("".join)
shells = st.text(st.sampled_from("pq \n\t\\'\"`$(){}[]<>|&;#!=-x1E~*?@+:/%"), max_size=60)
long_soup = st.lists(st.sampled_from([*TOKENS, *SPACES]), max_size=150).map(lambda tokens: "".join(tokens)[:300])
long_shells = st.text(st.sampled_from("pq \n\\'\"`$(){}[]<>|&;#!=-x1E²٣~*?@+:/%,"), max_size=300)
anything = st.text(st.characters(), max_size=60)
texts = st.one_of(soup, shells, anything)
plain = st.text(st.characters(exclude_characters="\0"), max_size=40)


def scanned(text: str) -> Script | None:
    try:
        return scan(text)
    except ShellError as error:
        if not 0 <= error.offset <= len(text):
            raise
        return None


@settings(max_examples=1500, deadline=None)
@given(texts)
def test_any_text_is_read_or_refused(text: str) -> None:
    """ShellError is the only exception, and all positions are right."""
    script = scanned(text)
    if script is not None:
        check_places(text, script)


@settings(max_examples=500, deadline=None)
@given(st.one_of(long_soup, long_shells))
def test_any_long_text_is_read_or_refused_in_linear_time(text: str) -> None:
    """Python and C calls are counted: the count is the same on every machine."""
    scanned(text)
    assert steps(text) <= 60 * len(text) + 500


@settings(max_examples=300, deadline=None)
@given(texts)
def test_reading_is_the_same_every_time(text: str) -> None:
    first, second = scanned(text), scanned(text)
    assert (first is None) == (second is None)
    assert first is None or second is None or words(first) == words(second)


@settings(max_examples=500, deadline=None)
@given(texts, texts)
def test_two_lines_hold_the_commands_of_both(first: str, second: str) -> None:
    """Except behind a here-document or a backslash at the end of the first line."""
    above, below, both = scanned(first), scanned(second), scanned(f"{first}\n{second}")
    if above is None or below is None or "<<" in first or first.endswith("\\") or "extglob" in first + second:
        return
    assert both is not None
    assert words(both) == words(above) + words(below)


@settings(max_examples=300, deadline=None)
@given(plain)
def test_quoted_text_is_one_word_and_no_command(text: str) -> None:
    apostrophes = "'" + text.replace("'", "'\\''") + "'"
    marks = '"' + "".join("\\" + char if char in '"\\$`' else char for char in text) + '"'
    assert words(scan(f"p {apostrophes}; q {marks}")) == [["p", text], ["q", text]]


@settings(max_examples=300, deadline=None)
@given(plain)
def test_text_in_a_quoted_here_document_is_its_body(text: str) -> None:
    script = scan(f"p <<'END'\n{text}\nEND\nq")
    commands = [pipeline.commands[0] for pipeline, _ in script.items]
    if "END" not in text.split("\n"):
        body = commands[0].redirects[0].body
        assert body is not None
        assert body.text == text + "\n"
        assert words(script) == [["p"], ["q"]]


@settings(max_examples=300, deadline=None)
@given(plain)
def test_escaped_text_in_a_here_document_is_its_body(text: str) -> None:
    escaped = "".join("\\" + char if char in "\\$`" else char for char in text)
    body = scan(f"p <<END\n{escaped}\nEND").items[0][0].commands[0].redirects[0].body
    assert body is not None
    if "END" not in text.split("\n"):
        assert body.text == text + "\n"


@settings(max_examples=300, deadline=None)
@given(texts)
def test_a_command_substitution_holds_the_commands_of_its_text(text: str) -> None:
    """In parentheses and in backquotes."""
    alone = scanned(text)
    if alone is None or "<<" in text.replace("\\\n", "") or text.endswith("\\"):
        return  # a here-document needs lines for its body
    for around in (f"p $(\n{text}\n)", f'p "$(\n{text}\n)"', "p " + backquoted(text)):
        inside = scanned(around)
        if inside is None:
            with pytest.raises(ShellError, match="a reserved word behind a redirection"):
                scan(around)
        else:
            assert words(inside)[1:] == words(alone)


@settings(max_examples=300, deadline=None)
@given(texts)
def test_a_comment_holds_no_command(text: str) -> None:
    line = text.replace("\n", " ").replace("\0", " ")
    assert words(scan(f"p # {line}\nq")) == [["p"], ["q"]]
