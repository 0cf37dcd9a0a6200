"""Plays a scenario again and again, each time with another of its system calls failing, and looks at the outcome.

    LD_PRELOAD=calls.so python -m tests.faults.driver SCENARIO kill|EIO|ENOSPC|EINTR|short|errors

`errors` takes the four errors in turn, one at each system call. The scenario runs in a fork of this process, on a copy
of a prepared home. Afterwards, without any fault, the outcome has to be right: no row lost, none twice, `verify` tells
the truth, a settings file is the old or the new one. Prints the number of the system calls, then what was wrong after
which of them.
"""

import contextlib
import ctypes
import errno
import gzip
import io
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from hookkit.cli._main import run as run_command
from hookkit.ledger import legacy, places, segments, upkeep
from hookkit.ledger.erasing import Erasure
from hookkit.ledger.row_index import Ledger
from hookkit.ledger.verifying import Verification
from hookkit.pipeline import Invocation
from hookkit.server import spool
from hookkit.settings import layers, trust
from hookkit.system import running
from hookkit.verdicts.undo.snapshot import Snapshot, contents_of, restore, snapshots
from hookkit.work.gates import approvals
from hookkit.work.gates.approvals import Proof
from tests.ledger.making import request, write
from tests.ledger.test_legacy import Earlier

FAULTS = {"kill": -1, "short": -2, "EIO": errno.EIO, "ENOSPC": errno.ENOSPC, "EINTR": errno.EINTR}
SECRET = "Tr0ub4dor"
SETTINGS = '{\n  "model": "opus"\n}\n'
LONG_AGO = 1_000_000_000_000  # ms
LIMIT = 2_000  # system calls of a scenario
Environ = dict[str, str]


class Scenario:
    """What is there before, what is done, and what has to be true afterwards, `done` or not."""

    def __init__(
        self, prepare: Callable[[Environ], None], run: Callable[[Environ], None], check: "Check", rows: int = 0
    ) -> None:
        self.prepare = prepare
        self.run = run
        self.check = check
        self.rows = rows


Check = Callable[[Environ, Scenario, bool], list[str]]


# -- the ledger --------------------------------------------------------------------------------------------------------


def event(environ: Environ, name: str, session: str, **fields: Any) -> None:
    raw = {"hook_event_name": name, "session_id": session, "cwd": "/", **fields}
    Invocation("record", [], environ).answer(json.dumps(raw).encode())


def sessions(environ: Environ) -> None:
    """Six rows in two journals without a row for days, four in a segment, two in an open journal."""
    write(environ, *(request(number, f"old{number % 2}", at=LONG_AGO + number) for number in range(4)))
    _age(environ)
    with segments.Lock(environ):
        segments.seal(environ, time.time())
    ledger = Ledger(environ)
    ledger.fold()
    ledger.close()
    write(environ, *(request(10 + number, f"idle{number % 2}", output=SECRET) for number in range(6)))
    _age(environ)
    write(environ, request(20, "open"), request(21, "open", output=SECRET))
    layers.load("/", environ).is_quiet("ls", "/")  # the policy is compiled once, not in every run


def _age(environ: Environ) -> None:
    for path in places.paths(environ):
        os.utime(path, (1, 1))


def rows_hold(environ: Environ, scenario: Scenario, done: bool) -> list[str]:  # noqa: FBT001 - whether it was killed
    ledger = Ledger(environ)
    ledger.fold()
    wrong = [f"{fault.what} ({fault.writer} {fault.n})" for fault in Verification(ledger).run()]
    calls = Counter(call for (call,) in ledger.connection.execute("SELECT call FROM entries WHERE call IS NOT NULL"))
    ledger.close()
    wrong += [f"{call} is there {count} times" for call, count in calls.items() if count > 1]
    known = [call for call in calls if call != "new"]
    if len(known) != scenario.rows:
        wrong.append(f"{len(known)} rows instead of {scenario.rows}")
    if done and scenario.run in (request_made, session_ended) and not calls["new"]:
        wrong.append("the new row is lost")
    return wrong


def erasure_holds(environ: Environ, scenario: Scenario, done: bool) -> list[str]:  # noqa: FBT001
    """Whatever became of the first try, the second leaves the text in no file."""
    wrong = rows_hold(environ, scenario, done)
    erased(environ)
    for path in Path(places.root(environ)).rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        if SECRET.encode() in (gzip.decompress(data) if path.suffix == segments.ENDING else data):
            wrong.append(f"{path.name} still holds the text")
    return wrong + rows_hold(environ, scenario, done)


def rows_go(environ: Environ, scenario: Scenario, done: bool) -> list[str]:  # noqa: FBT001
    """Pruning takes whole segments: what is left holds, and the open journal is whole."""
    ledger = Ledger(environ)
    ledger.fold()
    wrong = [f"{fault.what} ({fault.writer} {fault.n})" for fault in Verification(ledger).run()]
    left = {call for (call,) in ledger.connection.execute("SELECT call FROM entries")}
    ledger.close()
    return wrong + ([] if left >= {"call-20", "call-21"} else ["rows of an open journal are gone"])


def request_made(environ: Environ) -> None:
    tool = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "new"}
    event(environ, "PreToolUse", "open", **tool)


def stored(environ: Environ) -> None:
    """Two outcomes that the launcher has stored, beside the rows of `sessions`."""
    sessions(environ)
    place = spool.make(environ)
    for number in (30, 31):
        raw = {"hook_event_name": "PostToolUse", "session_id": "open", "cwd": "/", "tool_name": "Bash",
               "tool_input": {"command": "ls"}, "tool_use_id": f"call-{number}"}  # fmt: skip
        text = json.dumps(raw)
        fields = [f"{number}-1-1", str(len(text)), "/", "1", "run", f"TMPDIR={environ['TMPDIR']}", "", text, ""]
        path = Path(place, f"open.{number}-1-1")
        path.write_text("\0".join(fields))
        path.chmod(0o600)


def played(environ: Environ) -> None:
    spool.play(environ)


def stored_hold(environ: Environ, scenario: Scenario, done: bool) -> list[str]:  # noqa: FBT001
    """Whatever became of the first reader, the second leaves each event in the ledger once."""
    played(environ)
    left = spool.counts(environ)
    return rows_hold(environ, scenario, done) + ([] if left == (0, 0) else [f"events are left: {left}"])


def session_ended(environ: Environ) -> None:
    event(environ, "PreToolUse", "open", tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="new")
    event(environ, "SessionEnd", "open", reason="other")


def folded(environ: Environ) -> None:
    ledger = Ledger(environ)
    ledger.fold()
    ledger.close()


def pruned(environ: Environ) -> None:
    ledger = Ledger(environ)
    ledger.fold()
    ledger.prune(days=1, megabytes=0, now=time.time())
    ledger.close()


def rebuilt(environ: Environ) -> None:
    upkeep.rebuild(environ)


def erased(environ: Environ) -> None:
    Erasure(environ, text=SECRET).run()


def earlier(environ: Environ) -> None:
    found = Earlier(environ)
    one, two = found.lines("s1", 6), found.lines("s2", 6)
    found.database(*(line.replace(b'"call-', b'"s1-call-') for line in one))
    found.journal("s2.log", *two)


def moved(environ: Environ) -> None:
    legacy.move(environ, legacy.FOREVER)


def moved_hold(environ: Environ, scenario: Scenario, done: bool) -> list[str]:  # noqa: FBT001
    found = rows_hold(environ, scenario, done)
    return [text for text in found if not text.startswith("changed, before")]  # the calls were renamed above


# -- files of a person -------------------------------------------------------------------------------------------------


def command(environ: Environ, name: str, *words: str) -> None:
    os.environ.clear()
    os.environ.update(environ)
    project = os.path.join(environ["HOME"], "project")
    os.makedirs(project, exist_ok=True)
    os.chdir(project)
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):  # stdout is for the driver's own report
        run_command([name, *words])


def settings(environ: Environ) -> None:
    """A project in the home: `init` refuses the home itself."""
    place = Path(environ["HOME"], ".claude")
    place.mkdir()
    Path(environ["HOME"], "project").mkdir()
    (place / "settings.json").write_text(SETTINGS)


def wired(environ: Environ) -> None:
    settings(environ)
    command(environ, "init", "--agent", "claude", "--scope", "user", "--yes", "--cold")


def half_wired(environ: Environ) -> None:
    """Wired for all events but one, so that there is something to fix."""
    wired(environ)
    path = Path(environ["HOME"], ".claude", "settings.json")
    value = json.loads(path.read_text())
    del value["hooks"]["PreToolUse"]
    path.write_text(json.dumps(value, indent=2) + "\n")


def init(environ: Environ) -> None:
    command(environ, "init", "--agent", "claude", "--scope", "user", "--yes", "--cold")


def uninit(environ: Environ) -> None:
    command(environ, "uninit", "--agent", "claude", "--yes")


def settings_hold(environ: Environ, scenario: Scenario, done: bool) -> list[str]:  # noqa: FBT001
    """The file is whole, and `uninit` gives the very bytes back."""
    path = Path(environ["HOME"], ".claude", "settings.json")
    try:
        json.loads(path.read_text())
    except (OSError, ValueError) as error:
        return [f"settings.json: {error}"]
    uninit(environ)
    return [] if path.read_text() == SETTINGS else [f"uninit left {path.read_text()!r}"]


def fixed(environ: Environ) -> None:
    command(environ, "doctor", "--fix")


def repository(environ: Environ) -> None:
    root = Path(environ["HOME"], "project")
    root.mkdir()
    (root / "a.txt").write_text("a")
    (root / "b").mkdir()
    (root / "b" / "c.txt").write_text("c")


def kept(environ: Environ) -> None:
    root = Path(environ["HOME"], "project")
    snapshot = Snapshot(str(root), 1 << 20)
    snapshot.add(str(root / "a.txt"))
    snapshot.add(str(root / "b"))
    snapshot.keep(environ, "x")


def kept_holds(environ: Environ, scenario: Scenario, done: bool) -> list[str]:  # noqa: FBT001
    """A snapshot that is listed is whole."""
    root = str(Path(environ["HOME"], "project"))
    wrong = [id_ for id_ in snapshots(root, environ) if contents_of(root, environ, id_) != [b"a", b"c"]]
    return [f"the snapshot {id_} is damaged" for id_ in wrong]


def damaged(environ: Environ) -> None:
    repository(environ)
    kept(environ)
    root = Path(environ["HOME"], "project")
    (root / "a.txt").write_text("changed")
    shutil.rmtree(root / "b")
    (root / "b").write_text("a file where a directory was")


def undone(environ: Environ) -> None:
    root = str(Path(environ["HOME"], "project"))
    restore(root, environ, snapshots(root, environ)[-1], 1 << 20)


def undo_holds(environ: Environ, scenario: Scenario, done: bool) -> list[str]:  # noqa: FBT001
    """Whatever became of the first try, the second brings all files back."""
    undone(environ)
    root = Path(environ["HOME"], "project")
    found = [(root / name).read_text() for name in ("a.txt", "b/c.txt")]
    return [] if found == ["a", "c"] else [f"restored {found}"]


def project(environ: Environ) -> None:
    trust.pin(environ, {"/one": "1" * 64})


def trusted(environ: Environ) -> None:
    trust.pin(environ, {"/two": "2" * 64})


def trust_holds(environ: Environ, scenario: Scenario, done: bool) -> list[str]:  # noqa: FBT001
    return [] if trust.trusted(environ).get("/one") == "1" * 64 else ["a pin is lost"]


def asked(environ: Environ) -> None:
    approvals.ask(environ, {"digest": "abcdef01" * 8, "about": "x", "project": "/p", "rule": "r", "subject": "s"})


def approved(environ: Environ) -> None:
    found = approvals.read(os.path.join(approvals.directory(environ), "abcdef01"))
    assert found is not None
    approvals.settle(environ, found, "approved", Proof("me", "login"))


def approval_holds(environ: Environ, scenario: Scenario, done: bool) -> list[str]:  # noqa: FBT001
    found = approvals.read(os.path.join(approvals.directory(environ), "abcdef01"))
    return [] if found is not None and found["about"] == "x" else ["an approval is lost"]


SCENARIOS = {
    "PreToolUse": Scenario(sessions, request_made, rows_hold, 12),
    "SessionEnd": Scenario(sessions, session_ended, rows_hold, 12),
    "stored": Scenario(stored, played, stored_hold, 14),
    "fold": Scenario(sessions, folded, rows_hold, 12),
    "prune": Scenario(sessions, pruned, rows_go),
    "repair": Scenario(sessions, rebuilt, rows_hold, 12),
    "erase": Scenario(sessions, erased, erasure_holds, 12),
    "move": Scenario(earlier, moved, moved_hold, 12),
    "init": Scenario(settings, init, settings_hold),
    "uninit": Scenario(wired, uninit, settings_hold),
    "doctor": Scenario(half_wired, fixed, settings_hold),
    "keep": Scenario(repository, kept, kept_holds),
    "undo": Scenario(damaged, undone, undo_holds),
    "trust": Scenario(project, trusted, trust_holds),
    "approve": Scenario(asked, approved, approval_holds),
}


# -- one fault after the other -----------------------------------------------------------------------------------------


def environ_of(home: str) -> Environ:
    return {"HOME": home, "TMPDIR": home, "PATH": os.environ["PATH"]}


def play(scenario: Scenario, place: str, at: int, fault: int) -> tuple[int, list[str]]:
    """How many system calls there were, and what is wrong afterwards. Files name the home, so it stays the same."""
    library = ctypes.CDLL(None)
    home = os.path.join(place, "home")
    shutil.rmtree(home)
    shutil.copytree(os.path.join(place, "prepared"), home, symlinks=True)
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        _child(library, scenario, home, at, fault, writer)
    os.close(writer)
    with open(reader) as file:
        counted = file.read()
    _, status = os.waitpid(child, 0)
    done = os.WIFEXITED(status)
    wrong = [] if done or fault == FAULTS["kill"] else [f"ended by signal {os.WTERMSIG(status)}"]
    return int(counted or 0), wrong + scenario.check(environ_of(home), scenario, done)


def _at_once(module: str, function: str, words: list[str], environ: Environ) -> None:
    """Work in the background is done here: its calls are counted, too."""
    os.environ.clear()
    os.environ.update(environ)
    getattr(import_module(module), function)(*words)


def _child(library: Any, scenario: Scenario, home: str, at: int, fault: int, pipe: int) -> None:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    running.start_background = _at_once  # type: ignore[assignment]
    library.arm(os.fsencode(home), at, fault)
    try:
        scenario.run(environ_of(home))
    except Exception:  # noqa: BLE001 - a people's command says why it failed; here only the outcome counts
        pass
    finally:
        count = library.counted()
        library.arm(b"", 0, 0)
        os.write(pipe, str(count).encode())
        os._exit(0)


def main() -> int:
    scenario = SCENARIOS[sys.argv[1]]
    faults = [FAULTS[sys.argv[2]]] if sys.argv[2] in FAULTS else [FAULTS[name] for name in FAULTS if name != "kill"]
    with tempfile.TemporaryDirectory() as place:
        home = os.path.join(place, "home")
        os.mkdir(home)
        scenario.prepare(environ_of(home))
        shutil.copytree(home, os.path.join(place, "prepared"), symlinks=True)
        total, wrong = play(scenario, place, 0, 0)
        for at in range(1, min(total, LIMIT) + 1):
            _, found = play(scenario, place, at, faults[at % len(faults)])
            wrong += [f"{at}: {text}" for text in found]
    print(total)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
