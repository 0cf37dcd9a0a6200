"""Showing and changing settings of hookkit.toml."""

import os
from typing import Any

from hookkit.checking.formats import hookkit_toml
from hookkit.cli._console import Text, console, echo_json, fail, report, say, stop, table
from hookkit.cli._plan import short
from hookkit.documents.finding import ERROR
from hookkit.errors import ConfigError, HookkitError
from hookkit.settings import layers
from hookkit.settings.keys import BY_NAME, Key
from hookkit.system import agents, files
from hookkit.system.suggestions import did_you_mean
from hookkit.wiring import person_settings, store

AGENT = "an agent runs this, and only a person can change settings: run it in a terminal of your own"
FLAGS = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
NUMBERS = {"count": int, "amount": float, "seconds": float}
LISTS = ("texts",)
TEXTS = ("text", "any text", "approval")


def run(name: str, words: list[str], *, project: bool, as_json: bool) -> None:
    environ = dict(os.environ)
    here = files.repository(os.getcwd())
    settings = _loaded(here, environ)
    if not name:
        _show_changed(settings, as_json=as_json)
        return
    key = BY_NAME.get(name)
    if key is None:
        fix = did_you_mean(name, [*BY_NAME], 0.6) or "hookkit set shows what you have changed"
        stop(f"no setting {name}: {fix}")
    if not words:
        _show(key, settings, as_json=as_json)
        return
    if agents.agent(environ):
        fail(AGENT)
    path = os.path.join(here, person_settings.NAME) if project else person_settings.path(settings.environ)
    value = _change(path, here if project else "", key, words, settings.environ)
    said = f"{name} = {_written(value)} in {short(path, settings.environ)}"
    report(said, {"key": name, "value": value, "file": path}, as_json=as_json, style="green")
    if project and key.trust and not as_json:
        say("It counts for each person once they have run: hookkit trust")


def _loaded(project: str, environ: dict[str, str]) -> layers.Settings:
    try:
        return layers.load(project, environ)
    except ConfigError as error:
        stop(error)


def _show_changed(settings: layers.Settings, *, as_json: bool) -> None:
    values = {name: settings.values[name] for name in BY_NAME if name in settings.values}
    if as_json:
        echo_json(values)
        return
    if not values:
        say("All settings have their defaults. Change one: hookkit set undo.enabled true")
        return
    rows = table("setting", "value")
    for name, value in values.items():
        rows.add_row(name, Text(_written(value)))
    console().print(rows)


def _show(key: Key, settings: layers.Settings, *, as_json: bool) -> None:
    value = settings.value(key.name, in_run=True)
    if as_json:
        echo_json({"key": key.name, "value": value, "default": key.run_default, "about": key.about})
        return
    say(f"{key.name} = {_written(value)}")
    options = f" One of: {', '.join(key.options)}." if key.options else ""
    say(f"{key.about[0].upper()}{key.about[1:]}.{options} By default {_written(key.run_default)}.", "dim")


def _change(path: str, root: str, key: Key, words: list[str], environ: dict[str, str]) -> Any:
    """Write the new value and return it. The file is checked before it is written."""
    import tomlkit  # late: only a change needs it
    import tomlkit.exceptions

    try:
        real = store.target(path, root)
        before = store.read(real)
        text = store.text_of(real, before)
        document = tomlkit.parse(text)
        section, _, field = key.name.rpartition(".")
        holder: Any = document.setdefault(section, tomlkit.table()) if section else document
        holder[field] = value = parsed(key, words, [*holder.get(field, [])] if key.kind in LISTS else [])
        after = tomlkit.dumps(document)
    except (HookkitError, tomlkit.exceptions.TOMLKitError, TypeError, AttributeError) as error:
        stop(f"{path}: {error}")
    known = {finding.message for finding in hookkit_toml.examine(real, text).findings}
    for finding in hookkit_toml.examine(real, after).findings:
        if finding.severity == ERROR and finding.message not in known:
            stop(f"{finding}; nothing was written")
    if after.encode() != before:
        store.make_parents(real)
        store.Record(environ, real).back_up(before)
        store.write(real, before, after.encode(), 0o644 if root else 0o600)
    return value


def parsed(key: Key, words: list[str], present: list[str]) -> Any:
    """The value of the words on the command line, by the kind of the setting."""
    text = " ".join(words)
    if key.kind == "flag":
        if text.lower() not in FLAGS:
            stop(f"{key.name} takes true or false, not {text!r}")
        return FLAGS[text.lower()]
    if key.kind in NUMBERS:
        try:
            return NUMBERS[key.kind](text)
        except ValueError:
            stop(f"{key.name} takes a number, not {text!r}")
    if key.kind in LISTS:
        return _list(words, present)
    if key.kind not in TEXTS:
        stop(f"{key.name} has rows: write them in hookkit.toml yourself (hookkit validate checks them)")
    if key.options and text not in key.options:
        stop(f"{key.name} takes {', '.join(key.options)}, not {text!r}")
    return text


def _list(words: list[str], present: list[str]) -> list[str]:
    """`+a` adds, `-a` removes, plain words replace the list."""
    plain = [word for word in words if word[:1] not in ("+", "-")]
    items = plain or present
    for word in words:
        if word[:1] == "+" and word[1:] not in items:
            items = [*items, word[1:]]
        elif word[:1] == "-":
            items = [item for item in items if item != word[1:]]
    return items


def _written(value: Any) -> str:
    """The value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, str):
        return f'"{value}"'
    return str(value) if not isinstance(value, dict) else f"{{{', '.join(value)}}}"
