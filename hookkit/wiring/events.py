"""Events that a handler of the person asks for, added to a settings file that has hookkit already.

`init` would write every line anew, by the flags of this call. Here all other lines stay as they are.
"""

import os
import re

from hookkit import registry
from hookkit.wiring import store
from hookkit.wiring.change import Change
from hookkit.wiring.formats import Wanted, Wired
from hookkit.wiring.places import SCOPES, SettingsPlace, here, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

ADDING = ("claude", "copilot", "cursor")  # forms whose `wire` leaves other events alone
LIMIT = re.compile(r" --limit[ =]\d+")
ONLY = "--hooks"  # the person chose the hooks of the line


def places(project: str, environ: dict[str, str]) -> "Iterator[SettingsPlace]":
    """The settings files of the agents here that hold hookkit."""
    for agent in here(environ):
        for scope in SCOPES:
            found = place(agent, scope, project, environ)
            if found is not None and any(os.path.isfile(path) for path in found.paths()) and _own(found):
                yield found


def unwired(found: SettingsPlace, handled: "Collection[str]") -> list[str]:
    """The agent's events that a handler asks for, and that no line of hookkit in the file is about."""
    wired = {row.event for row in _own(found)}
    return [name for name in found.agent.events(handled) if name not in wired and found.agent.meaning(name) in handled]


def to_add(found: SettingsPlace, names: list[str]) -> Change | None:
    """The file with these events too; None for a form that cannot take a single line, or lines with hooks of choice."""
    if found.form not in ADDING:
        return None
    path = store.target(found.path, found.root)
    before = store.read(path)
    model = _model(found)
    if before is None or model is None or ONLY in (model.command, *(model.arguments or ())):
        return None
    limits = found.agent.events([found.agent.meaning(name) for name in names])
    words = _words(model.arguments or [])
    line = LIMIT.sub("", model.command)
    wanted = [Wanted(name, line, limits[name], words, shell=model.arguments is None) for name in names]
    new = registry.find("wiring/formats", found.form).wire(path, store.text_of(path, before), wanted)
    return Change(found, path, before, new.encode())


def _own(found: SettingsPlace) -> list[Wired]:
    form = registry.find("wiring/formats", found.form)
    rows: list[Wired] = []
    for path in found.paths():
        real = store.target(path, found.root)
        rows += form.entries(real, store.text_of(real, store.read(real)))
    return [row for row in rows if row.is_ours]


def _model(found: SettingsPlace) -> Wired | None:
    """The shortest handler of hookkit in the file: it refuses nothing and tells nothing if hookkit is gone."""
    return min(_own(found), key=lambda row: (len(row.command), len(row.arguments or ())), default=None)


def _words(arguments: list[str]) -> list[str]:
    """The words of a handler without its time limit and without the refusal of calls."""
    words = list(arguments)
    for option in ("--limit", "--on-error"):
        if option in words:
            place = words.index(option)
            del words[place : place + 2]
    return words
