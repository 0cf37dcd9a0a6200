"""Files that a sub-agent has to leave behind: it is sent back for missing ones, twice at most."""

import os
import stat

from hookkit.model import Decision
from hookkit.programs.words import glob
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.work.gates.answer import GateState


MOST = 20_000  # directory entries, for all names of an event together
DEEP = "**"
SKIPPED = (".git", "node_modules", ".venv", "__pycache__")  # by `**`: large, and not written by the agent


class FileSearch:
    """`is_spent` means that the limit was reached: a file that was not found may still be there."""

    __slots__ = ("is_spent", "left", "root")

    def __init__(self, root: str) -> None:
        self.root = root
        self.left = MOST
        self.is_spent = False

    def has(self, name: str) -> bool:
        """A regular file; `*` is any part of a name, `**` any directories."""
        parts = [part for part in name.split("/") if part not in ("", ".")]
        once = [part for at, part in enumerate(parts) if [part, *parts[at + 1 : at + 2]] != [DEEP, DEEP]]
        return self._find(self.root, once)

    def _find(self, directory: str, parts: list[str]) -> bool:
        if not parts:
            return False
        first, rest = parts[0], parts[1:]
        if first == DEEP:
            is_here = self._find(directory, rest or ["*"])
            return is_here or any(self._find(below, parts) for below in self._below(directory))
        names = [first] if "*" not in first else [name for name in self._names(directory) if glob(first, name)]
        paths = [os.path.join(directory, name) for name in names]
        return any(self._find(path, rest) if rest else self._is_file(path) for path in paths)

    def _below(self, directory: str) -> list[str]:
        paths = [os.path.join(directory, name) for name in self._names(directory) if name not in SKIPPED]
        return [path for path in paths if os.path.isdir(path) and not os.path.islink(path)]

    def _names(self, directory: str) -> list[str]:
        names: list[str] = []
        self.left -= 1  # an empty directory costs a system call, too
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    self.left -= 1
                    if self.left < 0:
                        self.is_spent = True
                        break
                    names.append(entry.name)
        except OSError:
            return names  # not a directory, or not readable
        return sorted(names)

    def _is_file(self, path: str) -> bool:
        try:
            info = os.stat(path)
        except OSError:
            return False
        return stat.S_ISREG(info.st_mode) and files.inside(path, self.root)


RETRIES = 2


def run(state: "GateState") -> Decision | None:
    """A stop without agent_type is not a sub-agent's: a compaction sends SubagentStop, too."""
    kind = state.event.text("agent_type")
    rows = [row for row in state.settings.values.get("gate.artefacts", ()) if kind and glob(row["agent"], kind)]
    if not rows:
        return None
    wanted = list(dict.fromkeys(name for row in rows for name in row["files"]))
    search = FileSearch(state.event.project)
    missing = [name for name in wanted if not search.has(name)]
    if not missing:
        return Decision(message=f"hookkit: {kind}: found {', '.join(wanted)}.")
    if search.is_spent:
        return Decision(message=f"hookkit: {kind}: too many files to look for {', '.join(missing)}, so it may stop.")
    notes = dict.fromkeys(row["message"] for row in rows if row.get("message"))
    retry = "\n".join([f"Retry: {', '.join(missing)} is missing.", *notes])
    return _retried(kind, missing, retry, state)


def _retried(kind: str, missing: list[str], retry: str, state: "GateState") -> Decision:
    """The second request uses other words: the first ones did not help."""
    again = f"{retry}\nThis is the last time that you are asked: if it cannot be made, say why."
    gone = f"hookkit: {kind}: {', '.join(missing)} is still missing after {RETRIES} retries."
    first = state.hold("artefacts", RETRIES, retry, "")
    return first if first.verdict else state.hold("artefacts", RETRIES, again, gone)
