"""What the settings ask of an agent: events that it has to send, and parts of an answer that it has to read.

An event that a handler asks for is added to a settings file that has hookkit already. `init` would write every line
anew, by the flags of this call; here all other lines stay as they are.
"""

import os
import re

from hookkit.agents.wiring import backups, json_forms
from hookkit.agents.wiring.change import Change
from hookkit.agents.wiring.launcher import Wanted, Wired
from hookkit.agents.wiring.settings_files import AGENTS, CLAUDE, SCOPES, Agent, SettingsPlace, here, place
from hookkit.model import Event
from hookkit.settings import hook_rows, sources
from hookkit.system import user_programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import Any

    from hookkit.settings.layers import Settings
    from hookkit.settings.sources import Lack


ADDING, DROPPING = ("groups", "flat"), "groups"  # forms whose `wire` and `strip` leave other events alone
LIMIT = re.compile(r" --limit[ =](\d+)")
ONLY = "--hooks"  # the person chose the hooks of the line
INIT = "run: hookkit init"
SEE = "see docs/agents.md"
SCREEN = (
    ("statusline.command", "statusLine", "hookkit statusline"),
    ("suggest_files.command", "fileSuggestion", "hookkit suggest-files"),
)


def lacks(settings: "Settings", project: str, agents: "Iterable[Agent] | None" = None) -> "Iterator[Lack]":
    """Everything that is configured and has no live source, with the way out: the one check of all commands."""
    yield from sources.lacks(settings)
    yield from unheard(settings, project, agents)


def unheard(settings: "Settings", project: str, agents: "Iterable[Agent] | None" = None) -> "Iterator[Lack]":
    """The part of it that depends on the agents that have hookkit in their settings."""
    if not sources.ask_agents(settings):
        return
    yield from _targets(settings, project)
    yield from _screen(settings, project)
    for agent in here(settings.environ) if agents is None else agents:
        files = [*holding(agent, project, settings.environ)]
        if files:
            yield from unread(agent, settings, project)
            yield from _unheard_by(agent, files, settings, project)


def _unheard_by(agent: Agent, files: list[SettingsPlace], settings: "Settings", project: str) -> "Iterator[Lack]":
    """Handlers whose events the agent does not send, and handlers that it would end early."""
    silent = unwired(files, _handled(settings, project))
    if silent:
        meant = ", ".join(map(agent.meaning, silent))
        yield f"{agent.title} does not call hookkit on {', '.join(silent)}, so your handlers of {meant} never run", INIT
    needs = hook_rows.needs(_rows(settings, project))
    rows = {row.event: row for file in files for row in hookkit_entries(file)}
    yield from filter(None, (short_limit(agent, row, needs) for row in rows.values()))


def _targets(settings: "Settings", project: str) -> "Iterator[Lack]":
    """Keywords for a command or an agent that is not there: `run` nudges to existing ones alone."""
    words = settings.values.get("nudge.keywords", {})
    if not words or settings.value("nudge.targets", in_run=True) != "existing":
        return
    from hookkit.prompts import nudges  # late: few people have keywords

    roots = nudges.config_dirs(Event("UserPromptSubmit", {"cwd": project}), settings)
    for word, target in words.items():
        if not nudges.exists(target, roots):
            yield f"nudge.keywords: {word} has no effect: there is no {target} under .claude", "correct the name"


def _screen(settings: "Settings", project: str) -> "Iterator[Lack]":
    """Commands of the person that only a line in Claude Code's own settings calls."""
    files = [place(AGENTS[CLAUDE], scope, project, settings.environ) for scope in SCOPES]
    for name, key, line in SCREEN:
        if settings.values.get(name):
            texts = [backups.text_of(file.path, backups.read(file.path)) for file in files if file is not None]
            if not any(line in text for text in texts):
                fix = f'add "{key}": {{"type": "command", "command": "{line}"}}'
                yield f"{name} has no effect: no settings file of Claude Code calls {line}", fix


def short_limit(agent: Agent, row: Wired, needs: dict[str, float]) -> "Lack | None":
    """That the agent ends a line of hookkit before the handlers of its event may have answered."""
    needed, given = needs.get(agent.meaning(row.event), 0.0), _seconds(agent, row)
    if not row.is_run or not agent.module.TIMEOUT[0] or needed <= given:
        return None
    longest = user_programs.usable(user_programs.LONGEST_LIMIT)  # `init` gives a longer limit up to here
    fix = INIT if needed <= longest else f"lower the limits of the handlers to {longest:g} s together"
    return f"{agent.title}: {row.event}: handlers may take {needed:g} s, and have {given:g} s", fix


def _seconds(agent: Agent, row: Wired) -> float:
    """Seconds that a line of hookkit leaves to the handlers of its event."""
    name, unit, usual = agent.module.TIMEOUT
    named = LIMIT.search(" " + " ".join(word for words in row.calls for word in words))
    value = row.fields.get(name)
    given = value / unit if isinstance(value, (int, float)) and not isinstance(value, bool) else usual
    own = int(named[1]) if named else user_programs.usual(agent.meaning(row.event))
    return max(0.0, user_programs.usable(min(own, given)))


def unread(agent: Agent, settings: "Settings", project: str) -> "Iterator[Lack]":
    """Handlers of events that the agent does not have, and settings whose answers it does not read."""
    for event in _handled(settings, project):
        if event not in agent.module.EVENTS.values():
            yield f"{agent.title} has no event {event}: the handler does not run there", SEE
    for names, event, part, why in sources.THROUGH:
        set_ = [name for name in names if settings.values.get(name)]
        if set_ and part not in agent.can(event):
            yield f"{agent.title} {why}: {', '.join(set_)} has no effect there", SEE


def _handled(settings: "Settings", project: str) -> list[str]:
    """Events that the person's handlers are about: those of this project and of every project."""
    return [*dict.fromkeys(row["event"] for row in _rows(settings, project))]


def _rows(settings: "Settings", project: str) -> "list[dict[str, Any]]":
    rows = settings.values.get("hooks", ())
    return [row for row in rows if f"{project}/".startswith(f"{row.get('project') or project}/")]


def places(project: str, environ: dict[str, str]) -> "Iterator[SettingsPlace]":
    """The settings files of the agents here that hold hookkit."""
    for agent in here(environ):
        yield from holding(agent, project, environ)


def holding(agent: Agent, project: str, environ: dict[str, str]) -> "Iterator[SettingsPlace]":
    """The settings files of an agent that hold hookkit."""
    for scope in SCOPES:
        file = place(agent, scope, project, environ)
        if file is not None and any(os.path.isfile(path) for path in file.paths()) and hookkit_entries(file):
            yield file


def unwired(files: list[SettingsPlace], handled: "Collection[str]") -> list[str]:
    """The agent's events that a handler asks for, and that no line of hookkit in its files is about."""
    agent = files[0].agent
    wired = {row.event for file in files for row in hookkit_entries(file)}
    return [name for name in agent.events(handled) if name not in wired and agent.meaning(name) in handled]


def to_add(file: SettingsPlace, names: list[str]) -> Change | None:
    """The file with these events too; None for a form that cannot take a single line, or lines with hooks of choice."""
    if file.form not in ADDING:
        return None
    path = backups.target(file.path, file.root)
    before = backups.read(path)
    model = _model(file)
    if before is None or model is None or ONLY in (model.command, *(model.arguments or ())):
        return None
    limits = file.agent.events([file.agent.meaning(name) for name in names])
    words = _words(model.arguments or [])
    line = LIMIT.sub("", model.command)
    wanted = [Wanted(name, line, limits[name], words, shell=model.arguments is None) for name in names]
    new = file.agent.wire(path, backups.text_of(path, before), wanted)
    return Change(file, path, before, new.encode())


def to_drop(file: SettingsPlace, event: str) -> Change | None:
    """The file without hookkit's line for an event that no setting needs any more."""
    path = backups.target(file.path, file.root)
    before = backups.read(path)
    if file.form != DROPPING or before is None or event not in {row.event for row in hookkit_entries(file)}:
        return None
    text = backups.text_of(path, before)
    return Change(file, path, before, json_forms.strip_groups(file.agent.module, path, text, text, only=event).encode())


def hookkit_entries(file: SettingsPlace) -> list[Wired]:
    rows: list[Wired] = []
    for path in file.paths():
        real = backups.target(path, file.root)
        rows += file.agent.entries(real, backups.text_of(real, backups.read(real)))
    return [row for row in rows if row.is_ours]


def _model(file: SettingsPlace) -> Wired | None:
    """The shortest handler of hookkit in the file: it refuses nothing and tells nothing if hookkit is gone."""
    return min(hookkit_entries(file), key=lambda row: (len(row.command), len(row.arguments or ())), default=None)


def _words(arguments: list[str]) -> list[str]:
    """The words of a handler without its time limit and without the refusal of calls."""
    words = list(arguments)
    for option in ("--limit", "--on-error"):
        if option in words:
            place = words.index(option)
            del words[place : place + 2]
    return words
