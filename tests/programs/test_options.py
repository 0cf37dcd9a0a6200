"""The parser of options: a row a command line, with its options, their values and its operands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookkit.programs import catalogue
from hookkit.programs.catalogue import SHIPPED
from hookkit.programs.options import parse, read_option
from hookkit.shell import resolve

ROWS = [
    # an option with a value only in the same word never takes the next word
    ("grep --color root a", {"--color"}, [], ["root", "a"]),
    ("grep --color=never root a", {"--color", "--color=never"}, [("--color", "never")], ["root", "a"]),
    ("git diff -U 5", {"-U"}, [], ["diff", "5"]),
    ("git diff -U5", {"-U"}, [("-U", "5")], ["diff"]),
    ("git log --pretty x", {"--pretty"}, [], ["log", "x"]),
    # a number is taken, another word is not
    ("make -j deploy", {"-j"}, [], ["deploy"]),
    ("make -j 4 deploy", {"-j"}, [("-j", "4")], ["deploy"]),
    ("make -j4 deploy", {"-j", "-4", "-j4"}, [("-j", "4")], ["deploy"]),
    ("journalctl -n -u ssh", {"-n", "-u"}, [("-u", "ssh")], []),
    # clusters, abbreviations, other spellings
    ("rm --recurs --force x", {"-r", "-f"}, [], ["x"]),
    ("tar czf x.tgz a", {"-c", "-z", "-f"}, [("-f", "x.tgz")], ["a"]),
    ("git branch -D x", {"-d", "-f", "-df"}, [], ["branch", "x"]),
    ("curl -sSLo f u", {"-s", "-S", "-L", "-o"}, [("-o", "f")], ["u"]),
    # options of the program hold in front of the sub-command, and behind it where the record says so
    ("git --attr-source HEAD push evil", {"--attr-source"}, [("--attr-source", "HEAD")], ["push", "evil"]),
    ("kubectl get -n x pods", {"-n"}, [("-n", "x")], ["get", "pods"]),
    ("cargo +nightly publish", set(), [], ["publish"]),
    ("cat -- -n", {"--"}, [], ["-n"]),
]


@pytest.mark.parametrize(
    ("line", "flags", "values", "operands"), ROWS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_words_are_sorted_as_the_program_would(
    line: str, flags: set[str], values: list[tuple[str, str]], operands: list[str]
) -> None:
    parsed = parse(line.split())
    assert (parsed.flags, parsed.values, parsed.operands[1:]) == (flags, values, operands)


WRAPPED = [
    "perf record -g rm -rf x", "perf stat -e cycles -r 5 rm -rf x", "numactl -l rm -rf x", "numactl -N 0 rm -rf x",
    "nsenter -t 1 -r rm -rf x", "nsenter -t 1 -w rm -rf x", "nsenter -t 1 -m -u -i -n -p -- rm -rf x",
    "script -q /dev/null rm -rf x", "script -qc 'rm -rf x' /dev/null", "env --block-signal rm -rf x",
    "docker run --rm -it -v a:b --mount type=bind,src=a,dst=b alpine rm -rf x", "sudo --preserve-env=A rm -rf x",
    "doppler run -- rm -rf x", "infisical run --env dev -- rm -rf x", "multipass exec vm -- rm -rf x",
    "git bisect run rm -rf x", "uv tool run rm -rf x", "micromamba run -n e rm -rf x",
]  # fmt: skip


@pytest.mark.parametrize("line", WRAPPED)
def test_the_program_behind_a_wrapper_is_seen(line: str) -> None:
    assert ["rm", "-rf", "x"] in [command.words for command in resolve(line).commands]


@pytest.mark.parametrize(
    "line", ["sudo --no-such rm -rf x", "timeout --nope 5 rm -rf x", "timeout --nope s 5 rm -rf x"]
)
def test_an_unknown_option_of_a_wrapper_is_a_doubt_and_both_readings_are_followed(line: str) -> None:
    commands = resolve(line).commands
    assert any(command.doubt for command in commands)
    assert ["rm", "-rf", "x"] in [command.words for command in commands]


def test_a_word_with_a_dash_in_place_of_a_program_is_a_doubt() -> None:
    assert any(command.doubt for command in resolve("sudo -- -x rm -rf x").commands)


@given(
    name=st.sampled_from([name for name in catalogue.names() if " " not in name]),
    words=st.lists(st.text(alphabet="-abcf=5./ ", max_size=6), max_size=6),
)
def test_no_word_is_lost(name: str, words: list[str]) -> None:
    """Each word is an option, a value of an option, or an operand."""
    if name in ("kill", "tar", "bsdtar", "gtar"):
        return
    parsed = parse([name, *words])
    values = [value for _, value in parsed.values]
    rest = words[: words.index("--")] if "--" in words else words
    for word in rest:
        is_known = word in parsed.operands or word in values or word[:1] == "-"
        assert is_known or (word[:1] == "+" and name in ("cargo", "rustc", "rustup"))


@given(word=st.text(alphabet="-abcXYZ=1", min_size=2, max_size=8), following=st.none() | st.text(max_size=4))
def test_an_option_takes_at_most_the_next_word(word: str, following: str | None) -> None:
    for name in ("grep", "find", "make", "git diff"):
        options, taken = read_option(f"-{word}", following, SHIPPED.get(name))
        assert taken in (0, 1)
        assert taken == 0 or (following is not None and options[-1][1] == following)
