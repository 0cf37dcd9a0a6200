"""What the wired lines stand on: the program that they start, variables, the agents' trust, hookkit's own files.

Does the program exist, does its Python exist, is its version the same as ours? Do the settings count, can the state be
written, which errors were swallowed?
"""

import functools
import os
import shutil
import subprocess
import time

from hookkit import __version__
from hookkit.agents import _disk
from hookkit.agents._disk import Checked
from hookkit.agents.doctor import NOTE, SERIOUS, WARNING, Problem, SettingsFile, Setup, rewired
from hookkit.agents.wiring import change, launcher
from hookkit.agents.wiring.launcher import Wired
from hookkit.agents.wiring.settings_files import Agent
from hookkit.ledger.health import Health
from hookkit.settings import signed, sources, trust
from hookkit.settings.checks import client
from hookkit.system import error_log, files
from hookkit.system.agents import steering_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 20
FIRST_LINE = 4096
INIT = "run: hookkit init"
ENSURE = "put the directory of hookkit on the PATH: pipx ensurepath"
OPEN = "a project that sets PYTHONHASHSEED=x or PYTHONHOME for its hooks keeps hookkit from starting"
WEEK = 7 * 86_400  # seconds
LOG = 1 << 20  # bytes
SHOWN = 180  # characters of an error


def check(setup: Setup) -> "Iterator[Problem]":
    yield from _programs(setup)
    for path, message in steering_files(setup.project, [agent.name for agent in setup.agents]):
        yield Problem("environment.steered", SERIOUS, f"{path} {message}", "remove these variables", file=path)
    for agent in setup.agents:
        yield from check_agent(setup, agent)
    yield from _settings(setup)
    yield from _sources(setup)
    yield from _ledger(setup)
    yield from _errors(setup)


def _programs(setup: Setup) -> "Iterator[Problem]":
    seen: set[tuple[str, str]] = set()
    for file, entry in setup.wired():
        program = _program_in(entry)
        if program and (file.path, program) not in seen:
            seen.add((file.path, program))
            yield from _program(setup, file, entry, program)


def _is_open(entry: Wired, program: str) -> bool:
    """Whether the environment of a project can stop the hook: Python starts without -E, and without the shim."""
    started = [row for row in client.programs(entry.command, entry.arguments) if program in row]
    return os.path.basename(program) == "hookkit" and all({"-E", "-ES", "-I", "-IS"}.isdisjoint(row) for row in started)


def _program_in(entry: Wired) -> str:
    """The first program named hookkit in a command; a shared line also names a second program, for other machines."""
    rows = client.programs(entry.command, entry.arguments)
    words = [word for row in rows if row[1:] for word in client.script(row)[:1]]
    return next((word for word in words if client.is_program(word)), "")


def _program(setup: Setup, file: SettingsFile, entry: Wired, program: str) -> "Iterator[Problem]":
    mend = rewired(setup, file)

    def problem(id_: str, severity: str, message: str, fix: str = INIT) -> Problem:
        return file.remark(f"launcher.{id_}", severity, message, fix, entry.place, mend)

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
    elif program.endswith(client.LAUNCHER):
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
        message = f"{program} needs {interpreter}, which is missing"
        yield "interpreter", SERIOUS, message, f"reinstall hookkit, then {INIT}"
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
            first = file.read(FIRST_LINE).split(b"\n")[0]
    except OSError:
        return ""
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    return words[0] if words else ""


def check_agent(setup: Setup, agent: Agent) -> "Iterator[Problem]":
    """Problems that one agent alone has: hooks that it runs only after a person has trusted the folder, for one."""
    mine = [file for file in setup.of(agent) if file.ours()]
    module = _disk.parts("check").get(agent.name)
    if not mine or module is None:
        return
    paths, inside = [file.path for file in mine], [file.path for file in mine if file.place.root]
    checked = Checked(setup.environ, agent.home(setup.environ), setup.project, paths, inside)
    for id_, severity, message, fix, path in module.check(checked):
        yield Problem(id_, severity, message, fix, file=path)


def _settings(setup: Setup) -> "Iterator[Problem]":
    for part in setup.settings.broken:
        message = f"a part of the settings does not count: {part}"
        yield Problem("policy.broken", SERIOUS, message, "run: hookkit validate")
    unsigned = signed.problem(setup.project, setup.environ) if setup.settings.untrusted else ""
    reason = f"; {unsigned}" if unsigned else ""
    for path, waiting in setup.settings.untrusted.items():
        severity = SERIOUS if trust.runs_programs(waiting) else WARNING
        part = f"{os.path.basename(path)} is {trust.untrusted(waiting)}{reason}"
        way_out = trust.way_out(path, setup.environ)
        yield Problem("policy.untrusted", severity, part, way_out[0].lower() + way_out[1:], file=path)
    if setup.settings["policy.base"] is False:
        yield Problem("policy.base", WARNING, "policy.base is false: the shipped rules are off", "remove policy.base")
    if setup.settings["ledger.enabled"] is False:
        yield Problem("ledger.off", NOTE, "ledger.enabled is false: no evidence is kept", "remove ledger.enabled")


def _sources(setup: Setup) -> "Iterator[Problem]":
    """Parts of the settings that nothing supplies: facts of gates, variables of webhooks; and settings of no effect."""
    for message, fix in sources.lacks(setup.settings):
        yield Problem("settings.source", WARNING, message, fix)
    for name, why, fix in sources.idle(setup.settings, setup.settings.values):
        yield Problem("settings.idle", NOTE, sources.says_idle(name, why), fix)


def _ledger(setup: Setup) -> "Iterator[Problem]":
    state = files.state_dir(setup.environ)
    if not state:
        yield Problem("state.home", SERIOUS, "there is no home directory: hookkit keeps no state", "set HOME")
        return
    if os.path.isdir(state) and not os.access(state, os.W_OK):
        yield Problem("state.read-only", SERIOUS, f"{state} cannot be written to", f"chmod u+rwx {state}", file=state)
        return
    if not os.path.isdir(state):
        return
    for trouble in Health(setup.environ).troubles:
        severity = SERIOUS if trouble.is_wrong else NOTE
        yield Problem(f"ledger.{trouble.what}", severity, trouble.text, trouble.fix)


def _errors(setup: Setup) -> "Iterator[Problem]":
    """Errors of the last week: after each error, a call was not fully checked."""
    path = error_log.path(setup.environ)
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - WEEK))
    try:
        lines = files.read(path, LOG).decode("utf-8", "replace").splitlines()
    except OSError:
        return
    recent = [line for line in lines if line[:20] >= since and not line[21:].startswith(error_log.SIMULATED)]
    if recent:
        last = recent[-1][21:].partition(error_log.LINE)[0]
        last = last if len(last) <= SHOWN else f"{last[:SHOWN].rpartition(' ')[0]} …"
        count = "1 error" if len(recent) == 1 else f"{len(recent)} errors"
        message = f"hooks hit {count} in the last week; the last: {last}"
        yield Problem("errors.recent", WARNING, message, "run: hookkit errors, then hookkit errors --clear", file=path)
