"""hookkit's own parts: settings, state directory, ledger, the server, and the errors swallowed by hooks."""

import os
import time

from hookkit.doctor.setup import NOTE, SERIOUS, WARNING, Problem, Setup
from hookkit.ledger.health import Health
from hookkit.server import process, spool
from hookkit.settings import signed, sources, trust
from hookkit.system import error_log, files, spooled
from hookkit.wiring import launcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RECENT = 7 * 86_400  # seconds
LIMIT = 1 << 20
MANY = 200  # stored events


def check(setup: Setup) -> "Iterator[Problem]":
    for part in setup.settings.broken:
        yield Problem(
            "policy.broken", SERIOUS, f"a part of the settings does not count: {part}", "run: hookkit validate"
        )
    unsigned = signed.problem(setup.project, setup.environ) if setup.settings.untrusted else ""
    reason = f"; {unsigned}" if unsigned else ""
    for path, waiting in setup.settings.untrusted.items():
        severity = SERIOUS if trust.runs_programs(waiting) else WARNING
        part = f"this file is {trust.untrusted(waiting)}{reason}"
        yield Problem("policy.untrusted", severity, part, "read it, then run: hookkit trust", file=path)
    if setup.settings["policy.base"] is False:
        yield Problem("policy.base", WARNING, "policy.base is false: the shipped rules are off", "remove policy.base")
    if setup.settings["ledger.enabled"] is False:
        yield Problem("ledger.off", NOTE, "ledger.enabled is false: no evidence is kept", "remove ledger.enabled")
    yield from _sources(setup)
    yield from _server(setup)
    yield from _ledger(setup)
    yield from _stored(setup)
    yield from _errors(setup)


def _sources(setup: Setup) -> "Iterator[Problem]":
    """Parts of the settings that nothing supplies: facts of gates, variables of webhooks; and settings of no effect."""
    for message, fix in sources.lacks(setup.settings):
        yield Problem("settings.source", WARNING, message, fix)
    for name, why, fix in sources.idle(setup.settings, setup.settings.values):
        yield Problem("settings.idle", NOTE, sources.says_idle(name, why), fix)


def _server(setup: Setup) -> "Iterator[Problem]":
    """The warm server, if a settings file uses it. Without the server, hookkit-hook runs the cold command."""
    wired = [*setup.wired()]
    script = launcher.read(setup.script)
    is_warm = script is not None and script.is_warm
    warm = [(file, each) for file, each in wired if launcher.SHIM in each.command or is_warm]
    if not warm or process.on_demand(setup.environ) == process.ON or _is_running(setup.environ):
        return  # the next call starts it
    file, each = warm[0]
    message = "the background server is not running, and nothing starts it: every call takes longer"
    fix = "run: hookkit serve --on-demand"
    yield Problem("server.down", WARNING, message, fix, file=file.path, place=each.place)


def _is_running(environ: dict[str, str]) -> bool:
    try:
        os.kill(process.read(environ).pid, 0)
    except (process.NoDoorError, OSError):
        return False
    return True


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
    for each in Health(setup.environ).troubles:
        severity = SERIOUS if each.is_wrong else NOTE
        yield Problem(f"ledger.{each.what}", severity, each.text, each.fix)


def _stored(setup: Setup) -> "Iterator[Problem]":
    """Events that launchers have stored: the server or the next call plays them, so many of them mean trouble."""
    waiting, cut = spool.counts(setup.environ)
    place = spooled.directory(setup.environ)
    if waiting > MANY:
        message = f"{waiting} stored events are not in the ledger yet"
        yield Problem("spool.waiting", WARNING, message, "run: hookkit ledger list", file=place)
    if cut:
        message = f"{cut} stored events were cut short by a kill or a full disk, and are kept in {place}/cut"
        yield Problem("spool.cut", NOTE, message, "look at them, then delete them", file=place)


def _errors(setup: Setup) -> "Iterator[Problem]":
    """Errors of the last week: after each error, a call was not fully checked."""
    path = error_log.path(setup.environ)
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - RECENT))
    try:
        lines = files.read(path, LIMIT).decode("utf-8", "replace").splitlines()
    except OSError:
        return
    recent = [line for line in lines if line[:20] >= since and not line[21:].startswith(error_log.SIMULATED)]
    if recent:
        last = recent[-1][21:200].partition(error_log.LINE)[0]
        message = f"hooks swallowed {len(recent)} errors in the last week; the last: {last}"
        yield Problem("errors.recent", WARNING, message, "run: hookkit errors, then hookkit errors --clear", file=path)
