"""Time against the length of the command, and what a small command can grow into: law 8, cost is bounded."""

import time
from collections.abc import Callable
from pathlib import Path

from costs import Sheet
from hookkit.policy.call import Call
from hookkit.policy.judge import decide
from hookkit.policy.rules import compile_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.rules import Policy

KILO = 1024
FLAT = 2  # times the cost of a character at 4 KB
BOUND = 100  # ms
SHAPES: dict[str, Callable[[int], str]] = {
    "pipes": lambda size: "cat x" + " | cat x" * (size // 8 - 1),
    "&& lists": lambda size: "ls a" + " && ls a" * (size // 8 - 1),
    "nested $(": lambda size: "echo $(" * (size // 8) + ")" * (size // 8),
    "$( side by side": lambda size: "echo" + " $(ls)" * (size // 6 - 1),
    "quotes": lambda size: "echo" + " 'a' \"b\"" * (size // 8 - 1),
    "one long word": lambda size: "echo " + "a" * (size - 5),
    "heredoc": lambda size: "cat <<EOF\n" + "one line of text\n" * (size // 17 - 1) + "EOF\n",
    "heredoc to sh": lambda size: "sh <<EOF\n" + "echo line after line\n" * (size // 21 - 1) + "EOF\n",
    "operands of rm": lambda size: "rm" + " x" * (size // 2 - 1),
    "redirections": lambda size: "ls" + " >a" * (size // 3 - 1),
}
_TWICE = "".join(f"f{n}(){{ f{n - 1}; f{n - 1}; }}; " for n in range(1, 14))
# The issue's own three, then what grows while it is read.
BOUNDS = {
    "100 KB of nested $(": "echo $(" * 12_800 + ")" * 12_800,
    "10,000 pipes": "a" + "|a" * 10_000,
    "5,000 quotes": "echo" + " 'a'" * 5_000,
    "a variable doubled 18 times": "a=xxxxxxxx; " + "a=$a$a; " * 18 + "echo $a",
    "an array doubled 12 times": "a=(x x); " + "a=(${a[@]} ${a[@]}); " * 12 + "echo ${a[@]}",
    "500 uses of an array of 500": "a=(" + "x " * 500 + "); " + "echo ${a[@]}; " * 500,
    "2,000 uses of 1,000 characters": "a=" + "x" * 1_000 + "; echo " + "$a" * 2_000,
    "16 braces": "echo " + "{a,b}" * 16,
    "13 functions that call twice": "f0(){ ls; }; " + _TWICE + "f13",
    "6 loops in each other": "for a in 1 2 3 4 5 6 7 8; do " * 6 + "ls; " + "done; " * 6,
}


def clock(policy: "Policy", command: str, place: str, rounds: int) -> tuple[float, str]:
    """The fastest run in seconds of CPU time, and what was answered; one slow run is enough to know it is slow."""
    best, answer = float("inf"), ""
    for _ in range(rounds):
        start = time.thread_time()
        found = decide(policy, Call("Bash", {"command": command}, cwd=place, project=place, home=place), "")
        best = min(best, time.thread_time() - start)
        answer = "could not tell" if found.unsure else found.verdict or "no opinion"
        if best > 1:
            break
    return best, answer


def measure(sheet: Sheet, place: Path, *, quick: bool) -> None:
    policy, rounds = compile_rules({}), 2 if quick else 5
    sizes = [KILO << step for step in range(0, 7, 2 if quick else 1)]
    rows = []
    for name, make in SHAPES.items():
        found = [clock(policy, make(size), str(place), rounds) for size in sizes]
        each = [seconds * 1e9 / size for (seconds, _), size in zip(found, sizes, strict=True)]
        growth = each[-1] / each[sizes.index(4 * KILO)]
        target = sheet.target(f"length, {name}, growth", growth, FLAT)
        last, answer = found[-1]
        rows.append([name, *(f"{cost:,.0f}" for cost in each), f"{growth:.2f}", target, f"{last * 1e3:.0f}", answer])
    columns = " | ".join(f"{size // KILO} KB" for size in sizes)
    header = f"ns a character | {columns} | last to 4 KB | target | ms at the last | answer"
    sheet.table("Time against length, base policy: flat is linear", header, rows)
    rows = []
    for name, command in BOUNDS.items():
        seconds, answer = clock(policy, command, str(place), rounds)
        target = sheet.target(f"bounds, {name}, ms", seconds * 1e3, BOUND)
        rows.append([name, f"{len(command):,}", f"{seconds * 1e3:.1f}", target, answer])
    sheet.table("Bounds, base policy", "command | characters | ms | target | answer", rows)
