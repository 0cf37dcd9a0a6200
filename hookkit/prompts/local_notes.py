"""Reads a project's notes for the model, with their imports, without being led out of the project."""

import os
import stat

from hookkit.system import files

DEPTH = 3
READ = 256 * 1024
# Names that hold secrets more often than notes.
SECRET = (
    ".env", ".git-credentials", ".pgpass", ".htpasswd", ".vault-token", ".netrc", ".npmrc", ".pypirc", "secret",
    "id_rsa", "id_ed25519", "id_ecdsa", "credentials",
)  # fmt: skip
SECRET_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".kdbx", ".env", ".tfstate", ".tfvars", ".keystore")
IMPORTS = 50  # files that one file may bring in, however they are nested


def find(name: str, directory: str, root: str) -> str:
    """The nearest file of that name, from the directory up to the repository's root; "" if there is none."""
    here = directory
    while True:
        path = os.path.join(here, name)
        if os.path.lexists(path):
            return path
        if here == root or here == os.path.dirname(here):
            return ""
        here = os.path.dirname(here)


def read(path: str, root: str) -> str:
    """The text with `@other/file.md` lines replaced by that file; what may not be read says so in its place."""
    return "\n".join(_lines(path, root, DEPTH, {os.path.realpath(path)}))


def _lines(path: str, root: str, depth: int, seen: set[str]) -> list[str]:
    refusal = refused(path, root)
    if refusal:
        return [f"[{os.path.basename(path)} not read: {refusal}]"]
    lines: list[str] = []
    for line in files.read(path, READ).decode("utf-8", "replace").replace("\r\n", "\n").rstrip().split("\n"):
        target = _import(line, path)
        if not target or depth == 0 or len(seen) > IMPORTS or os.path.realpath(target) in seen:
            lines.append(line)
            continue
        seen.add(os.path.realpath(target))
        lines += _lines(target, root, depth - 1, seen)
    return lines


def _import(line: str, path: str) -> str:
    """The file that a line `@path` names, if there is one: `@readme` alone is somebody's name."""
    name = line.strip()
    if not name.startswith("@") or " " in name or not any(char in name for char in "./"):
        return ""
    target = os.path.join(os.path.dirname(path), os.path.expanduser(name[1:]))
    return target if os.path.lexists(target) else ""


def refused(path: str, root: str) -> str:
    """Why a file may not be read, or nothing."""
    real = os.path.realpath(path)
    name = os.path.basename(real).lower()
    if not files.inside(path, root):
        return "it leads out of the project"
    if "/.git/" in real:
        return "it is git's own"
    if name.startswith(SECRET) or name.endswith(SECRET_ENDINGS):
        return "it looks like a secret"
    if not os.path.exists(real) or not stat.S_ISREG(os.stat(real).st_mode):
        return "it is not a regular file"
    return ""
