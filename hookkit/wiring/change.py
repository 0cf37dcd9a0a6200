"""One change of one settings file: planned, shown as a diff, checked, then written."""

import difflib
import os

from hookkit import registry
from hookkit.checking.formats import claude_settings
from hookkit.documents.finding import ERROR
from hookkit.documents.json_edit import JsonEditor
from hookkit.errors import ConfigError
from hookkit.wiring import command, store
from hookkit.wiring.formats import Wanted
from hookkit.wiring.launcher import Launcher
from hookkit.wiring.places import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BOM = "\ufeff"
SEEN = ("SessionStart", "UserPromptSubmit")  # replies to these events reach the person's eyes


class Change:
    """`before` and `after` are whole contents; None means no file."""

    __slots__ = ("after", "before", "path", "place")

    def __init__(self, place: Place, path: str, before: bytes | None, after: bytes | None) -> None:
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
    """The flags of `init` that shape the command lines."""

    __slots__ = ("closed", "hooks", "launcher")

    def __init__(self, launcher: Launcher, hooks: "Sequence[str]" = (), *, closed: bool = False) -> None:
        self.launcher = launcher
        self.hooks = [*hooks]
        self.closed = closed


def wanted(place: Place, options: Options) -> list[Wanted]:
    """The handlers for a file. Named hooks limit the events to those that at least one of them answers."""
    answered = {event for name in options.hooks for event in registry.find("hooks", name).EVENTS}
    made = []
    for event, seconds in place.agent.events.items():
        if options.hooks and event not in answered:
            continue
        words = [command.DEFAULT]
        words += ["--hooks", ",".join(options.hooks)] if options.hooks else []
        gone = _when_gone(place, event, options)
        words += ["--on-error", "deny"] if gone == command.CLOSED else []
        line = command.line(options.launcher, words, gone=gone, shared=place.is_shared)
        made.append(Wanted(event, line, seconds * place.agent.unit))
    return made


def _when_gone(place: Place, event: str, options: Options) -> str:
    if options.closed and event in place.agent.guards:
        return command.CLOSED
    return command.LOUD if event in (*place.agent.guards, *SEEN) else command.QUIET


def to_wire(place: Place, options: Options) -> Change:
    """The file with hookkit. Raises for a file that the agent could not read, before or after the change."""
    path = store.target(place.path, place.root)
    before = store.read(path)
    text = store.text_of(path, before)
    new = registry.find("wiring/formats", place.agent.form).wire(path, text, wanted(place, options))
    _check(place, path, text, new)
    return Change(place, path, before, new.encode())


def to_unwire(place: Place, environ: dict[str, str]) -> Change:
    """The file as it was before `init`, if nothing else has changed, else without our handlers."""
    path = store.target(place.path, place.root)
    before = store.read(path)
    if before is None:
        return Change(place, path, None, None)
    is_ours, original = store.Record(environ, path).original(before)
    if is_ours:
        return Change(place, path, before, original)
    text = store.text_of(path, before)
    new = registry.find("wiring/formats", place.agent.form).strip(path, text, "")
    return Change(place, path, before, new.encode())


def _check(place: Place, path: str, old: str, new: str) -> None:
    """A change must not add a mistake that the agent rejects."""
    if place.agent.name != "claude":
        return
    if old.strip():
        JsonEditor(path, old)  # raises: Claude Code reads no comments
    known = {each.message for each in claude_settings.examine(path, old or "{}").findings}
    for each in claude_settings.examine(path, new.removeprefix(BOM)).findings:
        if each.severity == ERROR and each.message not in known:
            raise ConfigError(f"{each}; nothing was written")


def apply(change: Change, environ: dict[str, str]) -> str:
    """Write the change; the return value is the path of the backup, or nothing."""
    record = store.Record(environ, change.path)
    if change.after is None:
        made = record.load().get("made")
        backup = record.back_up(change.before)
        store.delete(change.path, [each for each in made if isinstance(each, str)] if isinstance(made, list) else [])
        record.forget()
        return backup
    made = store.make_parents(change.path)
    backup = record.keep(change.before, change.after, made)
    store.write(change.path, change.before, change.after)
    return backup


def revert(change: Change, environ: dict[str, str]) -> str:
    """Write the file without hookkit, and forget its original."""
    if change.after is None:
        return apply(change, environ)
    record = store.Record(environ, change.path)
    backup = record.back_up(change.before)
    store.write(change.path, change.before, change.after)
    record.forget()
    return backup
