"""Showing and changing settings of hookkit.toml."""

import os
from typing import Annotated, Any

from hookkit.agents.wiring import backups, events
from hookkit.cli._command import Argument, Option, free_text
from hookkit.cli._console import Output, note, only_a_person, sentence, stop, warn, warn_each
from hookkit.cli._here import home_path
from hookkit.cli._view import Table, Text
from hookkit.cli.hook import unwire, wire
from hookkit.errors import HookkitError
from hookkit.settings import answers, layers, sources
from hookkit.settings.documents.finding import ERROR
from hookkit.settings.formats import hookkit_toml
from hookkit.settings.keys import BY_NAME, OLDER, Key
from hookkit.settings.mistakes import likely
from hookkit.system import files

FLAGS = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
NUMBERS = {"count": int, "amount": float, "seconds": float}
LISTS = ("texts", "choices")
ALL = "all"  # of a list of choices
TEXTS = ("text", "any text", "approval")
WIDEST = 16  # columns of a value in a list of settings
TRUST = "It applies for each person once they have run: hookkit trust"


@free_text
def command(
    key: Annotated[str, Argument(metavar="KEY", help="A setting, such as undo.enabled, or a section: undo.")] = "",
    value: Annotated[
        list[str] | None, Argument(metavar="VALUE", help="Its value; for a list also +ITEM or -ITEM.")
    ] = None,
    *,
    project: Annotated[bool, Option("--project", help="In this project's hookkit.toml.")] = False,
    user: Annotated[bool, Option("--user", help="In your own hookkit.toml: the default.")] = False,
    everything: Annotated[bool, Option("--all", help="List every setting.")] = False,
) -> Output:
    """Change a setting in hookkit.toml: comments stay, a mistake is refused, the old file is backed up.

    Without a value it shows the setting, or the settings of a section; without a key, those that you have changed.

    Exits 1 if an agent runs this to change something, 2 for a wrong setting or value.

    Example: hookkit set shield.enabled true

    Example: hookkit set policy.off +delete.home
    """
    return _run(key, value or [], project=project and not user, everything=everything)


def _run(name: str, words: list[str], *, project: bool, everything: bool) -> Output:
    environ = dict(os.environ)
    here = files.repository(os.getcwd())
    settings = layers.load(here, environ)
    of_section = [key for key in BY_NAME.values() if key.name.startswith(f"{name}.")]
    if everything or (of_section and not words and name not in BY_NAME):
        return _listed(of_section if name else [*BY_NAME.values()], settings)
    if not name:
        return _changed(settings)
    key = BY_NAME.get(name)
    if name in OLDER:
        stop(f"{name} is now a part of {_newer(name)}")
    if key is None:
        stop(f"no setting {name}: {likely(name)}")
    if not words:
        return _setting(key, settings)
    only_a_person("change settings", at_terminal=False)
    path = os.path.join(here, backups.SETTINGS) if project else backups.person_settings(settings.environ)
    before = {*events.lacks(settings, here)}
    value = _change(path, here if project else "", key, words, settings.environ)
    settings = layers.load(here, environ)
    warn_each(events.lacks(settings, here), before)
    for setting, why, fix in sources.idle(settings, [name]):
        warn(f"{sources.says_idle(setting, why)}; {fix}")
    _rewire(name, settings, here, project=project)
    text = f"{name} = {_written(value)} in {home_path(path, settings.environ)}"
    view = [sentence(text, "green"), *([sentence(TRUST)] if project and key.trust else [])]
    return Output({"key": name, "value": value, "file": path}, view)


def _rewire(name: str, settings: layers.Settings, here: str, *, project: bool) -> None:
    """The event that only hints need. Other projects may need it, whatever this project's own file says."""
    if answers.BATCH in answers.wired(settings):
        changes, word = wire(answers.BATCH, here, settings.environ), "now calls"
    elif name == answers.HINTS and not project:
        changes, word = unwire(answers.BATCH, here, settings.environ), "no longer calls"
    else:
        return
    for rewired in changes:
        note(f"{rewired.place.agent.title} {word} hookkit on {answers.BATCH}: {rewired.path}. Restart the agent.")


def _newer(name: str) -> str:
    """The command that does what the older setting did."""
    new, meanings = OLDER[name]
    sign = "+" if BY_NAME[new].kind == "choices" else ""
    return f"{new}: hookkit set {new} {sign}{next(iter(meanings.values()))}"


def _changed(settings: layers.Settings) -> Output:
    values = {name: settings.values[name] for name in BY_NAME if name in settings.values}
    if not values:
        return Output(values, "All settings have their defaults. Change one: hookkit set shield.enabled true")
    rows = Table("setting", "value")
    for name, value in values.items():
        rows.add(name, _written(value))
    return Output(values, rows)


def _listed(keys: list[Key], settings: layers.Settings) -> Output:
    rows = Table("setting", "value", "what it is", whole=("setting",))
    for key in keys:
        rows.add(key.name, Text(_written(settings.value(key.name, in_run=True))).fit(WIDEST), key.about)
    return Output({key.name: settings.value(key.name, in_run=True) for key in keys}, rows)


def _setting(key: Key, settings: layers.Settings) -> Output:
    value = settings.value(key.name, in_run=True)
    options = f" One of: {', '.join(key.options)}." if key.options else ""
    about = f"{key.about[0].upper()}{key.about[1:]}.{options} By default {_written(key.run_default)}."
    facts = {"key": key.name, "value": value, "default": key.run_default, "about": key.about}
    return Output(facts, [sentence(f"{key.name} = {_written(value)}"), sentence(about, "dim")])


def _change(path: str, root: str, key: Key, words: list[str], environ: dict[str, str]) -> Any:
    """Write the new value and return it. The file is checked before it is written."""
    import tomlkit  # late: only a change needs it
    import tomlkit.exceptions

    try:
        real = backups.target(path, root)
        before = backups.read(real)
        text = backups.text_of(real, before)
        document = tomlkit.parse(text)
        section, _, field = key.name.rpartition(".")
        holder: Any = document.setdefault(section, tomlkit.table()) if section else document
        older = _take_older(key, document)
        present = _choices(key, [*holder.get(field, ()), *older]) if key.kind in LISTS else []
        holder[field] = value = parsed(key, words, present)
        _check_rules(key, [word for word in value if word not in present] if key.name == "policy.off" else [])
        after = tomlkit.dumps(document)
    except (HookkitError, tomlkit.exceptions.TOMLKitError, TypeError, AttributeError) as error:
        stop(f"{path}: {error}")
    known = {finding.message for finding in hookkit_toml.examine(real, text).findings}
    for finding in hookkit_toml.examine(real, after).findings:
        if finding.severity == ERROR and finding.message not in known:
            stop(f"{finding}; nothing was written")
    if after.encode() != before:
        backups.make_parents(real)
        backups.Record(environ, real).back_up(before)
        backups.write(real, before, after.encode(), 0o644 if root else 0o600)
    return value


def _check_rules(key: Key, added: list[str]) -> None:
    """A wrong name would switch nothing off, and its person would believe that it did."""
    if not added:
        return
    from hookkit.policy.rules import unknown_names  # late: it loads the shipped policy

    strange = unknown_names(added)
    if strange:
        stop(f"{key.name}: there is no rule {strange[0]}; {sources.similar_rule(strange[0])}; nothing was written")


def _choices(key: Key, present: list[str]) -> list[str]:
    """The words of a list, with `all` spelled out: one of them may be taken away."""
    return [word for word in key.options if word != ALL] if key.kind == "choices" and ALL in present else present


def _take_older(key: Key, document: Any) -> list[str]:
    """The words of older settings that this one has replaced; they leave the file."""
    taken = []
    for older, (new, meanings) in OLDER.items():
        section, _, field = older.partition(".")
        if new == key.name and field in document.get(section, {}):
            taken.append(meanings.get(document[section].pop(field), ""))
    return [word for word in dict.fromkeys(taken) if word]


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
