"""A signature counts if the right key made it, for this text and this use: by ssh-keygen, and without it."""

import base64
import hashlib
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hookkit.system import signatures
from hookkit.system.signatures import SignatureError

USE = "hookkit-policy"
TEXT = b"version = 7\n"
KINDS = {"ed25519": ("ed25519",), "ecdsa": ("ecdsa", "-b", "384"), "rsa": ("rsa", "-b", "2048")}


class Keys:
    """Keys of one person and one stranger, and the list that names the person."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.environ = dict(os.environ)
        for name in ("ann", "eve"):
            signatures.make_key(str(directory / name), name, self.environ)

    def public(self, name: str) -> str:
        return " ".join((self.directory / f"{name}.pub").read_text().split()[:2])

    def sign(self, name: str = "ann", text: bytes = TEXT, use: str = USE) -> str:
        return signatures.sign(text, str(self.directory / name), use, self.environ)

    def verify(self, way: str, text: bytes, signature: str, signers: str) -> signatures.Signer:
        environ = self.environ if way == "ssh-keygen" else {**self.environ, "PATH": "/nowhere"}
        return signatures.verify(text, signature, signers, USE, environ)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    return Keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture(params=["ssh-keygen", "cryptography"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize(
    "options", ["", f'namespaces="other,{USE}" ', 'valid-after="20200101Z" ', 'valid-before="20990101" ']
)
def test_a_key_of_the_list_is_named(keys: Keys, way: str, options: str) -> None:
    signers = f"# who may sign\n\nann@example.com,boss {options}{keys.public('ann')} a comment\n"
    signer = keys.verify(way, TEXT, keys.sign(), signers)
    assert signer.name.split(",")[0] == "ann@example.com"
    assert signer.key.startswith("SHA256:")


def test_both_ways_tell_a_key_by_the_same_fingerprint(keys: Keys) -> None:
    signers = f"ann {keys.public('ann')}"
    found = {keys.verify(way, TEXT, keys.sign(), signers).key for way in ("ssh-keygen", "cryptography")}
    assert len(found) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_key_is_checked_without_ssh_keygen(keys: Keys, kind: str) -> None:
    path = keys.directory / kind
    if not path.exists():
        subprocess.run(["ssh-keygen", "-q", "-N", "", "-f", path, "-t", *KINDS[kind]], check=True)
    signature = keys.sign(kind)
    assert keys.verify("cryptography", TEXT, signature, f"ann {keys.public(kind)}").name == "ann"
    with pytest.raises(SignatureError, match="does not fit"):
        keys.verify("cryptography", TEXT + b" ", signature, f"ann {keys.public(kind)}")


REFUSED: dict[str, Callable[[Keys, str], tuple[bytes, str, str]]] = {
    "another text": lambda keys, own: (TEXT + b"#", keys.sign(), own),
    "another use": lambda keys, own: (TEXT, keys.sign(use="git"), own),
    "a stranger's key": lambda keys, own: (TEXT, keys.sign("eve"), own),
    "no signature": lambda keys, own: (TEXT, "", own),
    "half a signature": lambda keys, own: (TEXT, keys.sign()[:150], own),
    "two signatures": lambda keys, own: (TEXT, keys.sign("eve") + keys.sign(), own),
    "no signers": lambda keys, own: (TEXT, keys.sign(), "# nobody\n"),
    "a key for other uses": lambda keys, own: (TEXT, keys.sign(), f'ann namespaces="git" {keys.public("ann")}'),
    "a key that is over": lambda keys, own: (TEXT, keys.sign(), f'ann valid-before="20200101" {keys.public("ann")}'),
    "a key to come": lambda keys, own: (TEXT, keys.sign(), f'ann valid-after="20990101" {keys.public("ann")}'),
    "a key that signs certificates": lambda keys, own: (TEXT, keys.sign(), f"ann cert-authority {keys.public('ann')}"),
    "a damaged signature": lambda keys, own: (TEXT, keys.sign().replace("A", "B"), own),
}


@pytest.mark.parametrize("case", REFUSED)
def test_everything_else_is_refused(keys: Keys, way: str, case: str) -> None:
    text, signature, signers = REFUSED[case](keys, f"ann {keys.public('ann')}")
    with pytest.raises(SignatureError):
        keys.verify(way, text, signature, signers)


def test_a_hardware_key_is_checked_by_both(keys: Keys) -> None:
    """A key of the type sk-ssh-ed25519 signs its application, a flag and a counter too."""
    private = Ed25519PrivateKey.generate()
    kind, prefixed = b"sk-ssh-ed25519@openssh.com", signatures._prefixed
    public = prefixed(kind) + prefixed(private.public_key().public_bytes_raw()) + prefixed(b"ssh:")

    def signed(use: bytes) -> str:
        inner = [use, b"", b"sha512", hashlib.sha512(TEXT).digest()]
        text = signatures.MAGIC + b"".join(map(prefixed, inner))
        rest = b"\1\0\0\0\7"
        raw = private.sign(hashlib.sha256(b"ssh:").digest() + rest + hashlib.sha256(text).digest())
        fields = [public, USE.encode(), b"", b"sha512", prefixed(kind) + prefixed(raw) + rest]
        body = base64.b64encode(signatures.MAGIC + b"\0\0\0\1" + b"".join(map(prefixed, fields))).decode()
        lines = "\n".join(body[at : at + 70] for at in range(0, len(body), 70))
        return f"{signatures.BEGIN}\n{lines}\n{signatures.END}\n"

    signers = f"ann {kind.decode()} {base64.b64encode(public).decode()}"
    for way in ("ssh-keygen", "cryptography"):
        assert keys.verify(way, TEXT, signed(USE.encode()), signers).name == "ann"
        with pytest.raises(SignatureError):
            keys.verify(way, TEXT, signed(b"git"), signers)


def test_without_ssh_keygen_nobody_can_sign_and_the_message_says_what_to_install(keys: Keys) -> None:
    with pytest.raises(SignatureError, match="install OpenSSH"):
        signatures.sign(TEXT, str(keys.directory / "ann"), USE, {"PATH": "/nowhere:relative"})


def test_a_missing_key_is_named(keys: Keys) -> None:
    with pytest.raises(SignatureError, match="no such key"):
        keys.sign("nobody")


@pytest.mark.parametrize("mark", signatures.CHECKOUT)
@pytest.mark.parametrize("place", ["bin", "node_modules/.bin"])
def test_a_project_does_not_bring_the_program_that_checks(keys: Keys, tmp_path: Path, mark: str, place: str) -> None:
    """`npx` and an activated environment put a directory of the project first on the PATH."""
    (tmp_path / mark).mkdir()
    program = tmp_path / place / signatures.PROGRAM
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'Good \"{USE}\" signature for ann with ED25519 key SHA256:x'\n")
    program.chmod(0o755)
    environ = {**keys.environ, "PATH": f"{program.parent}:{keys.environ['PATH']}"}
    signers = f"ann {keys.public('ann')}"
    with pytest.raises(SignatureError):
        signatures.verify(TEXT, keys.sign("eve"), signers, USE, environ)
    assert signatures.verify(TEXT, keys.sign(), signers, USE, environ).key != "SHA256:x"
