"""Snapshots in git: a commit under `refs/hookkit/undo/ID`, written by a single `git fast-import`.

The commit's tree has a manifest and numbered files, so no name of the project is ever a name for git. Hooks and
filters of the repository are not run.
"""

import os

from hookkit.errors import HookkitError
from hookkit.system import git, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

REFS = "refs/hookkit/undo/"
MANIFEST = "manifest.json"
SECONDS = 5.0
LIMIT = 256 << 20  # bytes of an answer from git


class UndoError(HookkitError):
    """A snapshot cannot be kept or read."""


def keep(root: str, environ: dict[str, str], id_: str, manifest: "dict[str, Any]", blobs: list[bytes]) -> list[str]:
    """Write a snapshot; `blobs` are the file contents, numbered in the manifest. The ids of all snapshots."""
    text = jsons.dumps(manifest).encode("utf-8", "surrogateescape")
    parts = []
    for number, data in enumerate([*blobs, text], 1):
        parts += [b"blob\nmark :%d\ndata %d\n" % (number, len(data)), data, b"\n"]
    about = b"hookkit: files before a call\n"
    parts.append(b"commit %s%s\ncommitter hookkit <hookkit> %d +0000\n" % (REFS.encode(), id_.encode(), manifest["at"]))
    parts.append(b"data %d\n%s" % (len(about), about))
    parts += [b"M 100644 :%d %d\n" % (number, number - 1) for number in range(1, len(blobs) + 1)]
    parts.append(b"M 100644 :%d %s\ndone\n" % (len(blobs) + 1, MANIFEST.encode()))
    words = ("-c", "fastimport.unpackLimit=1000", "fast-import", "--quiet", "--done", "--date-format=raw")
    git.talk(root, environ, words, b"".join(parts), (SECONDS, LIMIT))
    known = names(root, environ)
    if id_ not in known:
        raise UndoError("git did not keep the snapshot")
    return known


def names(root: str, environ: dict[str, str]) -> list[str]:
    """The ids of all snapshots, newest first."""
    words = ("for-each-ref", "--sort=-refname", "--sort=-committerdate", "--format=%(refname)", REFS)
    output = git.talk(root, environ, words, b"", (SECONDS, LIMIT)).decode("utf-8", "replace")
    return [line.removeprefix(REFS) for line in output.split()]


def manifest(root: str, environ: dict[str, str], id_: str) -> "dict[str, Any]":
    (data,) = contents(root, environ, id_, [MANIFEST])
    value = jsons.loads(data)
    if not isinstance(value, dict) or not isinstance(value.get("entries"), list):
        raise UndoError(f"the snapshot {id_} is damaged")
    return value


def contents(root: str, environ: dict[str, str], id_: str, wanted: list[str]) -> list[bytes]:
    """Files of a snapshot by their names in its tree."""
    asked = "".join(f"{REFS}{id_}:{name}\n" for name in wanted).encode()
    output = git.talk(root, environ, ("cat-file", "--batch"), asked, (SECONDS, LIMIT))
    found, at = [], 0
    for name in wanted:
        end = output.find(b"\n", at)
        words = output[at:end].split()
        if end < 0 or len(words) != 3 or not words[2].isdigit():  # noqa: PLR2004 - hash, kind, size
            raise UndoError(f"the snapshot {id_} has no {name}")
        size = int(words[2])
        found.append(output[end + 1 : end + 1 + size])
        at = end + 2 + size
    return found


def drop(root: str, environ: dict[str, str], ids: list[str]) -> None:
    asked = "".join(f"delete {REFS}{id_}\n" for id_ in ids).encode()
    git.talk(root, environ, ("update-ref", "--stdin"), asked, (SECONDS, LIMIT))


def has_repository(root: str) -> bool:
    return bool(root) and os.path.lexists(os.path.join(root, ".git"))
