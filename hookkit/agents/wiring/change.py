"""A change of a settings file: planned, shown as a diff, checked, then written."""

import difflib
import os

from hookkit import registry
from hookkit.agents.wiring import backups, json_forms, launcher
from hookkit.agents.wiring.launcher import Launcher, Wanted
from hookkit.agents.wiring.settings_files import AGENTS, CLAUDE, Agent, SettingsPlace
from hookkit.errors import ConfigError
from hookkit.settings import answers
from hookkit.settings.documents.finding import ERROR
from hookkit.settings.documents.json_text import JsonEditor
from hookkit.settings.formats import claude_settings
from hookkit.system import user_programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BOM = "\ufeff"
SEEN = ("SessionStart", "UserPromptSubmit")  # replies to these events reach the person's eyes


class Change:
    """`before` and `after` are whole contents; None means no file."""

    __slots__ = ("after", "before", "path", "place")

    def __init__(self, place: SettingsPlace, path: str, before: bytes | None, after: bytes | None) -> None:
        self.place = place
        self.path = path
        self.before = before
        self.after = after

    @property
    def is_empty(self) -> bool:
        return self.before == self.after

    def diff(self) -> str:
        old, new = (_lines(data) for data in (self.before, self.after))
        names = [self.path if data is not None else os.devnull for data in (self.before, self.after)]
        return "".join(difflib.unified_diff(old, new, names[0], names[1]))


def _lines(data: bytes | None) -> list[str]:
    lines = (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]


class Options:
    """Flags of `init` for the command lines; `script` is the path of the launcher script."""

    __slots__ = ("closed", "hooks", "launcher", "needs", "script")

    def __init__(
        self, program: Launcher, script: str, hooks: "Sequence[str]" = (), *, closed: bool = False, warm: bool = False
    ) -> None:
        self.launcher = program.warm() if warm else program
        self.script = script
        self.hooks = [*hooks]
        self.closed = closed
        self.needs: dict[str, float] = {}  # seconds of the user's own handlers, by each event that has any

    def limit(self, event: str) -> int:
        """Seconds for an event if its handlers need more than usual, else 0."""
        seconds = self.needs.get(event, 0.0)
        return user_programs.limit_for(seconds) if seconds > user_programs.time_limit(event, {}) else 0


def wanted(place: SettingsPlace, options: Options) -> list[Wanted]:
    """The handlers for a file. If `options` names hooks, only events of these hooks get a handler."""
    answered = {event for name in options.hooks for event in registry.find("hooks", name).EVENTS}
    made = []
    for event, limit in place.agent.events(options.needs).items():
        if options.hooks and place.agent.meaning(event) not in answered:
            continue
        words = [launcher.DEFAULT]
        words += ["--agent", place.agent.name] if place.agent.name != CLAUDE else []
        words += ["--hooks", ",".join(options.hooks)] if options.hooks else []
        longer = options.limit(place.agent.meaning(event))
        name, unit, _ = place.agent.module.TIMEOUT
        words += ["--limit", str(longer)] if longer and name else []
        words += launcher.CLOSED_WORDS if options.closed and place.agent.is_guard(event) else ()
        words += [launcher.LATER] if event in answers.LATER and _stores(place) else []
        seconds = longer * unit if longer and name else limit
        made.append(_handler(place, event, words, seconds, options.script))
    return made


def _stores(place: SettingsPlace) -> bool:
    """Whether events go through the launcher script, which can store them for later."""
    return place.agent.name == CLAUDE and not place.is_shared


def _handler(place: SettingsPlace, event: str, words: list[str], seconds: int, script: str) -> Wanted:
    """Claude Code starts the launcher without a shell; a shared file holds no path of a person."""
    blocks = place.agent.name == CLAUDE and launcher.is_closed(words)
    if place.is_shared:
        line = launcher.shared_line(words, loud=is_loud(place.agent, event))
        return Wanted(event, line, seconds, words, blocks=blocks)
    if place.agent.name == CLAUDE:
        return Wanted(event, script, seconds, words, shell=False, blocks=blocks)
    return Wanted(event, launcher.line(script, words), seconds, words)


def is_loud(agent: Agent, event: str) -> bool:
    """Whether a missing hookkit is told on this event: a person sees the reply, or a call goes unchecked."""
    return agent.is_guard(event) or agent.meaning(event) in SEEN


def launcher_text(program: Launcher, environ: dict[str, str]) -> str:
    """The launcher script, for the events of all agents and the directories of this person."""
    loud = {event for agent in AGENTS.values() for event in agent.events() if is_loud(agent, event)}
    return program.script(sorted(loud), launcher.places(environ))


def to_wire(place: SettingsPlace, options: Options) -> list[Change]:
    """The files with hookkit. Raises if the agent could not read a file, before or after the change."""
    changes = []
    for path, rows in _parts(place, wanted(place, options)):
        real = backups.target(path, place.root)
        before = backups.read(real)
        text = backups.text_of(real, before)
        new = place.agent.wire(real, text, rows)
        if place.agent.name == CLAUDE and answers.BATCH not in options.needs:
            # an earlier version wired it
            new = json_forms.strip_groups(place.agent.module, real, new, text, only=answers.BATCH)
        _check(place, real, text, new)
        changes.append(Change(place, real, before, new.encode()))
    return changes


def _parts(place: SettingsPlace, rows: list[Wanted]) -> "list[tuple[str, list[Wanted]]]":
    """Each file of the place with its handlers: a single file with all handlers, or a file for each event."""
    if not place.is_directory:
        return [(place.path, rows)]
    return [(os.path.join(place.path, row.event), [row]) for row in rows]


def to_unwire(place: SettingsPlace, environ: dict[str, str]) -> list[Change]:
    """The original files from before `init`. A file with later changes only loses our handlers."""
    return [_unwired(place, backups.target(path, place.root), environ) for path in place.paths()]


def _unwired(place: SettingsPlace, path: str, environ: dict[str, str]) -> Change:
    before = backups.read(path)
    if before is None:
        return Change(place, path, None, None)
    is_ours, original = backups.Record(environ, path).original(before)
    had_ours = original is not None and any(entry.is_ours for entry in place.agent.entries(path, original.decode()))
    if is_ours and not had_ours:
        return Change(place, path, before, original)
    new = place.agent.strip(path, backups.text_of(path, before))
    is_gone = not new and bool(before)  # the file held only hookkit's handlers
    return Change(place, path, before, None if is_gone else new.encode())


def _check(place: SettingsPlace, path: str, old: str, new: str) -> None:
    """Raise if the change adds an error and the agent would reject the file."""
    if place.agent.name != CLAUDE:
        return
    if old.strip():
        JsonEditor(path, old)  # raises: Claude Code reads no comments
    present = claude_settings.examine(path, old or "{}").findings
    for entry in present:
        if claude_settings.skips_file(entry):
            raise ConfigError(f"{entry}; Claude Code skips this whole file until that is mended. Nothing was written")
    before = {entry.message for entry in present}
    for entry in claude_settings.examine(path, new.removeprefix(BOM)).findings:
        if entry.severity == ERROR and entry.message not in before:
            raise ConfigError(f"{entry}; nothing was written")


def apply(change: Change, environ: dict[str, str]) -> str:
    """Write the change; return the path of the backup, or an empty text."""
    record = backups.Record(environ, change.path)
    if change.after is None:
        listed = record.load().get("made")
        made = [path for path in listed if isinstance(path, str)] if isinstance(listed, list) else []
        backup = record.back_up(change.before)
        backups.delete(change.path, made)
        record.forget()
        return backup
    made = backups.make_parents(change.path)
    backup = record.keep(change.before, change.after, made)
    backups.write(change.path, change.before, change.after, change.place.mode)
    return backup


def revert(change: Change, environ: dict[str, str]) -> str:
    """Write the file without hookkit, and forget its original."""
    if change.after is None:
        return apply(change, environ)
    record = backups.Record(environ, change.path)
    backup = record.back_up(change.before)
    backups.write(change.path, change.before, change.after)
    record.forget()
    return backup
