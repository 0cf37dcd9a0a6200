"""Events whose answer nobody needs: the launcher stores each in a file, and the next reader plays them, in order, once.

    spool/SESSION.ID            an event, in the form of a request to the server (see `wire`)
    spool/waits/EVENT-SESSION   a feature needs the answer to this event: the launcher asks, and stores nothing
    spool/cut/                  files of a launcher that was ended in the middle of its write, and events without a row

The server plays what is there at once, and what an error has left once a second. Every hook that answers plays the
events of its own session first, so that no decision is made without them; the start and the end of a session or a
turn play all. A file is deleted after its row is in the journal. Whoever is killed in between leaves the file, and
the row's `request` tells that the row is written already.
"""

import os
import time

from hookkit import pipeline
from hookkit.errors import WARM, ColdError
from hookkit.ledger.journal import REQUEST
from hookkit.server import wire
from hookkit.settings.layers import PLACES
from hookkit.system import files, spooled

LIMIT = 1 << 20  # bytes of a file
WAIT = 0.2  # seconds for another process that plays the same session
SECONDS = 0.5  # for one reader; the rest is left to the next
CHILD = 60.0  # seconds for a command that only a process of its own can answer
OURS = (*PLACES, WARM)  # variables of the reader: a stored event does not choose the ledger
UNFINISHED = 60.0  # seconds after which a file without its end has no writer any more
DONE, LATER, NEVER = "done", "later", "never"  # an event: its row is written, may be written next time, cannot be


def make(environ: dict[str, str]) -> str:
    """The spool, closed to every other user. The launcher stores nothing without it."""
    place = spooled.directory(environ)
    for directory in (os.path.dirname(place), place, os.path.join(place, spooled.WAITS)):
        files.private_dir(directory)
    return place


def remove(environ: dict[str, str]) -> None:
    """Play everything, then delete the empty spool: launchers answer every event themselves from now on."""
    play(environ)
    place = spooled.directory(environ)
    for name in (spooled.WAITS, ""):
        directory = os.path.join(place, name)
        marks = [mark for mark in _listed(directory) if name or mark.startswith(spooled.LOCK)]
        for mark in marks:
            os.unlink(os.path.join(directory, mark))
        if os.path.isdir(directory) and not _listed(directory):  # else a cut event is kept
            os.rmdir(directory)


def play(environ: dict[str, str], session: str = "", seconds: float = SECONDS) -> None:
    """Play the stored events of a session, or of all sessions, by the settings and into the ledger of `environ`."""
    place = spooled.directory(environ)
    end = time.monotonic() + seconds
    for waiting in dict.fromkeys(name.partition(".")[0] for name in spooled.names(place, session)):
        with spooled.SessionLock(place, waiting, WAIT) as is_ours:
            for path, at in spooled.in_order(place, waiting) if is_ours else ():
                if not _play_file(path, at, environ) or time.monotonic() > end:
                    break
        if time.monotonic() > end:
            break


def stamp(environ: dict[str, str]) -> int:
    """Changes when an event is stored."""
    try:
        return os.stat(spooled.directory(environ)).st_mtime_ns
    except OSError:
        return 0


def _play_file(path: str, at: float, environ: dict[str, str]) -> bool:
    """Whether to go on with the next event of the session."""
    try:
        request = wire.parse(files.read_own(path, LIMIT))
    except (OSError, wire.WireError):
        request = None
    if request is None:
        if time.time() - at > UNFINISHED:  # before, its launcher may still write
            _put_aside(path)
        return True
    given = {name: value for name, value in request.environ.items() if name not in OURS}
    request.environ = given | {name: environ[name] for name in OURS if name in environ}
    outcome = _played(request, at)
    if outcome == DONE:
        os.unlink(path)
    elif outcome == NEVER:
        _put_aside(path)
    return outcome != LATER


def _played(request: wire.Request, at: float) -> str:
    """A full disk may have room the next time; any other error would keep all later events of the session waiting."""
    call = pipeline.Invocation(request.hook, request.words, request.environ, request.here)
    call.at = int(at * 1000)
    try:
        pipeline.reply(call, request.raw)
    except ColdError:
        return _played_by_child(request)
    is_written = any(answer.hook == pipeline.LAST and answer.problem is None for answer in call.answers)
    if is_written or not call.problems:  # without a problem and a row: the hooks of choice write none
        return DONE
    return LATER if any(isinstance(problem, OSError) for problem in call.problems) else NEVER


def _played_by_child(request: wire.Request) -> str:
    """A handler that was added meanwhile needs a process of its own."""
    import subprocess  # late: a hook waits for this module

    from hookkit.server import code

    environ = {name: value for name, value in request.environ.items() if name != WARM}
    words = [*code.launcher(), request.hook, *request.words]
    try:
        done = subprocess.run(words, input=request.raw, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
                              env={**environ, REQUEST: request.id}, timeout=CHILD, check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        return NEVER
    return LATER if done.returncode else DONE


def _put_aside(path: str) -> None:
    """Keep the event where nobody plays it; `doctor` counts what is there."""
    directory, name = os.path.split(path)
    files.private_dir(os.path.join(directory, spooled.CUT))
    os.replace(path, os.path.join(directory, spooled.CUT, name))


def counts(environ: dict[str, str]) -> tuple[int, int]:
    """How many events wait, and how many were put aside."""
    place = spooled.directory(environ)
    return len(spooled.names(place)), len(_listed(os.path.join(place, spooled.CUT)))


def _listed(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []
