"""What surrounds the hooks: variables, the agents' own trust, hookkit's settings, ledger and swallowed errors."""

import os
import time

from hookkit.agents import _disk
from hookkit.agents._disk import Checked
from hookkit.agents.doctor import NOTE, SERIOUS, WARNING, Problem, Setup
from hookkit.agents.wiring.places import Agent
from hookkit.ledger.health import Health
from hookkit.settings import signed, sources, trust
from hookkit.system import client_settings, error_log, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RECENT = 7 * 86_400  # seconds
LIMIT = 1 << 20
SHOWN = 180  # characters of an error


def check(setup: Setup) -> "Iterator[Problem]":
    for path, message in client_settings.found(setup.project, [agent.name for agent in setup.agents]):
        yield Problem("environment.steered", SERIOUS, f"{path} {message}", "remove these variables", file=path)
    for agent in setup.agents:
        yield from check_agent(setup, agent)
    yield from _settings(setup)
    yield from _sources(setup)
    yield from _ledger(setup)
    yield from _errors(setup)


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
        yield Problem(
            "policy.broken", SERIOUS, f"a part of the settings does not count: {part}", "run: hookkit validate"
        )
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
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - RECENT))
    try:
        lines = files.read(path, LIMIT).decode("utf-8", "replace").splitlines()
    except OSError:
        return
    recent = [line for line in lines if line[:20] >= since and not line[21:].startswith(error_log.SIMULATED)]
    if recent:
        last = recent[-1][21:].partition(error_log.LINE)[0]
        last = last if len(last) <= SHOWN else f"{last[:SHOWN].rpartition(' ')[0]} …"
        count = "1 error" if len(recent) == 1 else f"{len(recent)} errors"
        message = f"hooks hit {count} in the last week; the last: {last}"
        yield Problem("errors.recent", WARNING, message, "run: hookkit errors, then hookkit errors --clear", file=path)
