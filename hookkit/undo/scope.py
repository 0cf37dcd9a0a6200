"""Files a call may delete or overwrite, taken from its words; for git's own commands, all unsaved files."""

import os

from hookkit.policy.call import HARMLESS, Call
from hookkit.programs.effects import DELETE, WRITE
from hookkit.shell.globs import is_pattern
from hookkit.shell.state import UNKNOWN
from hookkit.system import git

MATCHES = 2_000
LOST = ("objects", "refs", "packed-refs", "HEAD")  # parts of .git that hold the snapshots


class Scope:
    """`paths` are absolute; `everything`: the words do not name the files; `loses`: the snapshots are deleted too."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.paths: dict[str, None] = {}
        self.everything = False
        self.loses = False

    def add(self, path: str, directory: str | None, *, deletes: bool = False) -> None:
        if path in HARMLESS or path.startswith("/dev/"):
            return
        if UNKNOWN in path or directory is None or UNKNOWN in directory:
            self.everything = True
            return
        where = os.path.normpath(os.path.join(directory, path))
        if is_pattern(where) and not os.path.lexists(where):
            self._found(where, deletes=deletes)
        else:
            self._take(where, deletes=deletes)

    def _take(self, path: str, *, deletes: bool) -> None:
        if ours := self._ours(path):
            self.paths[ours] = None
        if deletes:
            real, git = os.path.realpath(path), f"{self.root}/.git/"
            inside = real.removeprefix(git).split("/")[0] if real.startswith(git) else ""
            self.loses = self.loses or git.startswith(f"{real}/") or inside in LOST

    def _found(self, pattern: str, *, deletes: bool) -> None:
        from glob import iglob

        for count, path in enumerate(iglob(pattern, recursive=True, include_hidden=True)
                                     if _has_hidden() else iglob(pattern, recursive=True)):  # fmt: skip
            if count >= MATCHES:
                self.everything = True
                return
            self._take(path, deletes=deletes)

    def _ours(self, path: str) -> str:
        """The path by its real directory, if that is inside the project; git's own records are not ours."""
        path = os.path.normpath(path)
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        inside = real.startswith(f"{self.root}/") or real == self.root
        return real if inside and ".git" not in real[len(self.root) :].split("/") else ""


def _has_hidden() -> bool:
    import sys

    return sys.version_info >= (3, 11)


def of(call: Call, root: str, environ: dict[str, str]) -> Scope | None:
    """None if the call changes no file of the project."""
    scope = Scope(os.path.realpath(root))
    changes = False
    for kind, path, command in call.touched():
        if kind in (WRITE, DELETE):
            changes = True
            scope.add(path, command.directory if command is not None else call.cwd, deletes=kind == DELETE)
    if any(kind == "Rewrite" for kind, *_ in call.verbs()):  # git discards changes of files
        changes = True
        _unsaved(scope, environ)
    if call.shell is not None and (call.shell.doubts or any(command.doubt for command in call.commands)):
        changes = True
        scope.everything = True
    return scope if changes and (scope.paths or scope.everything or scope.loses) else None


def _unsaved(scope: Scope, environ: dict[str, str]) -> None:
    """Changed, new and ignored files: git has no copy of their content."""
    entries, why = git.full_status(scope.root, environ, ignored=True)
    if why:
        scope.everything = True
    for entry in entries:
        if not entry.startswith("## "):
            scope.add(entry[3:].rstrip("/"), scope.root)
    for count, (here, folders, names) in enumerate(os.walk(scope.root)):
        folders[:] = [name for name in folders if name != ".git"]
        if count > MATCHES:
            break
        if not folders and not names:
            scope.paths[here] = None  # git knows no empty directories
