"""Approve and guard cannot disagree: what a rule stops is never approved, and a harmless command has no such effect."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.errors import Spoiled
from hookkit.model import Event
from hookkit.policy.judge import Judge, decide
from hookkit.policy.rules import compile_rules
from hookkit.programs import catalogue, effects
from hookkit.programs.catalogue import SHIPPED, Program
from hookkit.settings import compiling
from hookkit.settings.layers import Settings
from hookkit.verdicts.approve import approval
from hookkit.verdicts.approve.readers import is_safe, read

ENVIRON = {"HOME": "/home/dev", "PATH": "/usr/bin:/bin"}
POLICY = compile_rules({})
READS = Settings(ENVIRON, compiling.compile_values({"policy.approve": "reads"}, ENVIRON))
HERE = "/home/dev/app"
HARMLESS = sorted(name for name in catalogue.names() if SHIPPED.get(name).has("harmless"))
OPERANDS = ("a.py", "src", "b.txt", "HEAD", "-", "x y", "1,5p", "s/a/b/", "main")


def options(record: Program) -> list[str]:
    return sorted({*record.flags, *record.value, *record.attached, *record.number, *record.words_of("unsafe")})


@st.composite
def commands(draw: st.DrawFn) -> list[str]:
    """A harmless program with any of its options, and any operands."""
    name = draw(st.sampled_from(HARMLESS))
    known = options(SHIPPED.get(name)) or ["-x"]
    words = draw(st.lists(st.one_of(st.sampled_from(known), st.sampled_from(OPERANDS)), max_size=5))
    return [*name.split(" "), *words]


@given(words=commands())
@settings(max_examples=1_500)
def test_a_command_that_only_reads_has_no_other_effect(words: list[str]) -> None:
    """Over all records and all their options."""
    try:
        parsed = read(words, SHIPPED)
    except Spoiled:
        return
    assert {kind for kind, _ in effects.effects(parsed, [], lambda _: False)} <= {effects.READ}


@given(words=commands())
@settings(max_examples=500)
def test_what_a_rule_stops_is_never_approved(words: list[str]) -> None:
    line = " ".join(f"'{word}'" for word in words)
    event = Event("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": line}, "cwd": HERE})
    event.project = HERE
    judge = Judge(POLICY, ENVIRON)
    if approval(event, judge, READS).yes:
        assert decide(POLICY, judge.call(event), "").verdict is None, line


def test_an_option_with_an_effect_is_never_safe() -> None:
    """For every option of every record."""
    wrong = [
        (name, option)
        for name in catalogue.names()
        for record in [SHIPPED.get(name)]
        for column in ("writes", "commands", "carries", "unsafe")
        for option in record.words_of(column)
        if is_safe(option, record)
    ]
    assert wrong == []
