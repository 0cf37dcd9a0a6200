"""hookkit's own files: settings, state directory, ledger, and the errors swallowed by hooks."""

import os
import time

from hookkit.doctor.problem import NOTE, SERIOUS, WARNING, Problem
from hookkit.doctor.setup import Setup
from hookkit.ledger.health import Health
from hookkit.settings import trust
from hookkit.system import error_log, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RECENT = 7 * 86_400  # seconds
LIMIT = 1 << 20


def check(setup: Setup) -> "Iterator[Problem]":
    for said in setup.settings.broken:
        yield Problem(
            "policy.broken", SERIOUS, f"a part of the settings does not count: {said}", "run: hookkit validate"
        )
    for path in setup.settings.untrusted:
        said = f"this file is not trusted yet: {trust.UNTRUSTED}"
        yield Problem("policy.untrusted", WARNING, said, "read it, then run: hookkit trust", file=path)
    if setup.settings["policy.base"] is False:
        yield Problem("policy.base", WARNING, "policy.base is false: the shipped rules are off", "remove policy.base")
    if setup.settings["ledger.enabled"] is False:
        yield Problem("ledger.off", NOTE, "ledger.enabled is false: no evidence is kept", "remove ledger.enabled")
    yield from _ledger(setup)
    yield from _errors(setup)


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


def _errors(setup: Setup) -> "Iterator[Problem]":
    """Errors of the last week: after each error, a call was not fully checked."""
    path = error_log.path(setup.environ)
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - RECENT))
    try:
        lines = files.read(path, LIMIT).decode("utf-8", "replace").splitlines()
    except OSError:
        return
    recent = [line for line in lines if line[:20] >= since]
    if recent:
        said = f"hooks swallowed {len(recent)} errors in the last week; the last: {recent[-1][21:200]}"
        yield Problem("errors.recent", WARNING, said, "run: hookkit errors, then hookkit errors --clear", file=path)
