"""Taking hookkit out of the settings of agents, and removing or naming each thing that it left."""

import contextlib
import glob
import os
import sys

from hookkit.agents.wiring import backups, change, launcher
from hookkit.cli._console import Output, draw, only_a_person
from hookkit.cli._here import home_path
from hookkit.cli._view import Wide
from hookkit.cli.init import DryRun, Flags, Names, Scope, Yes, carry_out, differences
from hookkit.errors import HookkitError
from hookkit.hooks import learn
from hookkit.server import process, spool
from hookkit.system import files


def command(*, agent: Names = "", scope: Scope = "all", dry_run: DryRun = False, yes: Yes = False) -> Output:
    """Take hookkit out of the settings of your agents.

    A file that nobody else has changed gets back its very bytes, or is removed if `init` made it; from any other file
    only the entries of hookkit are removed.

    Exits 1 if an agent runs this: only a person can switch hookkit off.

    Example: hookkit uninit --dry-run
    """
    flags = Flags(agent, scope, dry_run=dry_run, yes=yes)
    if not dry_run:
        only_a_person("switch hookkit off", at_terminal=False)
    planned = [removal for place in flags.places() for removal in change.to_unwire(place, flags.environ)]
    due = [removal for removal in reversed(planned) if not removal.is_empty]
    view = differences(due) if flags.dry_run and not flags.yes else []
    if due and not flags.yes and not flags.dry_run:
        draw(_plan(due, flags.environ), sys.stderr)  # the person reads it before the question
    done = carry_out(flags, due, wires=False)
    view += done.lines(flags, wires=False)
    if done.is_written:
        view += [Wide(line, "green") for line in _clear(flags.environ)]
        view.append(Wide(_left(flags.environ)))
    return Output(done.rows(), view)


def _plan(due: list[change.Change], environ: dict[str, str]) -> Wide:
    """The files that will change, on a few lines."""
    width = max(len(removal.place.agent.title) for removal in due)
    lines = ["hookkit will be taken out of:"]
    for removal in due:
        gone = "" if removal.after is not None else "  (init made this file: it is removed)"
        lines.append(f"  {removal.place.agent.title:{width}}  {home_path(removal.path, environ)}{gone}")
    return Wide("\n".join([*lines, "All else in these files stays. Afterwards no call is checked."]))


def _clear(environ: dict[str, str]) -> list[str]:
    """Remove the launcher and stop the server, once no settings file names hookkit; a line for each."""
    if _is_wired(environ):
        return []
    gone = []
    script = launcher.path(environ)
    if launcher.remove(script):
        gone.append(f"removed {home_path(script, environ)}")
    with contextlib.suppress(HookkitError, OSError):
        if process.on_demand(environ) != process.OFF:
            process.set_on_demand(environ, process.OFF)
        if process.stop(environ):
            gone.append("stopped the background server")
        spool.remove(environ)
    return gone


def _is_wired(environ: dict[str, str]) -> bool:
    """Whether `init` has changed a settings file that `uninit` has not restored."""
    pattern = os.path.join(glob.escape(files.state_dir(environ)), "wiring", "*", "record.json")
    return bool(glob.glob(pattern))


def _left(environ: dict[str, str]) -> str:
    """The parts that stay: they are the person's."""
    rows = [(files.state_dir(environ), "the log of calls, backups of your settings")]
    reports = learn.directory(environ)
    rows += [(reports, f"{len(os.listdir(reports))} reports on sessions")] if os.path.isdir(reports) else []
    own = backups.person_settings(environ)
    rows += [(own, "your own settings")] if os.path.isfile(own) else []
    rows += [(launcher.path(environ), "another project still calls it")] if _is_wired(environ) else []
    width = max(len(home_path(path, environ)) for path, _ in rows)
    lines = [f"  {home_path(path, environ):{width}}  {what}" for path, what in rows if os.path.lexists(path)]
    return "\n".join(["These stay. Delete them if you do not need them:", *lines])
