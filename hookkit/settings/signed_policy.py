"""A signed policy: settings as in hookkit.toml, a first line about the file, and an SSH signature below.

    # hookkit-policy version=7 created=2026-11-18T12:00:00Z expires=2027-02-18T12:00:00Z stages=0:10,24:50,72:100
    [[rules]]
    …
    -----BEGIN SSH SIGNATURE-----

The signature covers everything above it. Stages say how many hours after `created` how many percent of the machines
take the policy. `expires` is for its arrival: a policy that holds goes on holding.
"""

import calendar
import re
import time
from hashlib import sha256

from hookkit.errors import ConfigError
from hookkit.system import signatures

NAMESPACE = "hookkit-policy"
FORM = "%Y-%m-%dT%H:%M:%SZ"
STAGE = r"\d{1,6}:(?:100|\d{1,2})"
FIRST = re.compile(
    r"# hookkit-policy version=(?P<version>[1-9]\d{0,11}) created=(?P<created>\S+) expires=(?P<expires>\S+)"
    rf" stages=(?P<stages>{STAGE}(?:,{STAGE})*)"
)
ALL = "0:100"  # stages: every machine at once
HUNDRED = 100
HOUR = 3_600
OTHERS = "fleet."  # settings that only own and managed files have


class SignedPolicy:
    __slots__ = ("created", "digest", "expires", "signature", "stages", "text", "version")

    def __init__(self, content: str, path: str = "policy") -> None:
        self.text, mark, rest = content.partition(signatures.BEGIN)
        self.signature = mark + rest
        first = FIRST.fullmatch(self.text.partition("\n")[0])
        if first is None:
            raise ConfigError(f"{path}:1: not a signed policy: see hookkit policy sign")
        self.version = int(first["version"])
        self.created, self.expires = (_seconds(first[name], path) for name in ("created", "expires"))
        pairs = (stage.split(":") for stage in first["stages"].split(","))
        self.stages = [(int(hours), int(percent)) for hours, percent in pairs]
        self.digest = sha256(self.text.encode()).hexdigest()[:16]

    def verify(self, signers: str, environ: dict[str, str]) -> signatures.Signer:
        return signatures.verify(self.text.encode(), self.signature, signers, NAMESPACE, environ)

    def percent(self, now: float) -> int:
        """How many machines of a hundred take the policy by now."""
        hours = max(0.0, now - self.created) / HOUR
        return max((percent for after, percent in self.stages if after <= hours), default=0)

    def is_for(self, machine: str, now: float) -> bool:
        """Whether a machine is among them. Another version has other machines first."""
        place = int(sha256(f"{machine} {self.version}".encode()).hexdigest()[:8], 16) % HUNDRED
        return place < self.percent(now)


def first_line(version: int, created: float, expires: float, stages: str) -> str:
    line = f"# hookkit-policy version={version} created={stamp(created)} expires={stamp(expires)} stages={stages}"
    if not FIRST.fullmatch(line):
        raise ConfigError(f"--stages {stages}: expected HOURS:PERCENT, as in 0:10,24:50,72:100")
    return line


def stamp(at: float) -> str:
    return time.strftime(FORM, time.gmtime(at))


def _seconds(text: str, path: str) -> float:
    try:
        return float(calendar.timegm(time.strptime(text, FORM)))
    except ValueError:
        raise ConfigError(f"{path}:1: not a time: {text}") from None


def checked(path: str, content: str, signers: str, environ: dict[str, str]) -> str:
    """The settings of a policy whose signature holds; ConfigError for any other file."""
    policy = SignedPolicy(content, path)
    try:
        policy.verify(signers, environ)
    except signatures.SignatureError as error:
        raise ConfigError(f"{path}: {error}") from None
    return policy.text
