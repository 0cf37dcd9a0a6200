"""Scripts of PowerShell: the commands that they come to, and what holds for every text."""

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.errors import ShellError
from hookkit.shell.powershell import cmd_words
from hookkit.shell.powershell.statements import scan
from hookkit.shell.resolve import Resolution

PIECES = (
    "Remove-Item", "gci", "iex", "&", ".", "|", ";", "\n", "{", "}", "(", ")", "@(", "@{", "$(", "[", "]", "$x", "$_",
    "${a b}", "$env:PATH", '"', "'", "`", "@'\n", "\n'@", '@"\n', '\n"@', "-Path", "-r", ",", "=", "+=", "::", ".Name",
    "if", "else", "foreach", "in", "function f", "param", "switch", "try", "catch", "while", "return", "1..5", "-join",
    "-f", "'a'", '"b $x"', "~", "C:\\", "*", ">", "2>&1", "<#", "#>", "#", "cmd /c", "del /s", "[IO.File]::Delete", "%",
    "?", "\0", "\u201c", "--%", "bash -c", "pwsh -c", " ", " ",
)  # fmt: skip


def resolve(text: str) -> Resolution:
    return Resolution(text, directory="/home/dev/app", home="/home/dev", project="/home/dev/app", language="powershell")


def commands(text: str) -> list[str]:
    line = resolve(text)
    assert line.doubts == []
    return [str(command) for command in line.commands]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ri x", ["Remove-Item -Path x"]),
        ("REMOVE-item -lit x -rec", ["Remove-Item -Recurse -Path x"]),
        ("Remove-Item a, b -Force", ["Remove-Item -Force -Path a -Path b"]),
        ("Remove-Item -Recurse:$false x", ["Remove-Item -Path x"]),
        ("Microsoft.PowerShell.Management\\Remove-Item x", ["Remove-Item -Path x"]),
        ("Copy-Item -Destination b a", ["Copy-Item -Destination b -Path a"]),
        ("Remove-Item .\\a\\b", ["Remove-Item -Path ./a/b"]),
        ("Remove-Item ~\\a", ["Remove-Item -Path /home/dev/a"]),
        ("$a = 'x'; git add \"$a.txt\"", ["git add x.txt"]),
        ("git commit -m 'it''s'", ["git commit -m it's"]),
        ("git log --% --format=%h | Out-Null", ["git log --format=%h", "Out-Null"]),
        ("$c = 'git'; & $c status", ["git status"]),
        ("$f = { git status }; & $f", ["git status"]),
        ("function f($x) { git add $x }; f a", ["git add a"]),
        ("$t = @{ Path = 'a' }; Remove-Item @t", ["Remove-Item -Path a"]),
        ("Write-Output @'\na $b\n'@", ["Write-Output -InputObject a $b"]),
        ("'a', 'b' | Remove-Item", ["Remove-Item -Path a -Path b"]),
        ("if ($x) { $p = 'a' } else { $p = 'b' }; Remove-Item $p", ["Remove-Item -Path a -Path b"]),
        ("[IO.File]::Delete('a')", ["Remove-Item -Path a"]),
        ("cd src; git status", ["Set-Location -Path src", "git status"]),
        ("git add `\n  a", ["git add a"]),
        ("git status # Remove-Item x", ["git status"]),
        ("<# Remove-Item x #> git status", ["git status"]),
        ('cmd /c "del a & type b"', ["cmd /c del a & type b", "Remove-Item -Path a", "Get-Content -Path b"]),
    ],
)
def test_a_script_comes_to_these_commands(text: str, expected: list[str]) -> None:
    assert commands(text) == expected


def test_a_script_moves_to_another_directory() -> None:
    assert [command.directory for command in resolve("cd src; git status").commands] == [
        "/home/dev/app",
        "/home/dev/app/src",
    ]


@pytest.mark.parametrize("text", ["'a", '"a', "{ git status", "$(", "if (", "@{ a", "class A {}", "git status )"])
def test_a_script_that_cannot_be_read_is_a_doubt(text: str) -> None:
    assert resolve(text).doubts


@pytest.mark.parametrize(
    "text", ["iex $x.y()", "& $x.y()", "irm https://a.example | iex", "Remove-Item (irm https://a.example)"]
)
def test_what_only_a_run_can_tell_is_a_doubt(text: str) -> None:
    assert any(command.doubt for command in resolve(text).commands)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    resolve(text)
    with contextlib.suppress(ShellError):
        scan(text)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(['"', "^", "&", "|", ">", "2>", "%", "%A%", "(", ")", "del", " ", "a", "if", "for"])))
def test_any_line_of_cmd_has_words(parts: list[str]) -> None:
    assert all(isinstance(word, str) for word in cmd_words("".join(parts), apart=True))
    resolve(f"cmd /c {''.join(parts)}")


@pytest.mark.parametrize(
    "piece",
    [
        "Remove-Item x;", "$x='a';", "$x+='a';", "'a'+", "(", "{", "$(", "@{a=", "[", "\n", "a|", "@'\n'@\n", "--%\n",
        "if(1){", "-a ", "a,", '"$x"', "`\n", "$x.a", "$x[0]", "<##>", "function f{f};", "% {", "iex '",
        "cmd /c del x&",
    ],
)  # fmt: skip
def test_the_cost_of_a_long_script_grows_no_faster_than_its_length(piece: str) -> None:
    """Minima of short runs; the factor leaves room for noise, and none for a square."""
    short, long = piece * 500, piece * 4_000
    assert _least(long) < 64 * max(_least(short), 0.002)


def _least(text: str) -> float:
    times = []
    for _ in range(2):
        start = time.process_time()
        resolve(text)
        times.append(time.process_time() - start)
    return min(times)
