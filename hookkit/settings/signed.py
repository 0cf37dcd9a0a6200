"""Signatures over settings: files of a project (`hookkit.trust`), and the policy of a fleet.

A lead signs the project's files with an SSH key, and the signature is trust in every clone. `hookkit.trust` in the root
of the project lists the files with their checksums, and ends with the signature. It counts if a key among the person's
or the machine's `allowed_signers` made it. A file that changed, or is not in the list, is untrusted as before.

A signed policy has settings as in hookkit.toml, a first line about the file, and the signature below:

    # hookkit-policy version=7 created=2026-11-18T12:00:00Z expires=2027-02-18T12:00:00Z stages=0:10,24:50,72:100
    [[rules]]
    …
    -----BEGIN SSH SIGNATURE-----

The signature covers everything above it. Stages say how many hours after `created` how many percent of the machines
take the policy. `expires` is for its arrival: a policy that holds goes on holding.
"""

import os
import re
import time
from hashlib import sha256

from hookkit.errors import ConfigError, HookkitError
from hookkit.settings import layers
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.system.signatures import Signer

NAME = "hookkit.trust"
NAMESPACE = "hookkit-trust"
HEAD = "# Signed by: hookkit trust --sign KEY. Each line has the checksum and the path of a file.\n"
BEGIN = "-----BEGIN SSH SIGNATURE-----"  # as in system/signatures.py, which only a check of a signature loads
SIGNERS = "allowed_signers"
USES = 'namespaces="hookkit-trust,hookkit-approval"'  # a key of the list signs nothing else
SIGNER = re.compile(r"[\w.@+-]+(:[\w.@+-]+)?", re.ASCII)  # a name: no wildcard of ssh-keygen
PUBLIC = re.compile(r"(ssh|ecdsa|sk-)[\w@.-]+ [A-Za-z0-9+/=]+", re.ASCII)
KEYS = ("id_ed25519", "id_ed25519_sk", "id_ecdsa", "id_ecdsa_sk", "id_rsa")  # below ~/.ssh
LIMIT = 1 << 18  # bytes of a list, and of the signers
MOST = 200  # results kept
KEPT = 3_600  # seconds for which a result is kept: keys may expire, ssh-keygen may be installed
OTHERS = 0o022  # bits of a mode that let others write


def signer_files(environ: dict[str, str]) -> list[str]:
    """The person's own list of signers, if there is a home, and the machine's."""
    own = [path for layer, path in layers.layers("", environ) if layer == "user"][-1:]
    return [os.path.join(os.path.dirname(path), SIGNERS) for path in (*own, layers.MANAGED)]


def signers(environ: dict[str, str]) -> str:
    return "\n".join(filter(None, map(_signers_in, signer_files(environ))))


def _signers_in(path: str) -> str:
    """A file that somebody else may write to names nobody."""
    try:
        info = os.stat(path)
        if info.st_uid not in (0, os.geteuid()) or info.st_mode & OTHERS:
            return ""
        return files.read(path, LIMIT).decode()
    except (OSError, ValueError):
        return ""


def reads(path: str, environ: dict[str, str]) -> "list[list[Any]]":
    """The stamps of all files that the trust in a project's file may come from."""
    return [[name, files.stamp(name)] for name in (_list_of(path), *signer_files(environ))]


def is_signed(path: str, digest: str, environ: dict[str, str]) -> bool:
    """Whether a signer has signed this content of the file."""
    listed = _list_of(path)
    if not os.path.exists(listed):
        return False
    try:
        text = files.read(listed, LIMIT).decode()
    except (OSError, ValueError):
        return False
    folder = os.path.realpath(os.path.dirname(listed))
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    wanted = f"{digest}  {os.path.relpath(real, folder)}"
    return wanted in text.partition(BEGIN)[0].split("\n") and signer(text, environ) is not None


def is_unknown(path: str, environ: dict[str, str]) -> bool:
    """Whether the project of a file is signed, and this person has not said yet whose signature counts."""
    return os.path.exists(_list_of(path)) and not signers(environ)


def signer(text: str, environ: dict[str, str]) -> "Signer | None":
    """Who signed a list; None if no signer did. The result is kept: a hook cannot start ssh-keygen at every call."""
    known = signers(environ)
    if not known:
        return None
    from hookkit.system.signatures import SignatureError, Signer

    key = sha256(f"{known}\0{text}".encode()).hexdigest()
    place = _results_file(environ)
    results = _results(place)
    until, name, fingerprint = results.get(key, (0, "", ""))
    if until < time.time():
        try:
            signed = check(text, environ)
            name, fingerprint = signed.name, signed.key
        except SignatureError:
            name, fingerprint = "", ""
        until = time.time() + KEPT
        _keep(place, {**results, key: (until, name, fingerprint)})
    return Signer(name, fingerprint) if name else None


def check(text: str, environ: dict[str, str]) -> "Signer":
    """Who signed a list; SignatureError says why nobody did."""
    return check_with(text, signers(environ), environ)


def check_with(text: str, known: str, environ: dict[str, str]) -> "Signer":
    """The same with these signers."""
    from hookkit.system.signatures import verify

    body, begin, rest = text.partition(BEGIN)
    return verify(body.encode(), begin + rest, known, NAMESPACE, environ)


def problem(project: str, environ: dict[str, str]) -> str:
    """Why the project's signature is no trust in an untrusted file, for people; empty without a signature."""
    try:
        check(files.read(os.path.join(project, NAME), LIMIT).decode(), environ)
    except HookkitError as error:
        return f"{NAME}: {error}"
    except (OSError, ValueError):
        return ""
    return f"the signature of {NAME} does not cover it as it is now"


def write(project: str, pins: dict[str, str], key: str, environ: dict[str, str]) -> str:
    """Sign the files of a project; the path of the list. A person's local files stay out of it."""
    from hookkit.system.signatures import sign

    root = os.path.realpath(project)
    names = {os.path.relpath(os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)), root): sum_
             for path, sum_ in pins.items()}  # fmt: skip
    lines = [f"{sum_}  {name}\n" for name, sum_ in sorted(names.items()) if _is_shared(name)]
    body = HEAD + "".join(lines)
    path = os.path.join(project, NAME)
    files.keep(path, (body + sign(body.encode(), key, NAMESPACE, environ)).encode(), 0o644)
    return path


def signer_line(name: str, public: str) -> str:
    """A line of the list, as ssh-keygen(1) describes it."""
    if not SIGNER.fullmatch(name) or not PUBLIC.fullmatch(public):
        raise ConfigError(f"expected a name such as human:lead and a public key, not {name!r} and {public[:40]!r}")
    return f"{name} {USES} {public}\n"


def add_signer(name: str, public: str, environ: dict[str, str]) -> str:
    """Add a key to the person's own list; the path of the list. The same line twice is one."""
    path, line = signer_files(environ)[0], signer_line(name, public)
    try:
        known = files.read(path, LIMIT).decode()
    except FileNotFoundError:
        known = ""
    if line not in known:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        files.keep(path, (known + ("\n" if known and not known.endswith("\n") else "") + line).encode(), 0o600)
    return path


def has_other_key(name: str, public: str, environ: dict[str, str]) -> bool:
    """Whether the lists name this person with other keys alone: a key from a clone must not join them unasked."""
    lines = [" ".join(line.split()) for line in signers(environ).splitlines()]
    named = [line for line in lines if name in line.partition(" ")[0].split(",")]
    return bool(named) and not any(public in line for line in named)


def usual_key(environ: dict[str, str]) -> str:
    """The person's first key below ~/.ssh, or an empty text."""
    paths = [os.path.join(files.home(environ), ".ssh", name) for name in KEYS]
    return next((path for path in paths if os.path.isfile(path)), "")


def public_key(path: str) -> str:
    """The type and the key of a .pub file, without its comment."""
    try:
        words = files.read(path, LIMIT).decode().split()
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {getattr(error, 'strerror', None) or 'not a public key'}") from None
    return " ".join(words[:2])


def key_in(text: str) -> str:
    """The public key inside of a signature, in the form of a .pub file."""
    from base64 import b64decode, b64encode

    from hookkit.system.signatures import MAGIC, Fields

    armoured = "".join(line for line in text.partition(BEGIN)[2].splitlines() if not line.startswith("-"))
    try:
        fields = Fields(b64decode(armoured, validate=True))
    except ValueError:
        raise ConfigError(f"{NAME}: the signature is damaged") from None
    fields.take(len(MAGIC))
    fields.number()
    key = fields.text()
    return f"{Fields(key).text().decode('ascii', 'replace')} {b64encode(key).decode()}"


def _is_shared(name: str) -> bool:
    return not name.startswith("..") and "\n" not in name and ".local." not in os.path.basename(name)


def _list_of(path: str) -> str:
    return os.path.join(files.repository(os.path.dirname(path)), NAME)


def _results_file(environ: dict[str, str]) -> str:
    state = files.state_dir(environ)
    return os.path.join(state, "signed.json") if state else ""


def _results(path: str) -> "dict[str, tuple[float, str, str]]":
    try:
        value = jsons.loads(files.read_own(path, LIMIT)) if path else {}
    except (OSError, HookkitError):
        return {}
    rows = value.items() if isinstance(value, dict) else ()
    return {str(key): (float(row[0]), str(row[1]), str(row[2])) for key, row in rows if isinstance(row, list)}


def _keep(path: str, results: "dict[str, tuple[float, str, str]]") -> None:
    """On a read-only disk only the next call is slower."""
    if not path:
        return
    newest = sorted(results.items(), key=lambda item: item[1][0])[-MOST:]
    try:
        files.private_dir(os.path.dirname(path))
        files.write(path, jsons.dumps(dict(newest)).encode())
    except OSError:
        return


# -- the signed policy of a fleet --

POLICY_NAMESPACE = "hookkit-policy"
FORM = "%Y-%m-%dT%H:%M:%SZ"
STAGE = r"\d{1,6}:(?:100|\d{1,2})"
FIRST = re.compile(
    r"# hookkit-policy version=(?P<version>[1-9]\d{0,11}) created=(?P<created>\S+) expires=(?P<expires>\S+)"
    rf" stages=(?P<stages>{STAGE}(?:,{STAGE})*)"
)
ALL_MACHINES = "0:100"  # stages: every machine at once
HUNDRED = 100
HOUR = 3_600
NOT_FROM_FLEET = "fleet."  # settings that only own and managed files have


class SignedPolicy:
    __slots__ = ("created", "digest", "expires", "signature", "stages", "text", "version")

    def __init__(self, content: str, path: str = "policy") -> None:
        self.text, mark, rest = content.partition(BEGIN)
        self.signature = mark + rest
        first = FIRST.fullmatch(self.text.partition("\n")[0])
        if first is None:
            raise ConfigError(f"{path}:1: not a signed policy: see hookkit policy sign")
        self.version = int(first["version"])
        self.created, self.expires = (_seconds(first[name], path) for name in ("created", "expires"))
        pairs = (stage.split(":") for stage in first["stages"].split(","))
        self.stages = [(int(hours), int(percent)) for hours, percent in pairs]
        self.digest = sha256(self.text.encode()).hexdigest()[:16]

    def verify(self, signers: str, environ: dict[str, str]) -> "Signer":
        from hookkit.system.signatures import verify

        return verify(self.text.encode(), self.signature, signers, POLICY_NAMESPACE, environ)

    def percent(self, now: float) -> int:
        """How many machines of a hundred take the policy by now."""
        hours = max(0.0, now - self.created) / HOUR
        return max((percent for after, percent in self.stages if after <= hours), default=0)

    def is_for(self, machine: str, now: float) -> bool:
        """Whether a machine is among them. Another version has other machines first."""
        place = int(sha256(f"{machine} {self.version}".encode()).hexdigest()[:8], 16) % HUNDRED
        return place < self.percent(now)


def policy_line(version: int, created: float, expires: float, stages: str) -> str:
    line = (
        f"# hookkit-policy version={version} created={time_text(created)} expires={time_text(expires)} stages={stages}"
    )
    if not FIRST.fullmatch(line):
        raise ConfigError(f"--stages {stages}: expected HOURS:PERCENT, as in 0:10,24:50,72:100")
    return line


def time_text(at: float) -> str:
    return time.strftime(FORM, time.gmtime(at))


def _seconds(text: str, path: str) -> float:
    import calendar  # late: few machines have a policy of a fleet

    try:
        return float(calendar.timegm(time.strptime(text, FORM)))
    except ValueError:
        raise ConfigError(f"{path}:1: not a time: {text}") from None


def checked_policy(path: str, content: str, signers: str, environ: dict[str, str]) -> str:
    """The settings of a policy whose signature holds; ConfigError for any other file."""
    from hookkit.system.signatures import SignatureError

    policy = SignedPolicy(content, path)
    try:
        policy.verify(signers, environ)
    except SignatureError as error:
        raise ConfigError(f"{path}: {error}") from None
    return policy.text
