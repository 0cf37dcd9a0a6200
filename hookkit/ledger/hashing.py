"""SHA-256 without `hashlib`, whose import costs ten times as much, and the hash that chains a row to the row before."""

import sys

try:
    if sys.version_info >= (3, 12):
        from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]
    else:
        from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    from hashlib import sha256  # for interpreters without a module of their own

FIRST = "0" * 64  # the previous hash of a chain's first row


def chained(before: str, body: bytes) -> str:
    """The hash of a row covers the previous hash, so every change, move or removal of a row shows."""
    return str(sha256(before.encode() + body).hexdigest())


def digest(data: bytes) -> str:
    return str(sha256(data).hexdigest())
