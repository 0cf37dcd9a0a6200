"""The parser reads a command line as typer does, or leaves it to typer."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit import registry
from hookkit.cli import _main, _typer
from hookkit.cli._command import CommandSpec, Doubt, HelpWanted, Subcommands, parse
from hookkit.cli._console import Exit
from tests.cli.conftest import Command


def specs(path: list[str], command: CommandSpec | Subcommands) -> Iterator[tuple[list[str], CommandSpec]]:
    if isinstance(command, CommandSpec):
        yield path, command
        return
    for name, function in command.functions.items():
        inner = function if isinstance(function, Subcommands) else CommandSpec(function, name)
        yield from specs([*path, name], inner)


ALL = [spec for name in registry.names("cli") for spec in specs([name.replace("_", "-")], _main.command_of(name))]
WORDS = (
    "x",
    "a b",
    "5",
    "-1",
    "2.5",
    "",
    "-",
    "--",
    "json",
    "table",
    "jsonl",
    "deny",
    "-n5",
    "--bogus",
    "-hv",
    "=",
    "é",
)


@st.composite
def lines(draw: st.DrawFn) -> tuple[list[str], CommandSpec, list[str]]:
    path, command = draw(st.sampled_from(ALL))
    names = [own for param in command.params for name in param.names for own in name.split("/")]
    names += [*command.output.names] if command.output else []
    words = st.sampled_from([*names, *(f"{name}=5" for name in names), *WORDS])
    return path, command, draw(st.lists(words, max_size=6))


@settings(max_examples=150, deadline=None)
@given(lines())
def test_it_reads_what_typer_reads(line: tuple[list[str], CommandSpec, list[str]]) -> None:
    path, command, words = line
    try:
        values = parse(command, words)
    except (Doubt, HelpWanted):
        return  # typer decides
    try:
        other = _typer.read(path, command, words)
    except Exit:
        pytest.fail(f"typer refuses {words} of {path}")
    lists = {name: value or None for name, value in other[0].items()}
    assert ({name: value or None for name, value in values[0].items()}, values[1]) == (lists, other[1])


@pytest.mark.parametrize(("path", "command"), ALL, ids=[" ".join(path) for path, _ in ALL])
def test_typer_takes_every_command(path: list[str], command: CommandSpec) -> None:
    """Its defaults are those of the function: completion and mistakes go by the same flags."""
    if not any(param.is_required for param in command.params):
        assert _typer.read(path, command, [])[0] == {param.name: param.default for param in command.params}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("version", "--version"),
        ("schema", "validate --schema"),
        ("approve", "allow --approvals"),
        ("allow-once", "allow --stopped"),
        ("task list", "effort task list"),
        ("errors -n3", "errors --last 3"),
    ],
)
def test_older_names_and_spellings_still_work(command: Command, old: str, new: str) -> None:
    assert command(*old.split()) == command(*new.split())
    assert command(*old.split()).code == 0


@pytest.mark.parametrize("old", sorted(_main.OLDER))
def test_a_new_name_passes_no_rule_that_knows_the_older_one(command: Command, old: str) -> None:
    """The shipped policy asks before an agent approves or clears something; a new spelling must not get around it."""
    verdicts = [
        command("why", "-o", "json", f"hookkit {words} 0a1b2c3d").out.split('"verdict": ')[1].split(",")[0]
        for words in (old, " ".join(_main.OLDER[old]))
    ]
    assert verdicts[0] in (verdicts[1], "null")
