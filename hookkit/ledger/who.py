"""Who and what a session is about, once a session: the machine, the person, the versions, the project's remote."""

from hookkit import __version__
from hookkit.ledger import places
from hookkit.ledger.lines import digest
from hookkit.model import Event
from hookkit.system import files, git

LONGEST = 200  # characters
MACHINE = b"machine"
HEAD = 64 * 1024  # bytes of a transcript
NOTED = b'"version":"'  # in nearly every line of Claude Code's transcripts
INSTALLED = "/versions/"  # before the version in the path of an installed client
VERSION = frozenset("0123456789abcdefghijklmnopqrstuvwxyz.-+_")


def fields(event: Event, environ: dict[str, str]) -> dict[str, object]:
    """The machine is told by the key of its ledger: the same on all rows of a machine, and nothing about it."""
    identity = git.identity(event.cwd, environ) if event.cwd else {}
    key = places.key(environ)
    facts: dict[str, object] = {
        "machine": digest(key + MACHINE)[:16] if key else "",
        "person": f"{identity.get('user.name', '')} <{identity.get('user.email', '')}>"[:LONGEST] if identity else "",
        "hookkit": __version__,
        "client": client(event, environ),
        "remote": remote(identity.get("remote.origin.url", ""))[:LONGEST],
        "attended": event.is_attended(environ),
    }
    return {name: value for name, value in facts.items() if value not in ("", " <>")}


def client(event: Event, environ: dict[str, str]) -> str:
    """The agent's version: as it tells, from its transcript, or from the path of its program; else empty."""
    told = event.text("version") or _in_transcript(event.text("transcript_path"))
    told = told or environ.get("CLAUDE_CODE_EXECPATH", "").rpartition(INSTALLED)[2].partition("/")[0]
    return told[:LONGEST] if VERSION.issuperset(told.lower()) else ""


def _in_transcript(path: str) -> str:
    try:
        head = files.read(path, HEAD) if path else b""
    except (OSError, ValueError):  # ValueError: the name holds a null character
        return ""
    return head.partition(NOTED)[2].partition(b'"')[0].decode("ascii", "replace")


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
