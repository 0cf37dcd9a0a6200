"""All checks in order, and the loop of `--fix`."""

from hookkit import registry
from hookkit.agents.doctor.setup import Problem, Setup
from hookkit.agents.wiring import store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.agents.wiring.places import Agent

CHECKS = "agents/doctor/checks"
QUICK = (  # folder and module
    *((CHECKS, name) for name in ("wiring", "launcher", "environment", "agents", "state")),
    ("server", "doctor"),
)
ORDER = (*QUICK, (CHECKS, "liveness"))  # the transcripts of past sessions are read last
LIVE = (CHECKS, "live")
ROUNDS = 100  # most changes in a run of --fix


def problems(setup: Setup, *, live: bool, tell: "Callable[[str], object]" = len) -> list[Problem]:
    """`tell` gets the name of each check before it runs."""
    rows: list[Problem] = []
    for folder, name in [*ORDER, LIVE] if live else ORDER:
        tell(name if folder == CHECKS else folder)
        rows += registry.find(folder, name).check(setup)
    return rows


def mend(environ: dict[str, str], directory: str, agents: "list[Agent]") -> list[tuple[Problem, str]]:
    """Apply the changes in turn and repeat the checks after each change; return each problem with its backup."""
    done: list[tuple[Problem, str]] = []
    tried: set[tuple[str, str, str]] = set()
    for _ in range(ROUNDS):
        rows = problems(Setup(environ, directory, agents), live=False)
        due = [
            problem
            for problem in rows
            if problem.mend is not None and (problem.id, problem.file, problem.message) not in tried
        ]
        if not due:
            break
        tried.add((due[0].id, due[0].file, due[0].message))
        backup = _apply(environ, due[0])
        if backup:
            done.append((due[0], backup))
    return done


def _apply(environ: dict[str, str], problem: Problem) -> str:
    """Write the mended file; a backup is kept, and `uninit` still knows the original."""
    path = store.target(problem.file, "")
    before = store.read(path)
    if before is None or problem.mend is None:
        return ""
    after = problem.mend(store.text_of(path, before)).encode()
    if after == before:
        return ""
    record = store.Record(environ, path)
    backup = record.back_up(before)
    record.follow(before, after)
    store.write(path, before, after)
    return backup
