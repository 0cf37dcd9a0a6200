"""However a command is wrapped, quoted and nested, the policy sees it; however it is quoted as text, it does not."""

import shlex

from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.policy.call import Call
from hookkit.policy.match import YES, matches
from hookkit.policy.pattern import parse

PATTERN = parse("Bash(frob -xz * out *)")
# The program in all the spellings that a shell undoes.
SPELLINGS = ["frob", "'frob'", '"frob"', "fr\\ob", "$'frob'", "f''rob", "/opt/bin/frob", "fr\\\nob", "$'\\x66rob'"]
FLAGS = ["-xz out", "-zx out", "-x -z out", "out -xz", "-v -xz out more", "out -z -q -x", "-xqz -- out"]
# `{}` is the command itself, `{quoted}` the same as one word for another shell.
WRAPPERS = [
    "{}", "cd sub && {}", "true; {}", "false || {}", "ls | {}", "{} | cat", "{} &", "ls\n{}\n", "( {} )", "{{ {}; }}",
    "if true; then {}; fi", "if false; then ls; else {}; fi", "for i in 1 2; do {}; done", "while {}; do break; done",
    "case x in *) {};; esac", "f() {{ {}; }}; f", "! {}", "time {}", "A=1 sh -c {quoted}", "echo $( {} )",
    'echo "$( {} )"',
    "x=$( {} )", "cat <( {} )", "echo ${{y:-$( {} )}}", "[[ -n $( {} ) ]]", "a=( $( {} ) )", "sh -c {quoted}",
    "bash -lc {quoted}", "sudo sh -c {quoted}", "eval {quoted}", "env -i bash -c {quoted}", "echo {quoted} | sh",
    "sh <<< {quoted}", "ssh host {quoted}", "xargs sh -c {quoted}", "find . -exec sh -c {quoted} \\;",
    "trap {quoted} EXIT", "su -c {quoted} bob", "docker exec box sh -c {quoted}", "watch {quoted}",
    'X={quoted}; eval "$X"',
    "timeout -k 1 5 nice -n 3 sh -c {quoted}", "flock /tmp/l -c {quoted}", "nohup sh -c {quoted} > log 2>&1 &",
]  # fmt: skip


def sees(line: str) -> bool:
    call = Call("Bash", {"command": line}, cwd="/home/u/p", project="/home/u/p", home="/home/u")
    return matches(PATTERN, call).yes == YES


@settings(max_examples=1_000, deadline=None)
@given(
    program=st.sampled_from(SPELLINGS),
    flags=st.sampled_from(FLAGS),
    wrappers=st.lists(st.sampled_from(WRAPPERS), max_size=4),
)
def test_a_command_is_seen_however_it_is_wrapped(program: str, flags: str, wrappers: list[str]) -> None:
    line = f"{program} {flags}"
    for wrapper in wrappers:
        line = wrapper.format(f"( {line}\n)", quoted=shlex.quote(line))
    assert sees(line), line


@settings(max_examples=500, deadline=None)
@given(
    program=st.sampled_from(SPELLINGS),
    flags=st.sampled_from(FLAGS),
    inner=st.lists(st.sampled_from(WRAPPERS), max_size=2),
    printer=st.sampled_from(
        ["echo {}", "printf %s {}", "git commit -m {}", "grep -r {} .", "cat <<< {}", "X={}", "man {}"]
    ),
)
def test_text_is_no_command_however_much_it_looks_like_one(
    program: str, flags: str, inner: list[str], printer: str
) -> None:
    text = f"{program} {flags}"
    for wrapper in inner:
        text = wrapper.format(f"( {text}\n)", quoted=shlex.quote(text))
    line = printer.format(shlex.quote(text))
    call = Call("Bash", {"command": line}, cwd="/home/u/p", project="/home/u/p", home="/home/u")
    assert not matches(PATTERN, call).yes, line
