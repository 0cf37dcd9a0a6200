"""What joining leaves on a machine, below the state directory, for this user alone.

fleet/machine.json    the hub's address, team and key, the machine's random id and secret
fleet/before.json     where each chain ended on joining: rows up to there never leave
fleet/sent.json       the heads that the hub has confirmed: a copy, which can be lost
fleet/status.json     the last contact
fleet/person.json     the address and token of a person who reads the fleet
"""

import os
from typing import Any
from urllib.parse import urlsplit

from hookkit.errors import HookkitError
from hookkit.settings.layers import Settings
from hookkit.system import files, jsons

LIMIT = 64 << 20
LOCAL = ("127.0.0.1", "::1", "localhost")
MACHINE, BEFORE, SENT, STATUS, PERSON = (f"{name}.json" for name in ("machine", "before", "sent", "status", "person"))


class FleetError(HookkitError):
    """The fleet cannot be reached, or this machine is no part of one."""


def directory(environ: dict[str, str]) -> str:
    state = files.state_dir(environ)
    if not state:
        raise FleetError("there is no home directory to keep the machine's id in")
    return os.path.join(state, "fleet")


def read(environ: dict[str, str], name: str) -> dict[str, Any] | None:
    """A file of this room; None if it is missing or damaged."""
    try:
        value = jsons.loads(files.read_own(os.path.join(directory(environ), name), LIMIT))
    except (OSError, HookkitError):
        return None
    return value if isinstance(value, dict) else None


def keep(environ: dict[str, str], name: str, value: dict[str, Any]) -> None:
    place = files.private_dir(directory(environ))
    files.keep(os.path.join(place, name), jsons.dumps(value).encode(), 0o600)


def remove(environ: dict[str, str], *names: str) -> None:
    for name in names:
        path = os.path.join(directory(environ), name)
        if os.path.lexists(path):
            os.unlink(path)


def machine(environ: dict[str, str]) -> dict[str, Any]:
    """The machine as the fleet knows it."""
    known = read(environ, MACHINE)
    if known is None or not all(isinstance(known.get(name), str) for name in ("url", "machine", "secret")):
        raise FleetError("this machine is in no fleet. Join one: hookkit fleet join URL CODE")
    return known


def witness_token(hashed: bytes) -> str:
    """For an agent's own telemetry, made from the digest of the secret: whoever reads it cannot send rows with it."""
    from hashlib import sha256

    return sha256(b"witness" + hashed).hexdigest()


def checked(url: str) -> str:
    """An address of a hub: https, or http on this machine."""
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOCAL):
        raise FleetError(f"{url}: expected https://…, because rows and a secret go there")
    if not parts.hostname or parts.username or parts.query or parts.fragment:
        raise FleetError(f"{url}: expected an address like https://hub.example.com")
    return url.rstrip("/")


def address(membership: dict[str, Any], settings: Settings) -> str:
    """The setting fleet.to moves the machine to another address of its hub."""
    told = settings["fleet.to"]
    return checked(told if told and not told.startswith("otlp+") else membership["url"])


def forget(environ: dict[str, str]) -> None:
    """After leaving: no secret remains, and pruning treats all segments alike again."""
    from hookkit.ledger import segments

    remove(environ, MACHINE, BEFORE, SENT, STATUS)
    path = os.path.join(segments.directory(environ), segments.SENT)
    if os.path.lexists(path):
        os.unlink(path)
