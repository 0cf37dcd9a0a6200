"""The program in an agent's handlers: does the file exist, does its Python exist, is its version the same as ours?"""

import functools
import os
import shutil
import subprocess

from hookkit import __version__
from hookkit.agents.doctor import SERIOUS, WARNING, Problem, SettingsFile, Setup, rewired
from hookkit.agents.wiring import change, launcher
from hookkit.agents.wiring.launcher import Wired
from hookkit.settings.checks.claude import handlers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 20
HEAD = 4096
INIT = "run: hookkit init"
ENSURE = "put the directory of hookkit on the PATH: pipx ensurepath"
OPEN = "a project that sets PYTHONHASHSEED=x or PYTHONHOME for its hooks keeps hookkit from starting"


def check(setup: Setup) -> "Iterator[Problem]":
    seen: set[tuple[str, str]] = set()
    for file, entry in setup.wired():
        for program in programs(entry):
            if (file.path, program) not in seen:
                seen.add((file.path, program))
                yield from _program(setup, file, entry, program)


def _is_open(entry: Wired, program: str) -> bool:
    """Whether the environment of a project can stop the hook: Python starts without -E, and without the shim."""
    started = [row for row in handlers.programs(entry.command, entry.arguments) if program in row]
    return os.path.basename(program) == "hookkit" and not any(
        not {"-E", "-ES", "-I", "-IS"}.isdisjoint(row) for row in started
    )


def programs(entry: Wired) -> list[str]:
    """The first program named hookkit in a command; a shared line also names a second program, for other machines."""
    words = [
        word
        for row in handlers.programs(entry.command, entry.arguments)
        for word in handlers.script(row)[:1]
        if row[1:]
    ]
    return [word for word in words if handlers.is_program(word)][:1]


def _program(setup: Setup, file: SettingsFile, entry: Wired, program: str) -> "Iterator[Problem]":
    mend = rewired(setup, file)

    def problem(id_: str, severity: str, message: str, fix: str = INIT) -> Problem:
        return Problem(f"launcher.{id_}", severity, message, fix, file=file.path, place=entry.place, mend=mend)

    if "/" not in program:
        path = shutil.which(program, path=setup.environ.get("PATH", os.defpath))
        if not path:
            message = f"{program} is not on the PATH, so every call passes unchecked"
            yield problem("off-path", SERIOUS, message, ENSURE if file.place.is_shared else INIT)
        elif not file.place.is_shared:
            message = f"{program} is found by the PATH: another PATH, a venv or a desktop start can lose it"
            yield problem("bare", WARNING, message)
        program = path or ""
    elif not os.path.isabs(program):
        yield problem("relative", SERIOUS, f"{program} depends on the directory: a worktree or `cd` loses it")
        program = ""
    elif not os.access(program, os.X_OK):
        yield problem("missing", SERIOUS, f"{program} is missing: reinstalled, moved or deleted")
        program = ""
    elif program.endswith(handlers.LAUNCHER):
        yield from _script(setup, program)
        return
    if program:
        yield from (problem(*row) for row in _health(program))
        if "/" in program and not file.place.is_shared and _is_open(entry, program):
            yield problem("environment", WARNING, f"{program} starts without -E: {OPEN}")


def _script(setup: Setup, path: str) -> "Iterator[Problem]":
    """Problems of the launcher script and of the program behind it."""
    behind = launcher.read(path)
    program = setup.launcher
    for id_, severity, message, fix in _behind(path, behind):
        mend = functools.partial(_rewritten, program, setup.environ)
        yield Problem(f"launcher.{id_}", severity, message, fix, file=path, mend=mend)


def _rewritten(program: launcher.Launcher, environ: dict[str, str], _: str) -> str:
    return change.launcher_text(program, environ)


def _behind(path: str, behind: launcher.Launcher | None) -> "Iterator[tuple[str, str, str, str]]":
    if behind is None:
        yield "foreign", SERIOUS, f"{path} is not hookkit's launcher", INIT
    elif not behind.is_there:
        lost = behind.interpreter if os.access(behind.program, os.X_OK) else behind.program
        message = f"{lost} is missing, so every call passes unchecked"
        yield "missing", SERIOUS, message, f"reinstall hookkit, then {INIT}"
    else:
        yield from _health(os.path.join(os.path.dirname(behind.program), "hookkit"))


def _health(program: str) -> "Iterator[tuple[str, str, str, str]]":
    """Problems of an existing program: no Python, no package, another version."""
    interpreter = shebang(program)
    if interpreter and not os.access(interpreter, os.X_OK):
        yield (
            "interpreter",
            SERIOUS,
            f"{program} needs {interpreter}, which is missing",
            "reinstall hookkit, then " + INIT,
        )
        return
    if os.path.basename(program) != "hookkit":
        return
    try:
        done = subprocess.run([program, "--version"], capture_output=True, timeout=SECONDS, check=False, cwd="/")
    except (OSError, subprocess.TimeoutExpired):
        yield "broken", SERIOUS, f"{program} does not start", "reinstall hookkit"
        return
    words = done.stdout.decode("utf-8", "replace").split()
    if done.returncode or not words:
        yield "broken", SERIOUS, f"{program} --version fails with {done.returncode}", "reinstall hookkit"
    elif words[-1] != __version__:
        yield "version", WARNING, f"the agent runs hookkit {words[-1]}, this is {__version__}", INIT


def shebang(program: str) -> str:
    """The interpreter in the first line of a script; a line too long for the kernel starts with /bin/sh."""
    try:
        with open(program, "rb") as file:
            first = file.read(HEAD).split(b"\n")[0]
    except OSError:
        return ""
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    return words[0] if words else ""
