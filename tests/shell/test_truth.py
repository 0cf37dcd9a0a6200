"""Random nestings, the truth from bash: a rule about a program that ran matches, one about mere text does not."""

import pytest

from hookkit.policy.call import Call
from hookkit.policy.match import NO, matches
from hookkit.policy.pattern import parse
from tests.shell import truth
from tests.shell.nestings import Nesting

SEEDS = range(5_000, 6_000)
NESTINGS = [Nesting(seed) for seed in SEEDS]

pytestmark = pytest.mark.skipif(not truth.BASH, reason="bash is not installed")


def called(text: str) -> Call:
    return Call("Bash", {"command": text}, cwd="/home/u/p", project="/home/u/p", home="/home/u")


def test_no_program_that_bash_runs_is_missed_and_text_is_left_alone() -> None:
    """A doubt counts as seen, since it is asked about; false alarms stay under one in a hundred."""
    programs = alarms = texts = 0
    for nesting, calls in zip(NESTINGS, truth.ran_each(nesting.text for nesting in NESTINGS), strict=True):
        call = called(nesting.text)
        ran = {words[0] for words in calls if words[0][:1] == "p"}
        missed = [name for name in ran if matches(parse(f"Bash({name} *)"), call).yes == NO]
        assert missed == [], nesting.text
        programs += len(ran)
        texts += len(nesting.quiet)
        alarms += sum(matches(parse(f"Bash({name} *)"), call).yes != NO for name in nesting.quiet)
    assert programs > len(NESTINGS)
    assert alarms <= texts / 100, f"{alarms} of {texts}"
