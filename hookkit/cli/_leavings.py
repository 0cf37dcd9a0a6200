"""The parts of hookkit outside of settings files: `uninit` removes or names each."""

import contextlib
import glob
import os

from hookkit.cli._plan import short
from hookkit.daemon import process
from hookkit.errors import HookkitError
from hookkit.hooks import learn
from hookkit.system import files
from hookkit.wiring import launcher, person_settings


def clear(environ: dict[str, str]) -> list[str]:
    """Remove the launcher and stop the server, once no settings file names hookkit; a line for each."""
    if _is_wired(environ):
        return []
    gone = []
    script = launcher.path(environ)
    if launcher.remove(script):
        gone.append(f"removed {short(script, environ)}")
    with contextlib.suppress(HookkitError, OSError):
        if process.on_demand(environ) != process.OFF:
            process.set_on_demand(environ, process.OFF)
        if process.stop(environ):
            gone.append("stopped the background server")
    return gone


def _is_wired(environ: dict[str, str]) -> bool:
    """Whether `init` has changed a settings file that `uninit` has not restored."""
    pattern = os.path.join(glob.escape(files.state_dir(environ)), "wiring", "*", "record.json")
    return bool(glob.glob(pattern))


def text(environ: dict[str, str]) -> str:
    """The parts that stay: they are the person's."""
    rows = [(files.state_dir(environ), "the log of calls, and the backups of your settings")]
    reports = learn.directory(environ)
    rows += [(reports, f"{len(os.listdir(reports))} reports on sessions")] if os.path.isdir(reports) else []
    own = person_settings.path(environ)
    rows += [(own, "your own settings")] if os.path.isfile(own) else []
    rows += [(launcher.path(environ), "another project still calls it")] if _is_wired(environ) else []
    width = max(len(short(path, environ)) for path, _ in rows)
    lines = [f"  {short(path, environ):{width}}  {what}" for path, what in rows if os.path.lexists(path)]
    return "\n".join(["These stay. Delete them if you do not need them:", *lines])
