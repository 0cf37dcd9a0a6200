"""Approvals on disk: one small file for each project, rule and subject."""

import os
import time

from hookkit.errors import HookkitError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Approval = dict[str, Any]

OPEN, APPROVED, DENIED = "open", "approved", "denied"
LIMIT = 16 * 1024
SHORT = 8  # characters of an id: a person types it
ABOUT = 500
TEXTS = ("id", "project", "about", "subject", "state", "by", "opened", "settled")


def directory(environ: dict[str, str]) -> str:
    state = files.state_dir(environ)
    if not state:
        raise FileNotFoundError("there is no home")
    return files.private_dir(os.path.join(files.private_dir(state), "approvals"))


def identity(project: str, rule: str, subject: str) -> str:
    from hashlib import sha256

    return sha256(f"{project}\0{rule}\0{subject}".encode("utf-8", "surrogatepass")).hexdigest()[:SHORT]


def ask(environ: dict[str, str], found: "Approval") -> "Approval":
    """The approval as stored. The first call opens an approval, also where many calls come at once."""
    from hookkit.masking import mask

    place = directory(environ)
    path = os.path.join(place, found["id"])
    known = read(path)
    if known is not None:
        return known
    about = mask(found["about"])[:ABOUT]
    opened = {**found, "about": about, "state": OPEN, "by": "", "opened": stamp(), "settled": ""}
    if files.create(path, jsons.dumps(opened).encode()):
        files.prune(place, time.time())
        return opened
    return read(path) or opened


def settle(environ: dict[str, str], found: "Approval", state: str, by: str) -> "Approval":
    settled = {**found, "state": state, "by": by, "settled": stamp()}
    files.keep(os.path.join(directory(environ), found["id"]), jsons.dumps(settled).encode())
    return settled


def drop(environ: dict[str, str], identity_: str) -> None:
    """Delete a used approval: the next call opens another."""
    try:
        os.unlink(os.path.join(directory(environ), identity_))
    except FileNotFoundError:
        return


def read(path: str) -> "Approval | None":
    """A file written by hookkit; None for any other file. Values are texts, `approvers` is a list of texts."""
    try:
        found = jsons.loads(files.read_own(path, LIMIT))
    except (OSError, HookkitError):
        return None
    if not isinstance(found, dict) or found.get("id") != os.path.basename(path):
        return None
    approvers = found.get("approvers")
    names = [name for name in approvers if isinstance(name, str)] if isinstance(approvers, list) else []
    return {**{name: str(found.get(name, "")) for name in TEXTS}, "approvers": names}


def every(environ: dict[str, str]) -> "list[Approval]":
    """The oldest first."""
    place = directory(environ)
    found = [read(os.path.join(place, name)) for name in os.listdir(place) if "." not in name]
    return sorted((each for each in found if each is not None), key=lambda each: (each["opened"], each["id"]))


def stamp() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
