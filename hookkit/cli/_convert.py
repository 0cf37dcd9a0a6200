"""One file of hooks as another: the format by its name, the new text on stdout or in a new file."""

import os
import time

import typer

from hookkit.checking.formats import recognise
from hookkit.cli._console import echo_json, fail, note, say, stop, write
from hookkit.engine import converting
from hookkit.errors import ConfigError
from hookkit.settings import reading
from hookkit.settings.hook_formats import Hooks
from hookkit.system import files


def convert(source: str, target: str, *, force: bool, as_json: bool) -> None:
    form = _form(target)
    try:
        hooks = _read(source)
        text, lost = converting.write(hooks, form)
    except ConfigError as error:
        stop(error)
    except (LookupError, TypeError, AttributeError):
        stop(f"{source}: hookkit cannot read its hooks; see hookkit validate")
    if not hooks.data:
        _list(lost)
        fail(f"{source}: no hooks to convert")
    is_file = target not in converting.TARGETS
    if is_file:
        _put(target, text, force=force)
    if as_json:
        echo_json({"format": form, "file": target if is_file else None, "text": text, "lost": lost})
    elif is_file:
        say(f"Wrote {target}: {len(hooks.rows)} handlers.", "green")
    else:
        write(text)
    _list(lost if not as_json else [])
    raise typer.Exit(1 if lost else 0)


def _read(source: str) -> Hooks:
    text = reading.text_of(source)
    if recognise(source, text) is None:
        raise ConfigError(f"{source}: neither hookkit.toml, genesis.key, hooks.toml, settings.json nor SKILL.md")
    return converting.read(os.path.abspath(source), text)


def _list(lost: list[str]) -> None:
    for said in lost:
        note(f"not carried over: {said}", "yellow")


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
        copy = f"{path}.{time.strftime('%Y%m%dT%H%M%S')}.bak"
        files.keep(os.path.abspath(copy), files.read(path, reading.LIMIT))
        note(f"The old file is kept as {copy}")
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    files.keep(os.path.abspath(path), text.encode("utf-8", "replace"))
