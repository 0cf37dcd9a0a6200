"""Handlers in the settings files: unreadable files, missing events, wrong matchers and times, the same event twice."""

import functools

from hookkit.agents.doctor import NOTE, SERIOUS, WARNING, Problem, SettingsFile, Setup, rewired, without, written
from hookkit.agents.wiring import change, events, json_forms
from hookkit.agents.wiring.events import INIT
from hookkit.agents.wiring.json_forms import ON_FAILURE
from hookkit.agents.wiring.launcher import Wired
from hookkit.agents.wiring.settings_files import CLAUDE, Agent
from hookkit.events import EVENTS
from hookkit.settings.checks import client
from hookkit.settings.documents.finding import ERROR
from hookkit.settings.documents.kinds import KINDS
from hookkit.settings.formats import claude_settings
from hookkit.system.user_programs import ON_DEMAND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MANY = 1000  # a time limit from here on was meant in milliseconds
FEW = 100  # below, a limit in milliseconds was meant in seconds


def check(setup: Setup) -> "Iterator[Problem]":
    for agent in setup.agents:
        yield from _agent(setup, agent)
    for file in setup.files:
        if file.problem:
            message = f"{file.problem}; {file.place.agent.title} ignores the whole file"
            yield file.remark("settings.unreadable", SERIOUS, message, "mend the file, or restore a backup")
            continue
        yield from _misspelt(setup, file)
        yield from _rejected(file)
        for entry in file.ours():
            yield from _matcher(file, entry)
            yield from _timeout(file, entry)
            yield from _async(file, entry)
            yield from _late(file, entry)
            yield from _short(setup, file, entry)
            yield from _unneeded(setup, file, entry)
    yield from _twice(setup)
    yield from _converted(setup)


def _converted(setup: Setup) -> "Iterator[Problem]":
    """Handlers of hookkit.toml that an agent's own settings hold as well, as after `hookkit convert`."""
    rows = [row for row in setup.settings.values.get("hooks", []) if "command" in row["body"]]
    own = {(row["event"], _comparable(row["body"]["command"])): row["name"] for row in rows}
    for file in setup.files:
        agent = file.place.agent
        theirs = [entry for entry in file.entries if entry.command and not entry.is_ours]
        keys = [(agent.meaning(entry.event), _comparable(entry.command, entry.arguments)) for entry in theirs]
        twice = [(entry, own[key]) for entry, key in zip(theirs, keys, strict=True) if key in own]
        if twice:
            listed = ", ".join(dict.fromkeys(name for _, name in twice))
            message = f"{len(twice)} hooks run twice, because hookkit.toml has them too: {listed}"
            fix = "remove them from one of the two files"
            if agent.name == CLAUDE:
                fix = f"run: hookkit convert {file.path} --move"
            yield file.remark("wiring.converted", WARNING, message, fix, twice[0][0].place)


def _comparable(command: "Any", arguments: "list[str] | None" = None) -> str:
    words = command if arguments is None else [command, *arguments]
    return " ".join(words.split()) if isinstance(words, str) else "\0".join(map(str, words or ()))


def _agent(setup: Setup, agent: Agent) -> "Iterator[Problem]":
    """Events of an agent without hookkit, over all of its files."""
    files = setup.of(agent)
    wired = {entry.event for file in files for entry in file.ours()}
    if not wired:
        fix = f"run: hookkit init --agent {agent.name}"
        yield Problem("wiring.none", SERIOUS, f"hookkit is not in the settings of {agent.title}", fix)
        return
    for message, fix in events.unread(agent, setup.settings, setup.project):
        yield Problem("wiring.unread", WARNING, message, fix)
    runs = [entry for file in files for entry in file.ours() if entry.is_run]
    missing = [event for event in agent.events(setup.needs) if event not in wired]
    if not missing or not runs or any("--hooks" in words for entry in runs for words in entry.calls):
        return
    first = next(file for file in files if file.ours())
    unguarded = any(agent.is_guard(event) for event in missing)
    handled = [event for event in missing if agent.meaning(event) in setup.needs]
    text = f"{agent.title} does not call hookkit on {', '.join(missing)}"
    text += f", so your handlers of {', '.join(handled)} never run" if handled else ""
    severity = SERIOUS if unguarded else WARNING
    yield first.remark("wiring.events", severity, text, INIT, mend=rewired(setup, first))


def _misspelt(setup: Setup, file: SettingsFile) -> "Iterator[Problem]":
    for entry in file.entries:
        misspelt = [*client.misspelt(client.programs(entry.command, entry.arguments))] if entry.command else []
        for _, message, fix in misspelt:
            rows = change.wanted(file.place, change.Options(setup.launcher, setup.script))
            line = next((row.line for row in rows if row.event == entry.event), "hookkit run")
            mend = written(file, entry, "command", line)
            yield file.remark("wiring.misspelt", SERIOUS, f"{entry.event}: {message}", fix, entry.place, mend)


def _rejected(file: SettingsFile) -> "Iterator[Problem]":
    """Parts of a Claude Code file rejected or ignored by the client, found by `hookkit validate`."""
    if file.place.agent.name != CLAUDE:
        return
    for finding in claude_settings.examine(file.path, file.text or "{}").findings:
        message, place = finding.message, (finding.line, finding.column)
        if "disableAllHooks: true" in message:
            yield file.remark("wiring.disabled", SERIOUS, message, "remove disableAllHooks", place)
        elif finding.severity == ERROR and not any(words in message for words in ("there is no program", "matcher")):
            skipped = claude_settings.skips_file(finding)
            message += "; Claude Code skips this whole file, and says nothing under -p" * skipped
            yield file.remark("settings.rejected", SERIOUS if skipped else WARNING, message, finding.fix, place)
    if file.place.scope == "managed" and '"allowManagedHooksOnly": true' in file.text and not file.ours():
        message = "allowManagedHooksOnly is on: Claude Code runs the hooks of the managed settings alone"
        yield file.remark("wiring.managed", SERIOUS, message, f"ask who manages {file.path}")


def _matcher(file: SettingsFile, entry: Wired) -> "Iterator[Problem]":
    """A matcher keeps calls from hookkit, or fits none at all."""
    meaning = file.place.agent.meaning(entry.event)
    if entry.matcher in ("", "*", ".*") or meaning not in EVENTS:
        return
    remarks = client.matcher_remarks(meaning, entry.matcher)
    never = [message for severity, message, _ in remarks if severity == ERROR]
    subject = EVENTS[meaning].matcher
    if never and file.place.agent.name == CLAUDE:
        severity, message = SERIOUS, f"{entry.event}: matcher {entry.matcher!r}: {never[0]}, so hookkit never runs"
    elif subject:
        severity = SERIOUS if file.place.agent.is_guard(entry.event) else WARNING
        message = f"{entry.event}: the matcher {entry.matcher!r} keeps every other {subject} from hookkit"
    else:
        return
    mend = without(file, (*entry.path[:3], "matcher"))
    yield file.remark("wiring.matcher", severity, message, "remove the matcher", entry.place, mend)


def _timeout(file: SettingsFile, entry: Wired) -> "Iterator[Problem]":
    name, unit, _ = file.place.agent.module.TIMEOUT
    value = entry.fields.get(name) if name else None
    if not isinstance(value, (int, float)) or not KINDS["seconds"].fits(value):
        return
    if unit == 1 and value >= MANY and not hasattr(file.place.agent.module, "IN_MILLISECONDS_FROM"):
        message, right = f"{value} is {value / 3600:.1f} hours: the limit is in seconds", max(1, int(value // 1000))
    elif unit > 1 and value < FEW:
        message, right = f"{value} is {value / 1000} seconds: the limit is in milliseconds", int(value * 1000)
    else:
        return
    severity, message = WARNING if unit == 1 else SERIOUS, f"{entry.event}: {name}: {message}"
    mend = written(file, entry, name, right)
    yield file.remark("wiring.timeout", severity, message, f"write {right}", entry.place, mend)


def _short(setup: Setup, file: SettingsFile, entry: Wired) -> "Iterator[Problem]":
    """A limit below the time of the user's own handlers: these would be ended early."""
    short = events.short_limit(file.place.agent, entry, setup.needs)
    if short is not None:
        mend = rewired(setup, file) if short[1] == INIT else None
        yield file.remark("wiring.limit", WARNING, *short, entry.place, mend)


def _async(file: SettingsFile, entry: Wired) -> "Iterator[Problem]":
    """An async handler before a tool: the agent does not wait for the answer."""
    for name in ("async", "asyncRewake"):
        if entry.fields.get(name) is True and file.place.agent.is_guard(entry.event):
            message = f"{entry.event}: {name}: {file.place.agent.title} runs the tool before hookkit has answered"
            mend = without(file, (*entry.path, name))
            yield file.remark("wiring.async", SERIOUS, message, f"remove {name}", entry.place, mend)


def _late(file: SettingsFile, entry: Wired) -> "Iterator[Problem]":
    """A line of --fail-closed in Claude Code without the client's own part of it."""
    refuses = "deny" in (entry.arguments or ()) or "exit 2" in entry.command
    is_closed = refuses and file.place.agent.is_guard(entry.event)
    if is_closed and file.place.agent.name == CLAUDE and entry.fields.get(ON_FAILURE) != "block":
        message = f"{entry.event}: a hook that is late or was killed lets the call pass"
        mend = written(file, entry, ON_FAILURE, "block")
        yield file.remark("wiring.late", WARNING, message, "run: hookkit init --fail-closed", entry.place, mend)


def _unneeded(setup: Setup, file: SettingsFile, entry: Wired) -> "Iterator[Problem]":
    """An event that only some settings need, wired by them or by an earlier version: each call waits for it."""
    is_claude = file.place.agent.name == CLAUDE
    if is_claude and entry.event in ON_DEMAND and entry.event not in setup.needs and entry.is_run:
        message = f"{entry.event}: no setting needs it here, and every call of a tool waits for it"
        mend = functools.partial(_stripped, file, entry.event)
        yield file.remark("wiring.unneeded", NOTE, message, INIT, entry.place, mend)


def _stripped(file: SettingsFile, event: str, text: str) -> str:
    return json_forms.strip_groups(file.place.agent.module, file.path, text, text, only=event)


def _twice(setup: Setup) -> "Iterator[Problem]":
    """An event wired in two files: hookkit runs twice, and asks twice."""
    for agent in setup.agents:
        seen: dict[str, SettingsFile] = {}
        doubled: dict[tuple[str, str], list[str]] = {}
        for file, event in _read_by(setup, agent):
            first = seen.setdefault(event, file)
            if first is not file:
                doubled.setdefault((first.path, file.path), []).append(event)
        for (other, path), names_ in doubled.items():
            message = f"{agent.title} runs hookkit twice on {', '.join(dict.fromkeys(names_))}: {other} has it too"
            fix = "keep one: hookkit uninit --scope user|project|local"
            yield Problem("wiring.twice", WARNING, message, fix, file=path)


def _read_by(setup: Setup, agent: Agent) -> "Iterator[tuple[SettingsFile, str]]":
    """The files of an agent, each with the agent's events wired to hookkit."""
    own = {agent.meaning(event): event for event in agent.events()}
    for file in setup.files:
        is_own = file.place.agent.name == agent.name
        scopes = getattr(agent.module, "ALSO_RUNS", ())
        is_read = file.place.agent.name == CLAUDE and file.place.scope in scopes
        for entry in file.ours() if is_own or is_read else ():
            meant = entry.event if is_own else own.get(entry.event, "")
            if meant:
                yield file, meant
