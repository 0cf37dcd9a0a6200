"""Writing an anchor of the ledger to a git note, a file or a command, and reading it back."""

import os
import subprocess

from hookkit.cli._console import fail, report, stop
from hookkit.cli._ledger import opened
from hookkit.ledger import anchors
from hookkit.ledger.store import Ledger
from hookkit.system import files

NOTE = "note"
REF = "hookkit"
LIMIT = 16 << 20  # bytes of a file with anchors
SECONDS = 30


def anchor(*, file: str, command: str, as_json: bool) -> None:
    if file and command:
        stop("write one of --file and --command")
    with opened() as (_, ledger):
        if ledger is None:
            stop("the ledger cannot be anchored as long as it cannot be opened")
        line = anchors.make(ledger)
    if file:
        _append(file, line)
    elif command:
        _pipe(command, line)
    else:
        _git("notes", f"--ref={REF}", "append", "-m", line, "HEAD")
    to = file or command or f"git note refs/notes/{REF} of HEAD"
    report(f"{line}\nwritten to {to}", {"anchor": line, "to": to}, as_json=as_json)


def _append(path: str, line: str) -> None:
    """Anchors beside the ledger would be rewritten with it."""
    state = files.state_dir(dict(os.environ))
    if state and files.inside(os.path.dirname(os.path.abspath(path)), state):
        stop(f"{path}: is beside the ledger; name a file elsewhere, best on another machine or disk")
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
        with open(handle, "ab") as target:
            target.write(f"{line}\n".encode())
            files.sync(target.fileno())
    except OSError as error:
        stop(f"{path}: {error.strerror}")


def _pipe(command: str, line: str) -> None:
    """The line is on stdin: nothing of it is put into the command."""
    try:
        done = subprocess.run(["/bin/sh", "-c", command], input=f"{line}\n".encode(), check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        fail(f"{command}: took longer than {SECONDS} s")
    if done.returncode:
        fail(f"{command}: exited with {done.returncode}; the anchor was not written")


def _git(*words: str) -> str:
    try:
        done = subprocess.run(["git", *words], capture_output=True, text=True, check=False, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        stop(f"git {words[0]}: {error}")
    if done.returncode:
        said = done.stderr.strip().rstrip(".") or done.returncode
        stop(f"git {' '.join(words[:3])}: {said}. Name a file instead: --file")
    return done.stdout


def findings(ledger: Ledger, source: str) -> tuple[list[str], list[str]]:
    """What the anchors of a source find wrong, and anchors that cannot be checked any more.

    A source without an anchor is a finding too.
    """
    found = anchors.lines_in(_read(source))
    if not found:
        return [f"no anchor is in {source}"], []
    old = [line for line in found if anchors.moved_since(ledger, line)]
    notes = [f"cannot be checked, an update has chained the rows anew since: {line}" for line in old]
    return [said for line in found if line not in old for said in anchors.wrong(ledger, line)], notes


def _read(source: str) -> str:
    if source == NOTE:
        shown = [line.split()[1] for line in _git("notes", f"--ref={REF}", "list").splitlines() if " " in line]
        return "\n".join(_git("notes", f"--ref={REF}", "show", commit) for commit in shown[:1000])
    try:
        return files.read(source, LIMIT).decode("utf-8", "replace")
    except OSError as error:
        stop(f"{source}: {error.strerror or error}")
