"""`hookkit doctor`: whether hooks really fire, in the eyes of each agent, and how to fix them if not.

Here is what a check gets and returns: the machine's setup, problems, and how they are mended. Each file beside this one
is a theme; its `check(setup)` yields problems, and reads only the setup, files and the ledger. A room above this one
brings its own file `doctor.py`. A problem has a stable id, a place and its fix; some carry the change for `--fix`.
Prints nothing.
"""

import os

from hookkit import registry
from hookkit.agents.wiring import backups, change, launcher, settings_files
from hookkit.agents.wiring.launcher import Wired
from hookkit.agents.wiring.settings_files import CLAUDE, Agent, SettingsPlace
from hookkit.errors import HookkitError
from hookkit.settings import answers, layers
from hookkit.settings.documents.json_text import JsonEditor
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Mend = Callable[[str], str]  # the text of the file → the text without the problem

CHECKS = "agents/doctor"
QUICK = (*((CHECKS, name) for name in ("wiring", "surroundings")), ("server", "doctor"))  # folder and module
ORDER = (*QUICK, (CHECKS, "liveness"))  # the transcripts of past sessions are read last
LIVE = (CHECKS, "live")
ROUNDS = 100  # most changes in a run of --fix
MANAGED = "/etc/claude-code/managed-settings.json"
SERIOUS, WARNING, NOTE = "serious", "warning", "note"  # serious: calls pass unchecked


class Problem:
    """`id` never changes between releases. `mend` changes the text of `file`; without `mend` a person must act."""

    __slots__ = ("column", "file", "fix", "id", "line", "mend", "message", "severity")

    def __init__(
        self,
        id_: str,
        severity: str,
        message: str,
        fix: str = "",
        *,
        file: str = "",
        place: tuple[int, int] = (0, 0),
        mend: "Mend | None" = None,
    ) -> None:
        self.id = id_
        self.severity = severity
        self.message = message
        self.fix = fix
        self.file = file
        self.line, self.column = place
        self.mend = mend

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


class SettingsFile:
    """An existing settings file. `problem` says why the agent cannot read the file."""

    __slots__ = ("entries", "path", "place", "problem", "text")

    def __init__(self, place: SettingsPlace, path: str) -> None:
        self.place = place
        self.path = path
        self.text = self.problem = ""
        self.entries: list[Wired] = []
        try:
            self.text = backups.text_of(path, backups.read(path))
            self.entries = place.agent.entries(path, self.text)
        except HookkitError as error:
            self.problem = str(error)
        except OSError as error:
            self.problem = f"{path}: {error.strerror}"

    def remark(
        self,
        id_: str,
        severity: str,
        message: str,
        fix: str,
        place: tuple[int, int] = (0, 0),
        mend: "Mend | None" = None,
    ) -> Problem:
        """A problem of this file, or of a place in it."""
        return Problem(id_, severity, message, fix, file=self.path, place=place, mend=mend)

    def ours(self) -> list[Wired]:
        return [entry for entry in self.entries if entry.is_ours]


class Setup:
    """The input of all checks. Checks never write."""

    def __init__(self, environ: dict[str, str], directory: str, agents: "list[Agent] | None" = None) -> None:
        self.project = files.repository(os.path.abspath(directory))
        self.settings = layers.load(self.project, environ)
        self.environ = self.settings.environ
        self.needs = answers.wired(self.settings)
        self.agents = agents or self._agents()
        self.script = launcher.path(self.environ)
        wired = launcher.read(self.script)
        self.launcher = launcher.find().warm() if wired is not None and wired.is_warm else launcher.find()
        self.files = [file for agent in self.agents for file in self._files(agent)]

    def _agents(self) -> list[Agent]:
        """The agents of this machine, and those that the project has settings for."""
        known = settings_files.AGENTS.values()
        return [agent for agent in known if agent.is_here(self.environ) or self._has_settings(agent)]

    def _has_settings(self, agent: Agent) -> bool:
        inside = [settings_files.place(agent, scope, self.project, self.environ) for scope in settings_files.SCOPES[1:]]
        return any(os.path.isfile(path) for place in inside if place is not None for path in place.paths())

    def _files(self, agent: Agent) -> "Iterator[SettingsFile]":
        for scope in settings_files.SCOPES:
            place = settings_files.place(agent, scope, self.project, self.environ)
            if place is not None:
                yield from (SettingsFile(place, path) for path in place.paths() if os.path.isfile(path))
        if agent.name == CLAUDE and os.path.isfile(MANAGED):
            yield SettingsFile(SettingsPlace(agent, "managed", MANAGED, ""), MANAGED)

    def of(self, agent: Agent) -> list[SettingsFile]:
        return [file for file in self.files if file.place.agent.name == agent.name]

    def wired(self) -> "Iterator[tuple[SettingsFile, Wired]]":
        """Every handler of hookkit, with its file."""
        for file in self.files:
            for entry in file.ours():
                yield file, entry


JSON = ("groups", "flat")  # forms for JsonEditor


def rewired(setup: Setup, file: SettingsFile) -> "Mend | None":
    """The same as `hookkit init` for this file: the pinned command on every event."""
    if file.place.scope == "managed":
        return None
    options = change.Options(setup.launcher, setup.script)
    options.needs = setup.needs

    def mend(text: str) -> str:
        if not file.place.is_shared:
            launcher.write(options.script, change.launcher_text(options.launcher, setup.environ))
        return file.place.agent.wire(file.path, text, change.wanted(file.place, options))

    return mend


def written(file: SettingsFile, entry: Wired, field: str, value: "Any") -> "Mend | None":
    """Another value for a field of a handler, or a further field."""

    def write(editor: JsonEditor) -> None:
        if field in entry.fields:
            editor.replace((*entry.path, field), value)
        else:
            editor.add(entry.path, field, value)

    return _edited(file, write)


def without(file: SettingsFile, path: "tuple[str | int, ...]") -> "Mend | None":
    """The file without a field of a handler or of its group."""
    return _edited(file, lambda editor: editor.remove(path))


def _edited(file: SettingsFile, edit: "Callable[[JsonEditor], object]") -> "Mend | None":
    if file.place.form not in JSON or file.place.scope == "managed":
        return None

    def mend(text: str) -> str:
        editor = JsonEditor(file.path, text, comments=True)
        edit(editor)
        return editor.text

    return mend


def problems(setup: Setup, *, live: bool, tell: "Callable[[str], object]" = len) -> list[Problem]:
    """`tell` gets the name of each check before it runs."""
    rows: list[Problem] = []
    for folder, name in [*ORDER, LIVE] if live else ORDER:
        tell(name if folder == CHECKS else folder)
        rows += registry.find(folder, name).check(setup)
    return rows


def mend(environ: dict[str, str], directory: str, agents: list[Agent]) -> list[tuple[Problem, str]]:
    """Apply the changes in turn and repeat the checks after each change; return each problem with its backup."""
    done: list[tuple[Problem, str]] = []
    tried: set[tuple[str, str, str]] = set()
    for _ in range(ROUNDS):
        rows = [row for row in problems(Setup(environ, directory, agents), live=False) if row.mend is not None]
        problem = next((row for row in rows if (row.id, row.file, row.message) not in tried), None)
        if problem is None:
            break
        tried.add((problem.id, problem.file, problem.message))
        backup = _apply(environ, problem)
        if backup:
            done.append((problem, backup))
    return done


def _apply(environ: dict[str, str], problem: Problem) -> str:
    """Write the mended file; a backup is kept, and `uninit` still knows the original."""
    path = backups.target(problem.file, "")
    before = backups.read(path)
    if before is None or problem.mend is None:
        return ""
    after = problem.mend(backups.text_of(path, before)).encode()
    if after == before:
        return ""
    record = backups.Record(environ, path)
    backup = record.back_up(before)
    record.follow(before, after)
    backups.write(path, before, after)
    return backup
