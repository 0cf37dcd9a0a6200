"""What `doctor` checks of the server, if a settings file uses it: without it, each call runs the command alone."""

import os

from hookkit.agents.doctor import NOTE, WARNING, Problem, Setup
from hookkit.agents.wiring import launcher
from hookkit.server import process, spool
from hookkit.system import spooled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MANY = 200  # stored events


def check(setup: Setup) -> "Iterator[Problem]":
    yield from _server(setup)
    yield from _stored(setup)


def _server(setup: Setup) -> "Iterator[Problem]":
    wired = [*setup.wired()]
    script = launcher.read(setup.script)
    is_warm = script is not None and script.is_warm
    warm = [(file, entry) for file, entry in wired if launcher.SHIM in entry.command or is_warm]
    if not warm or process.on_demand(setup.environ) == process.ON or _is_running(setup.environ):
        return  # the next call starts it
    file, entry = warm[0]
    message = "the background server is not running, and nothing starts it: every call takes longer"
    fix = "run: hookkit serve --on-demand"
    yield Problem("server.down", WARNING, message, fix, file=file.path, place=entry.place)


def _is_running(environ: dict[str, str]) -> bool:
    try:
        os.kill(process.read(environ).pid, 0)
    except (process.NoDoorError, OSError):
        return False
    return True


def _stored(setup: Setup) -> "Iterator[Problem]":
    """Events that launchers have stored: the server or the next call plays them, so many of them mean trouble."""
    waiting, cut = spool.counts(setup.environ)
    folder = spooled.directory(setup.environ)
    if waiting > MANY:
        message = f"{waiting} stored events are not in the ledger yet"
        yield Problem("spool.waiting", WARNING, message, "run: hookkit ledger list", file=folder)
    if cut:
        message = (
            f"{cut} stored events have no row (a kill, a full disk, an error of hookkit): they are in {folder}/cut"
        )
        yield Problem("spool.cut", NOTE, message, "look at them, then delete them", file=folder)
