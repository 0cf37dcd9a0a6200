"""Who and what a session is about, once a session: the machine, the person, the versions, the project's remote."""

from hookkit import __version__
from hookkit.ledger import places
from hookkit.ledger.hashing import digest
from hookkit.model import Event
from hookkit.system import git

LONGEST = 200  # characters
MACHINE = b"machine"


def fields(event: Event, environ: dict[str, str]) -> dict[str, object]:
    """The machine is told by the key of its ledger: the same on all rows of a machine, and nothing about it."""
    known = git.identity(event.cwd, environ) if event.cwd else {}
    key = places.key(environ)
    found: dict[str, object] = {
        "machine": digest(key + MACHINE)[:16] if key else "",
        "person": f"{known.get('user.name', '')} <{known.get('user.email', '')}>"[:LONGEST] if known else "",
        "hookkit": __version__,
        "client": event.text("version")[:LONGEST],
        "remote": remote(known.get("remote.origin.url", ""))[:LONGEST],
        "attended": event.is_attended(environ),
    }
    return {name: value for name, value in found.items() if value not in ("", " <>")}


def remote(url: str) -> str:
    """`host/owner/name`, however the remote is written, and without a password in it."""
    scheme, sign, rest = url.partition("://")
    if not sign:
        rest = scheme
        host, colon, path = rest.partition(":")
        if not colon or "/" in host:
            return ""  # a directory of this machine
        rest = f"{host}/{path}"
    host, _, path = rest.partition("/")
    host = host.rpartition("@")[2].partition(":")[0].lower()
    return f"{host}/{path.strip('/').removesuffix('.git')}" if host and path and scheme != "file" else ""
