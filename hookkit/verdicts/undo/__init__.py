"""Undo: files that a call may delete or overwrite, taken from its words; for git's own commands, all unsaved files.

`snapshot` keeps and restores them, in a directory of hookkit's own. May import policy, settings and system.
"""

import os

from hookkit.policy.call import HARMLESS, Call
from hookkit.programs.effects import DELETE, WRITE
from hookkit.shell.expand import is_pattern
from hookkit.shell.state import UNKNOWN
from hookkit.system import files, git
from hookkit.verdicts.undo.snapshot import MOST, REMADE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command


MATCHES = 2_000
# Outside the project nobody's work is in these places.
ELSEWHERE = ("/tmp/", "/var/tmp/", "/private/tmp/", "/dev/", "/proc/", "/sys/", "/run/")  # noqa: S108 - compared
EDITORS = ("ex", "ed", "vi", "vim", "nvim", "sd", "sponge")  # they change the files among their words
IN_PLACE = ("perl", "ruby")  # with -i


class Scope:
    """`paths` are absolute; `everything`: the words do not name the files; `deletes`: an existing path goes away.

    `moves`: the call deletes a path that is not there yet, so a directory may be moved there first.
    """

    def __init__(self, root: str, home: str) -> None:
        self.root = root
        self.cache = f"{home}/.cache/" if home else "/nonexistent/"
        self.paths: dict[str, None] = {}
        self.known: dict[str, str] = {}  # real paths of directories
        self.everything = False
        self.deletes = False
        self.moves = False

    def add(self, path: str, directory: str | None, *, deletes: bool = False) -> None:
        if path in HARMLESS or path.startswith("/dev/"):
            return
        known = path.partition(UNKNOWN)[0].rpartition("/")[0] if UNKNOWN in path else path
        if directory is None or UNKNOWN in directory or not known:
            self.everything = self.everything or deletes
            return
        if known != path and not deletes:
            return
        path = known  # of a computed name, the directory in front of it
        where = os.path.normpath(os.path.join(directory, path))
        if is_pattern(where) and not os.path.lexists(where):
            self._found(where, deletes=deletes)
        else:
            self._take(where, deletes=deletes)

    def _take(self, path: str, *, deletes: bool) -> None:
        path = os.path.normpath(path)
        real = os.path.join(files.real(os.path.dirname(path), self.known), os.path.basename(path))
        inside = real.startswith(f"{self.root}/") or real == self.root
        if not inside and (not os.path.lexists(real) or real.startswith((*ELSEWHERE, self.cache))):
            return
        is_written = not deletes and not self.moves and os.path.isdir(real) and not os.path.islink(real)
        if os.path.basename(real) in REMADE or is_written:
            return  # a directory that is only written stays
        self.paths[real] = None
        self.deletes = self.deletes or (deletes and os.path.lexists(real))

    def _found(self, pattern: str, *, deletes: bool) -> None:
        from hookkit.system import globbing  # late: few lines delete by a pattern

        try:
            for count, path in enumerate(globbing.matches(pattern, hidden=deletes)):
                self.everything = self.everything or count >= MATCHES
                if self.everything:
                    return
                self._take(path, deletes=deletes)
        except globbing.TooMany:
            self.everything = True


def scope_of(call: Call, root: str, environ: dict[str, str]) -> Scope | None:
    """None if the call changes no file."""
    scope = Scope(os.path.realpath(root), files.home(environ))
    touched = [
        (kind, path, command.directory if command is not None else call.cwd)
        for kind, path, command in call.touched()
        if kind in (WRITE, DELETE)
    ]
    gone = [os.path.join(directory or "", path) for kind, path, directory in touched if kind == DELETE]
    scope.moves = any(UNKNOWN not in path and not os.path.lexists(path) for path in gone)
    for kind, path, directory in touched:
        scope.add(path, directory, deletes=kind == DELETE)
    for command in call.commands:
        for path in _in_code(command, call):
            scope.add(path, command.directory)
    is_unclear = call.shell is not None and (call.shell.doubts or any(command.doubt for command in call.commands))
    if is_unclear or scope.everything or any(kind == "Rewrite" for kind, *_ in call.verbs()):
        _unsaved(scope, environ)
    return scope if scope.paths or scope.everything else None


def _in_code(command: "Command", call: Call) -> list[str]:
    """Existing files that an interpreter's code or an editor names: it may change any of them."""
    name = command.words[0].rpartition("/")[2]
    edits = name in EDITORS or (name in IN_PLACE and any(word[:1] == "-" and "i" in word for word in command.words[1:]))
    texts = [*(call.quoted(command) if command.code else ()), *(command.words[1:] if edits else ())]
    named = [text for text in texts if 0 < len(text) < 200 and "\n" not in text and UNKNOWN not in text]  # noqa: PLR2004
    return [path for path in named[:64] if os.path.isfile(os.path.join(command.directory or "/", path))]


def _unsaved(scope: Scope, environ: dict[str, str]) -> None:
    """Changed, new and ignored files: git has no copy of their content. Without git, the whole project."""
    entries, why = git.full_status(scope.root, environ, ignored=True)
    if why or not entries:
        scope.everything = True
        return
    scope.everything = False
    for entry in entries[: MOST + 1]:  # one more than a snapshot holds: then it says that it is not whole
        if not entry.startswith("## "):
            scope.add(entry[3:].rstrip("/"), scope.root, deletes=True)
    for count, (here, folders, names) in enumerate(os.walk(scope.root)):
        folders[:] = [name for name in folders if name != ".git" and name not in REMADE]
        if count > MATCHES:
            break
        if not folders and not names:
            scope.paths[here] = None  # git knows no empty directories
