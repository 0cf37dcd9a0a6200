"""Approvals on disk: one small file for each project, rule and subject.

A person types a short id; the file holds the whole digest of what the approval is about, and only this counts. An
answer carries a proof of who gave it.
"""

import os
import pwd
import time

from hookkit.errors import HookkitError
from hookkit.settings import signed
from hookkit.system import files, jsons, signatures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Approval = dict[str, Any]


NAMESPACE = "hookkit-approval"
LOGIN = "login"  # the operating system says who this is
# Fields of an approval that the signature covers.
SIGNED = ("id", "digest", "project", "about", "call", "subject", "opened")
NOT_YOU = (
    "you are logged in as {login}, and --as {by} needs a key of {by}. Add the public key once: hookkit trust "
    "--signer {by} --key FILE.pub"
)


class Proof:
    """`how` is "login", or "key" with the fingerprint; with a key, `signature` can be checked by anybody."""

    __slots__ = ("by", "how", "signature")

    def __init__(self, by: str, how: str, signature: str = "") -> None:
        self.by = by
        self.how = how
        self.signature = signature


def named(name: str) -> str:
    """A bare name is the name of a person."""
    return name if ":" in name else f"human:{name}"


def login() -> str:
    """The name of this user, from the system: a variable of the environment can be set to any name."""
    try:
        return named(pwd.getpwuid(os.geteuid()).pw_name)
    except KeyError:
        return f"human:uid-{os.geteuid()}"


def prove(approval: "Approval", state: str, who: str, key: str, environ: dict[str, str]) -> Proof:
    """The proof of the name `who`; raises HookkitError if there is none. No name means the login."""
    by = named(who) if who else login()
    if by == login() and not key:
        return Proof(by, LOGIN)
    data = text_of(approval, state)
    key = key or signed.usual_key(environ)
    if not key or not signed.signers(environ):
        raise HookkitError(NOT_YOU.format(login=login(), by=by))
    signature = signatures.sign(data, key, NAMESPACE, environ)
    signer = check(data, signature, environ)
    if by not in names_of(signer):
        raise HookkitError(f"the key {key} belongs to {' or '.join(names_of(signer))}, not to {by}")
    return Proof(by, f"key {signer.key}", signature)


def check(data: bytes, signature: str, environ: dict[str, str]) -> signatures.Signer:
    return signatures.verify(data, signature, signed.signers(environ), NAMESPACE, environ)


def names_of(signer: signatures.Signer) -> list[str]:
    """A line of the signers may list several names for a key."""
    return [named(name) for name in signer.name.split(",")]


def text_of(approval: "Approval", state: str) -> bytes:
    """The signed text: which approval, and yes or no."""
    return jsons.dumps({**{name: approval[name] for name in SIGNED}, "state": state}).encode(
        "utf-8", "backslashreplace"
    )


OPEN, APPROVED, DENIED = "open", "approved", "denied"
LIMIT = 256 * 1024
IDS = (8, 16, 64)  # characters of an id: a person types it; a longer one if another approval has the short one
ABOUT = 500
LONGEST = 50_000  # characters of a call that a person can be expected to read
UNSETTLED = {"by": "", "proof": "", "signature": "", "settled": ""}
# Of a request at the fleet's hub (`remote`); others have no such fields.
REMOTE = ("request", "person", "session", "expires", "contact", "answer")
TEXTS = ("id", "digest", "project", "about", "call", "subject", "state", "opened", *UNSETTLED)


def evidence(approval: "Approval") -> "dict[str, Any]":
    """Who settled it, for the row of the ledger: the name, and whether a login or a key proves it."""
    return {"name": f"approval {approval['id']}", "kind": "approval", "outcome": approval["state"], "evidence": {
        "by": approval["by"], "proof": approval["proof"], "at": approval["settled"]}}  # fmt: skip


def directory(environ: dict[str, str]) -> str:
    state = files.state_dir(environ)
    if not state:
        raise FileNotFoundError("there is no home")
    return files.private_dir(os.path.join(files.private_dir(state), "approvals"))


def identity(project: str, rule: str, subject: str) -> str:
    """The digest of what an approval is about."""
    from hashlib import sha256

    return sha256(f"{project}\0{rule}\0{subject}".encode("utf-8", "surrogatepass")).hexdigest()


def ask(environ: dict[str, str], wanted: "Approval") -> "Approval":
    """The approval as stored. The first call opens an approval, also where many calls come at once."""
    folder = directory(environ)
    for length in IDS:
        path = os.path.join(folder, wanted["digest"][:length])
        approval = read(path) or _open(path, wanted)
        if approval["digest"] == wanted["digest"]:
            return approval
    raise HookkitError(f"{path} is not a file of this approval: delete it")


def _open(path: str, wanted: "Approval") -> "Approval":
    from hookkit.system.masking import mask

    opened = {
        **wanted, "id": os.path.basename(path), "about": mask(wanted["about"])[:ABOUT], "call": wanted.get("call", ""),
        "state": OPEN, **UNSETTLED, "opened": stamp(),
    }  # fmt: skip
    if files.create(path, jsons.dumps(opened).encode("utf-8", "backslashreplace"), is_synced=True):
        files.prune(os.path.dirname(path), time.time())
        return opened
    return read(path) or {"digest": ""}


def settle(environ: dict[str, str], approval: "Approval", state: str, proof: "Proof") -> "Approval":
    proven = {"by": proof.by, "proof": proof.how, "signature": proof.signature}
    settled = {**approval, "state": state, **proven, "settled": stamp()}
    raw = jsons.dumps(settled).encode("utf-8", "backslashreplace")
    files.keep(os.path.join(directory(environ), approval["id"]), raw)
    return settled


def drop(environ: dict[str, str], identity_: str) -> None:
    """Delete a used approval: the next call opens another."""
    try:
        os.unlink(os.path.join(directory(environ), identity_))
    except FileNotFoundError:
        return


def read(path: str) -> "Approval | None":
    """A file written by hookkit; None for any other file. Values are texts, `approvers` is a list of texts."""
    value = jsons.read_own(path, LIMIT)
    if value is None or value.get("id") != os.path.basename(path):
        return None
    approvers = value.get("approvers")
    names = [name for name in approvers if isinstance(name, str)] if isinstance(approvers, list) else []
    texts = (*TEXTS, *REMOTE) if value.get("request") else TEXTS
    return {**{name: str(value.get(name, "")) for name in texts}, "approvers": names}


def every(environ: dict[str, str]) -> "list[Approval]":
    """The oldest first."""
    folder = directory(environ)
    approvals = [read(os.path.join(folder, name)) for name in os.listdir(folder) if "." not in name]
    return sorted(
        (approval for approval in approvals if approval is not None),
        key=lambda approval: (approval["opened"], approval["id"]),
    )


def stamp() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
