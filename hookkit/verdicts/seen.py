"""What a session has seen of secrets: in the output of a tool, or in a copy that another session made."""

import os

from hookkit.errors import HookkitError
from hookkit.ledger.lines import digest
from hookkit.model import Event
from hookkit.programs.effects import READ, WRITE
from hookkit.shell.state import UNKNOWN
from hookkit.system import files
from hookkit.system.masking import has_token
from hookkit.verdicts import taint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.policy.call import Call


FOLDER = "copies"
MOST = 200  # paths
LIMIT = 8 * 1024  # bytes of a path


def look_for_copies(event: Event, call: "Call", environ: dict[str, str]) -> None:
    """Mark the session if the call reads such a file and runs."""
    known = _known(environ)
    if known and any(path in known for path in _paths(call, READ)):
        taint.wait_for(event, environ, "secrets.copied")


def written(call: "Call") -> list[str]:
    """The files that a call with a secret writes."""
    return [path for path in _paths(call, WRITE) if not path.startswith("/dev/")][:MOST]


def add(paths: list[str], environ: dict[str, str]) -> None:
    """A note for each path: two sessions that copy at the same time lose none."""
    state = files.state_dir(environ)
    for path in paths if state else ():
        data = path.encode("utf-8", "surrogateescape")
        files.write(os.path.join(files.private_dir(os.path.join(state, FOLDER)), digest(data)), data)
    if state and paths:
        files.keep_newest(os.path.join(state, FOLDER), MOST)


def _paths(call: "Call", kind: str) -> list[str]:
    touched = [
        (path, command.directory if command is not None else call.cwd)
        for effect, path, command in call.touched()
        if effect == kind
    ]
    return [
        os.path.realpath(os.path.join(directory, path))
        for path, directory in touched
        if directory and UNKNOWN not in path and UNKNOWN not in directory
    ]


def _known(environ: dict[str, str]) -> set[str]:
    """The copies that are still there. Without any the folder goes, and a quiet call is quick again."""
    folder = os.path.join(files.state_dir(environ), FOLDER)
    known = set()
    try:
        for name in os.listdir(folder):
            note = os.path.join(folder, name)
            path = files.read_own(note, LIMIT).decode("utf-8", "surrogateescape")
            if os.path.lexists(path):
                known.add(path)
            else:
                os.unlink(note)
        if not known:
            os.rmdir(folder)
    except (OSError, HookkitError):
        return known  # another session adds or removes at the same time
    return known


LONGEST = 256 * 1024  # characters of an output
PUBLIC = (".example", ".sample", ".template", ".dist", ".test", ".defaults")
DEEPEST = 5  # objects inside objects


def look(event: Event, environ: dict[str, str]) -> None:
    """Mark the session if the output holds a token of a known shape or a private key."""
    if taint.is_tainted(event, environ):
        return
    left = LONGEST
    for text in _texts(event.fields.get("tool_response")):
        if has_token(text[:left]) or _has_settings(text[:left]):
            try:
                taint.note(event, environ, "secrets.seen")
            except OSError:
                return  # a full disk: no place for a note is no reason to fail
            return
        left -= len(text)
        if left <= 0:
            return


def _has_settings(text: str) -> bool:
    """A search that shows lines of a .env file: `./.env:3:API_KEY=x`."""
    if ".env" not in text:
        return False
    for line in text.split("\n"):
        name, _, rest = line.partition(":")
        name = name.rpartition("/")[2]
        if (name == ".env" or name.startswith(".env.")) and not name.endswith(PUBLIC) and "=" in rest:
            return True
    return False


def _texts(value: object, depth: int = 0) -> "Iterator[str]":
    if isinstance(value, str):
        yield value
    elif depth < DEEPEST and isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item, depth + 1)
