"""Pins of trusted project files: each path with the checksum of its content."""

import os

from hookkit.errors import HookkitError
from hookkit.settings.layers import trust_file
from hookkit.settings.snapshot import LIMIT
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

UNTRUSTED = "only its deny and ask rules count, its gates, handlers and approvals do not"  # of a file without trust


def trust_key(path: str) -> str:
    """A pin belongs to a file in a project: a link to a trusted file is another file."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def is_trusted(path: str, content: str, environ: dict[str, str]) -> bool:
    """Trust belongs to the content: a changed file is a stranger's again."""
    return bool(trusted(environ).get(trust_key(path)) == digest(content))


def trusted(environ: dict[str, str]) -> "dict[str, Any]":
    try:
        pins = jsons.loads(files.read_own(trust_file(environ), LIMIT))
    except (OSError, HookkitError):
        return {}
    return pins if isinstance(pins, dict) else {}


def pin(environ: dict[str, str], changes: "dict[str, str | None]") -> None:
    """Add pins; None removes a pin. A lock protects the pins of other processes."""
    import fcntl

    state = files.private_dir(files.state_dir(environ))
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(os.path.join(state, "trust.lock"), flags, 0o600), "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        pins = {**trusted(environ), **changes}
        kept = {path: sum_ for path, sum_ in pins.items() if sum_ is not None}
        files.keep(trust_file(environ), jsons.dumps(kept).encode())


def digest(content: str) -> str:
    from hashlib import sha256

    return sha256(content.encode()).hexdigest()
