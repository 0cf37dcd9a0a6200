"""One file of hooks as another: the format by its name, the new text on stdout or in a new file."""

import os
import time
from typing import Annotated

from hookkit.agents.wiring import backups
from hookkit.agents.wiring import events as wiring
from hookkit.agents.wiring.settings_files import AGENTS, CLAUDE
from hookkit.cli._command import Argument, Option
from hookkit.cli._console import Output, fail, note, only_a_person, plural, sentence, stop
from hookkit.cli._view import View
from hookkit.errors import ConfigError
from hookkit.handlers import converting
from hookkit.settings import layers, reading
from hookkit.settings.formats import recognise
from hookkit.settings.hook_files import Hooks
from hookkit.system import files

MOVABLE = (".claude/settings.json", ".claude/settings.local.json")


def command(
    source: Annotated[str, Argument(metavar="FROM", help="A file with hooks.")],
    target: Annotated[
        str, Argument(metavar="TO", help="hookkit (the default), claude, codex or gemini; or a new file.")
    ] = "hookkit",
    *,
    move: Annotated[bool, Option("--move", help="Move Claude Code's hooks into hookkit.toml.")] = False,
    force: Annotated[bool, Option("--force", help="Replace the file TO; a copy of it is kept.")] = False,
) -> Output:
    """Write the hooks of one file in another format: hookkit.toml, or the settings of an agent.

    Reads hookkit.toml, cocode's hooks.toml and hooks.json, Claude Code's
    settings.json, a plugin's hooks.json, a SKILL.md, and genesis.key.

    A name of a format prints the new file. Parts that cannot be carried over
    are listed on stderr, and the exit code is 1. A file without hooks exits
    with 1 too, a file of an unknown format with 2.

    --move takes the hooks of Claude Code's settings.json out of that file and
    adds them to hookkit.toml, so that none runs twice; copies are kept.

    Example: hookkit convert .claude/settings.json

    Example: hookkit convert .claude/settings.json --move

    Example: hookkit convert hookkit.toml .gemini/settings.json
    """
    if move:
        return _move(source, target)
    form = _form(target)
    try:
        hooks = _read(source)
        text, lost = converting.write(hooks, form)
    except (LookupError, TypeError, AttributeError):
        stop(f"{source}: hookkit cannot read its hooks; see hookkit validate")
    if not hooks.data:
        _list(lost)
        fail(f"{source}: no hooks to convert")
    is_file = target not in converting.TARGETS
    if is_file:
        _put(target, text, force=force)
    value = {"format": form, "file": target if is_file else None, "text": text, "lost": lost}
    view = f"Wrote {target}: {plural(len(hooks.rows), 'handler')}.{_twice(source)}" if is_file else text.rstrip("\n")
    _list(lost)
    return Output(value, view, code=1 if lost else 0, style="green" if is_file else "")


def _twice(source: str) -> str:
    """What to do about hooks that their agent still runs from the old file."""
    movable = os.path.abspath(source).endswith(MOVABLE)
    return f" Claude Code runs them from {source}, too, until: hookkit convert {source} --move" if movable else ""


def _move(source: str, target: str) -> Output:
    """The new file is written first: between the two writes hooks run twice, not never."""
    if target != "hookkit":
        stop("--move goes to hookkit.toml: leave TO out")
    only_a_person("move hooks")
    source = os.path.abspath(source)
    if not source.endswith(MOVABLE):
        stop(f"--move is for .claude/settings.json, not {source}; hookkit convert {source} prints its hooks")
    path, root = _destination(source)
    moved, copies = _moved(source, path, root)
    if not moved.rows and not moved.present:
        _list(moved.left)
        fail(f"{source}: no hooks to move")
    names = [row["name"] for row in moved.rows]
    present = moved.present
    value = {"moved": names, "present": present, "from": source, "to": path, "copies": copies, "left": moved.left}

    def view() -> list[View]:
        _tell(path, copies, moved)
        there = sentence(f"Taken out of {source}; {path} has them already: {', '.join(present)}", "green")
        done = sentence(f"Moved {plural(len(names), 'handler')} to {path}: {', '.join(names)}", "green")
        return [*([there] if present else []), *([done] if names else [])]

    return Output(value, view, code=1 if moved.left else 0)


def _moved(source: str, path: str, root: str) -> tuple[converting.Moved, list[str]]:
    """Both files as written, and the copies of the old ones; without hooks to move, nothing is written."""
    real = {name: backups.target(name, root) for name in (path, source)}
    before = {name: backups.read(real[name]) for name in real}
    texts = {name: backups.text_of(name, data) for name, data in before.items()}
    moved = converting.Moved(source, texts[source], path, texts[path])
    if not moved.rows and not moved.present:
        return moved, []
    changed = [(name, text) for name, text in ((path, moved.target), (source, moved.source)) if text != texts[name]]
    copies = [_copy(name) for name, _ in changed if before[name] is not None]
    for name, text in changed:
        backups.make_parents(real[name])
        backups.write(real[name], before[name], text.encode())
    return moved, copies


def _tell(path: str, copies: list[str], moved: converting.Moved) -> None:
    """What is left to do for the person."""
    note(f"Copies of the old files: {', '.join(copies)}")
    for reason in moved.left:
        note(f"stays in the old file: {reason}", "yellow")
    settings = layers.load(os.path.dirname(path), dict(os.environ))
    events = {row["event"] for row in moved.rows}
    places = [*wiring.holding(AGENTS[CLAUDE], files.repository(os.path.dirname(path)), settings.environ)]
    missing = [{*wiring.unwired([place], events)} for place in places]
    if not places or set.intersection(*missing):
        note("Claude Code does not call hookkit for all of them yet. Run: hookkit init", "yellow")
    if path in settings.untrusted:
        note("They run once you have trusted them. Run: hookkit trust", "yellow")


def _destination(source: str) -> tuple[str, str]:
    """hookkit.toml of the same project, with the project; or the person's own, for settings in the home directory."""
    root = os.path.dirname(os.path.dirname(source))
    name = "hookkit.local.toml" if source.endswith(".local.json") else "hookkit.toml"
    environ = dict(os.environ)
    if os.path.realpath(root) != os.path.realpath(files.home(environ) or "/nonexistent"):
        return os.path.join(root, name), root
    return [path for layer, path in layers.layers("", environ) if layer == "user"][-1], ""


def _copy(path: str) -> str:
    copy = f"{path}.{time.strftime('%Y%m%dT%H%M%S')}.bak"
    files.keep(os.path.abspath(copy), files.read(path, reading.LIMIT))
    return copy


def _read(source: str) -> Hooks:
    text = reading.text_of(source)
    if recognise(source, text) is None:
        raise ConfigError(f"{source}: neither hookkit.toml, genesis.key, hooks.toml, settings.json nor SKILL.md")
    return converting.read(os.path.abspath(source), text)


def _list(lost: list[str]) -> None:
    for item in lost:
        note(f"not carried over: {item}", "yellow")


def _form(target: str) -> str:
    if target in converting.TARGETS:
        return target
    path = os.path.abspath(target)
    name, directory = os.path.basename(path), os.path.basename(os.path.dirname(path))
    if not name.endswith((".toml", ".json")):
        stop(f"TO is one of {', '.join(converting.TARGETS)}, or a .toml or .json file, not {target}")
    if name.endswith(".toml"):
        return "hookkit"
    by_place = {".gemini": "gemini", ".codex": "codex"}
    return by_place.get(directory) or ("codex" if name == "hooks.json" and directory != "hooks" else "claude")


def _put(path: str, text: str, *, force: bool) -> None:
    if os.path.lexists(path):
        if not force:
            stop(f"{path} exists; --force replaces it and keeps a copy")
        note(f"The old file is kept as {_copy(path)}")
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    files.keep(os.path.abspath(path), text.encode("utf-8", "replace"))
