"""SSH signatures of texts: a policy, an approval. Made and checked by `ssh-keygen -Y`, so hardware keys work.

    signature = sign(data, "~/.ssh/id_ed25519", "hookkit-policy", environ)
    signer = verify(data, signature, allowed_signers, "hookkit-policy", environ)    # raises SignatureError

`allowed_signers` is the text of a file as ssh-keygen(1) describes it: who may sign, with which key, in which uses,
from when to when. A signature of one namespace is worth nothing in another. Slim containers without ssh-keygen check
with the library `cryptography`, in `ssh_format`.
"""

import base64
import binascii
import calendar
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import tempfile
import time

from hookkit.errors import HookkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any


MAGIC = b"SSHSIG"
VERSION = 1
HASHES = {b"sha256": hashlib.sha256, b"sha512": hashlib.sha512}
RSA = {b"rsa-sha2-256": "SHA256", b"rsa-sha2-512": "SHA512"}
SMALLEST = 2_048  # bits of an RSA key
CURVES = {
    b"nistp256": ("SECP256R1", "SHA256"),
    b"nistp384": ("SECP384R1", "SHA384"),
    b"nistp521": ("SECP521R1", "SHA512"),
}
TIMES = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
MISSING = "ssh-keygen is missing, and so is the library that could check instead: pip install cryptography"
CHANGED = "the signature does not fit: the text was changed, or signed for another use"


class Fields:
    """Reads the length-prefixed fields of SSH's binary formats."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def take(self, length: int) -> bytes:
        if length > len(self.data):
            raise SignatureError("the signature is damaged")
        taken, self.data = self.data[:length], self.data[length:]
        return taken

    def number(self) -> int:
        return int(struct.unpack(">I", self.take(4))[0])

    def text(self) -> bytes:
        return self.take(self.number())


def verify_text(data: bytes, signature: str, signers: str, namespace: str, now: float | None = None) -> tuple[str, str]:
    """The name and the fingerprint of the signer; SignatureError for every doubt."""
    fields = Fields(_unarmoured(signature))
    if fields.take(len(MAGIC)) != MAGIC or fields.number() != VERSION:
        raise SignatureError("it is signed in a format that this hookkit cannot check")
    key, used_for, reserved, algorithm, blob = (fields.text() for _ in range(5))
    if used_for != namespace.encode() or algorithm not in HASHES or fields.data:
        raise SignatureError(CHANGED)
    name = _allowed(key, signers, namespace, time.time() if now is None else now)
    parts = (used_for, reserved, algorithm, HASHES[algorithm](data).digest())
    _check(key, blob, MAGIC + b"".join(_prefixed(part) for part in parts))
    return name, fingerprint(key)


def fingerprint(key: bytes) -> str:
    return "SHA256:" + base64.b64encode(hashlib.sha256(key).digest()).decode().rstrip("=")


def _unarmoured(signature: str) -> bytes:
    text = signature.strip().removeprefix(BEGIN).removesuffix(END)
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except binascii.Error:
        raise SignatureError("the signature is damaged") from None


def _prefixed(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


# -- the list of signers -----------------------------------------------------------------------------------------------


def _allowed(key: bytes, signers: str, namespace: str, now: float) -> str:
    """The first name under which the key may sign in this namespace at this time."""
    for names, options, listed in _rows(signers):
        if listed != key or "cert-authority" in options:
            continue
        spaces = options.get("namespaces")
        is_valid = _time(options.get("valid-after"), 0.0) <= now <= _time(options.get("valid-before"), now)
        if is_valid and (spaces is None or namespace in spaces.split(",")):
            return names.split(",")[0]
    raise SignatureError("it is signed by a key that is not among the signers, or not for this use or at this time")


def _rows(signers: str) -> "Iterator[tuple[str, dict[str, str], bytes]]":
    """Names, options and key of each line: `name[,name…] [options] key-type base64-key [comment]`."""
    for line in signers.splitlines():
        try:
            words = shlex.split(line, comments=line.lstrip().startswith("#"))
        except ValueError:
            continue
        for at in (1, 2):
            if len(words) > at + 1 and (key := _key(words[at], words[at + 1])):
                yield words[0], _options(words[1]) if at == 2 else {}, key  # noqa: PLR2004 - options stand before
                break


def _key(kind: str, text: str) -> bytes:
    try:
        blob = base64.b64decode(text, validate=True)
        return blob if Fields(blob).text() == kind.encode() else b""
    except (binascii.Error, SignatureError):
        return b""


def _options(text: str) -> dict[str, str]:
    """`shlex` has taken the quotation marks away, so a comma inside of them is told by the missing name."""
    options: dict[str, str] = {}
    last = ""
    for word in text.split(","):
        name, sign, value = word.partition("=")
        if sign or name.lower() == "cert-authority":
            last = name.lower()
            options[last] = value
        elif last:
            options[last] += f",{word}"
    return options


def _time(text: str | None, missing: float) -> float:
    """A time of the list: YYYYMMDD[HHMM[SS]][Z]. Without Z it is local time, as for ssh-keygen."""
    if text is None:
        return missing
    digits = text.rstrip("Z")
    try:
        parsed = time.strptime(digits, TIMES[len(digits)])
    except (KeyError, ValueError):
        raise SignatureError(f"the list of signers has a time that cannot be read: {text}") from None
    return float(calendar.timegm(parsed)) if text.endswith("Z") else time.mktime(parsed)


# -- the signature itself ----------------------------------------------------------------------------------------------


def _check(key: bytes, blob: bytes, signed: bytes) -> None:
    try:
        from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    except ImportError:
        raise SignatureError(MISSING) from None
    public, signature = Fields(key), Fields(blob)
    kind, algorithm = public.text(), signature.text()
    checks = {b"ssh-ed25519": _ed25519, b"ssh-rsa": _rsa}
    name = kind.removeprefix(b"sk-").removesuffix(b"@openssh.com")
    check = _ecdsa if name.startswith(b"ecdsa-sha2-") else checks.get(name)
    if check is None or (algorithm != kind and not (name == b"ssh-rsa" and algorithm in RSA)):
        raise SignatureError(f"a key of the type {kind.decode('ascii', 'replace')} needs ssh-keygen to be checked")
    try:
        check(public, signature, algorithm, signed)
    except (InvalidSignature, UnsupportedAlgorithm, ValueError):
        raise SignatureError(CHANGED) from None


def _signed_on_hardware(public: Fields, signature: Fields, algorithm: bytes, signed: bytes) -> bytes:
    """What a hardware key signs: its application, flags, a counter, and the digest of the text."""
    if not algorithm.startswith(b"sk-"):
        return signed
    application, rest = public.text(), signature.take(5)
    return hashlib.sha256(application).digest() + rest + hashlib.sha256(signed).digest()


def _ed25519(public: Fields, signature: Fields, algorithm: bytes, signed: bytes) -> None:
    from cryptography.hazmat.primitives.asymmetric import ed25519

    key, raw = public.text(), signature.text()
    ed25519.Ed25519PublicKey.from_public_bytes(key).verify(
        raw, _signed_on_hardware(public, signature, algorithm, signed)
    )


def _ecdsa(public: Fields, signature: Fields, algorithm: bytes, signed: bytes) -> None:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, utils

    curve, point, raw = public.text(), public.text(), Fields(signature.text())
    if curve not in CURVES:
        raise SignatureError(CHANGED)
    name, hash_name = CURVES[curve]
    r, s = (int.from_bytes(raw.text(), "big") for _ in range(2))
    key = ec.EllipticCurvePublicKey.from_encoded_point(getattr(ec, name)(), point)
    signed = _signed_on_hardware(public, signature, algorithm, signed)
    key.verify(utils.encode_dss_signature(r, s), signed, ec.ECDSA(getattr(hashes, hash_name)()))


def _rsa(public: Fields, signature: Fields, algorithm: bytes, signed: bytes) -> None:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding, rsa

    exponent, modulus = (int.from_bytes(public.text(), "big") for _ in range(2))
    if algorithm not in RSA or modulus.bit_length() < SMALLEST:
        raise SignatureError(CHANGED)
    key: Any = rsa.RSAPublicNumbers(exponent, modulus).public_key()
    key.verify(signature.text(), signed, padding.PKCS1v15(), getattr(hashes, RSA[algorithm])())


PROGRAM = "ssh-keygen"
CHECK = 10.0  # seconds
TOUCH = 120.0  # seconds to sign: a person may have to touch a hardware key
LARGEST = 64 * 1024  # bytes of a signature
BEGIN, END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
CHECKOUT = (".git", "hookkit.trust")  # in the root of a project
NAMESPACE = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
GOOD = re.compile(r'^Good "(?P<namespace>[^"]*)" signature for (?P<name>.+) with \S+ key (?P<key>SHA256:\S+)$', re.M)


class SignatureError(HookkitError):
    """A text is not signed, signed by somebody else or for something else, or nothing here can check it."""


class Signer:
    """Who signed: the name in the allowed signers, and the fingerprint of the key."""

    __slots__ = ("key", "name")

    def __init__(self, name: str, key: str) -> None:
        self.name = name
        self.key = key


def sign(data: bytes, key: str, namespace: str, environ: dict[str, str]) -> str:
    """The armoured signature. `key` is a private key, or a public key whose private half an SSH agent has."""
    if not os.path.isfile(key):
        raise SignatureError(f"{key}: no such key. Make one: ssh-keygen -t ed25519 -f {key}")
    words = ("-Y", "sign", "-f", os.path.abspath(key), "-n", _checked(namespace))
    done = _run(_program(environ), words, data, environ, TOUCH)
    signature = done.stdout.decode("ascii", "replace")
    if done.returncode or not is_armoured(signature):
        raise SignatureError(f"{PROGRAM} did not sign with {key}: {_complaint(done)}")
    return signature


def verify(data: bytes, signature: str, signers: str, namespace: str, environ: dict[str, str]) -> Signer:
    """The signer, if one of the allowed signers signed this text in this namespace; else SignatureError.

    No signature and no signers are refusals like any other: nothing empty means "do not check".
    """
    _checked(namespace)
    if not is_armoured(signature):
        raise SignatureError("it is not signed, or only half of the signature is there")
    if not any(line.strip() and not line.lstrip().startswith("#") for line in signers.splitlines()):
        raise SignatureError("nobody is allowed to sign: the list of signers is empty")
    program = find(environ, is_checkout=False)
    if program:
        return _verify(program, data, signature, signers, namespace, environ)
    return Signer(*verify_text(data, signature, signers, namespace))


def make_key(path: str, comment: str, environ: dict[str, str]) -> None:
    """A new key without a passphrase, for a program that signs by itself."""
    done = _run(_program(environ), ("-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", path), b"", environ, CHECK)
    if done.returncode:
        raise SignatureError(f"{PROGRAM} made no key at {path}: {_complaint(done)}")


def find(environ: dict[str, str], *, is_checkout: bool = True) -> str:
    """The path of ssh-keygen, or "". A relative PATH could lead to another program of this name.

    So could node_modules/.bin: a project must not bring the program that checks the signature of its own files.
    """
    path = [entry for entry in environ.get("PATH", os.defpath).split(":") if os.path.isabs(entry)]
    path = [entry for entry in path if is_checkout or not _is_in_checkout(entry)]
    return shutil.which(PROGRAM, path=":".join(path)) or ""


def _is_in_checkout(directory: str) -> bool:
    """Whether a repository, or the list of a project's signed files, is above the directory."""
    real = pathlib.Path(os.path.realpath(directory))
    return any(os.path.lexists(above / mark) for above in (real, *real.parents[:-1]) for mark in CHECKOUT)


def is_armoured(signature: str) -> bool:
    text = signature.strip()
    return len(text) <= LARGEST and text.startswith(BEGIN) and text.endswith(END) and text.count(BEGIN) == 1


def _verify(program: str, data: bytes, signature: str, signers: str, namespace: str, environ: dict[str, str]) -> Signer:
    """First the name that the key has in the list, then the signature under this name."""
    with tempfile.TemporaryDirectory(prefix="hookkit-") as directory:
        listed, signed = (os.path.join(directory, name) for name in ("signers", "signature"))
        for path, text in ((listed, signers), (signed, signature)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"{text.strip()}\n")
        names = _run(program, ("-Y", "find-principals", "-s", signed, "-f", listed), b"", environ, CHECK)
        name = names.stdout.decode("utf-8", "replace").strip().partition("\n")[0]
        if names.returncode or not name:
            raise SignatureError("it is signed by a key that is not among the signers, or not at this time")
        words = ("-Y", "verify", "-f", listed, "-I", name, "-n", namespace, "-s", signed)
        done = _run(program, words, data, environ, CHECK)
    good = GOOD.search(done.stdout.decode("utf-8", "replace"))
    if done.returncode or good is None or good["namespace"] != namespace:
        raise SignatureError(f"the signature of {name} does not fit: the text was changed, or signed for another use")
    return Signer(good["name"], good["key"])


def _checked(namespace: str) -> str:
    if not NAMESPACE.fullmatch(namespace):
        raise SignatureError(f"not a namespace: {namespace!r}")
    return namespace


def _program(environ: dict[str, str]) -> str:
    program = find(environ)
    if not program:
        raise SignatureError(f"{PROGRAM} is missing: install OpenSSH (Debian: openssh-client)")
    return program


def _run(
    program: str, words: "Sequence[str]", data: bytes, environ: dict[str, str], seconds: float
) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(
            [program, *words], input=data, capture_output=True, timeout=seconds, env={**environ, "LC_ALL": "C"},
            check=False, cwd="/",
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise SignatureError(f"{PROGRAM} took longer than {seconds:g} s") from None
    except OSError as error:
        raise SignatureError(f"{PROGRAM} cannot be run: {error.strerror or error}") from None


def _complaint(done: "subprocess.CompletedProcess[bytes]") -> str:
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:300] if lines else f"exit code {done.returncode}"
