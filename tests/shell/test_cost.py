"""The cost of a line: whatever it holds, no exception, and work in proportion to the budget that is spent."""

import sys
from collections.abc import Callable

from hypothesis import HealthCheck, example, given, settings

from hookkit.policy.call import Call
from hookkit.policy.judge import decide
from hookkit.policy.rules import compile_rules
from hookkit.shell.state import CHARACTERS, STEPS
from tests.shell.lines import bombs, lines, repeated

PROJECT = "/home/u/project"
POLICY = compile_rules({})
CALLS_A_STEP = 120  # calls of Python functions that one step of the budget may stand for
CALLS_A_CHARACTER = 60  # for the scanner, which reads each character of the line
CALLS_AT_LEAST = 60_000  # rules that are compared, tables that are read
BOMBS = bombs()


def work(act: Callable[[], object]) -> int:
    """Calls of Python functions, which do not depend on the machine's mood."""
    count = 0

    def note(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count


def judged(line: str) -> tuple[str | None, int, Call]:
    made: list[Call] = []

    def act() -> None:
        made.append(Call("Bash", {"command": line}, cwd=PROJECT, project=PROJECT, home="/home/u"))

    calls = work(act)
    verdict: list[str | None] = []
    calls += work(lambda: verdict.append(decide(POLICY, made[0], "").verdict))
    return verdict[0], calls, made[0]


def check(line: str) -> str | None:
    verdict, calls, call = judged(line)
    steps = STEPS - call.budget.steps
    assert calls <= CALLS_A_STEP * steps + CALLS_A_CHARACTER * len(line) + CALLS_AT_LEAST, (calls, steps, len(line))
    assert sum(len(word) for command in call.commands for word in command.words) <= CHARACTERS + 64 * len(line)
    return verdict


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(lines)
def test_no_line_breaks_the_guard_or_costs_more_than_its_budget(line: str) -> None:
    check(line)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(repeated)
@example("A=$A$B;B=$B$A\n" * 30)
def test_a_line_that_repeats_itself_costs_no_more(line: str) -> None:
    check(line)


def test_a_deletion_behind_a_line_that_grows_is_stopped() -> None:
    assert [bomb[:60] for bomb in BOMBS if check(f"{bomb}\nrm -rf ~") not in ("ask", "deny")] == []


def test_a_deletion_before_a_line_that_grows_is_stopped() -> None:
    assert [bomb[:60] for bomb in BOMBS if check(f"rm -rf ~\n{bomb}") not in ("ask", "deny")] == []
