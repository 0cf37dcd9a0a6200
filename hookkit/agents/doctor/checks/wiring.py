"""Handlers in the settings files: unreadable files, missing events, wrong matchers and times, the same event twice."""

from hookkit.agents.doctor.setup import SERIOUS, WARNING, Problem, SettingsFile, Setup, rewired, without, written
from hookkit.agents.wiring import change, events, launcher
from hookkit.agents.wiring.events import INIT
from hookkit.agents.wiring.forms import Wanted, Wired
from hookkit.agents.wiring.forms.groups import ON_FAILURE
from hookkit.agents.wiring.places import CLAUDE, Agent
from hookkit.events import EVENTS
from hookkit.settings.checks.claude import handlers, permissions
from hookkit.settings.checks.claude import handlers as names
from hookkit.settings.documents.finding import ERROR
from hookkit.settings.formats import claude_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MANY = 1000  # a time limit from here on was meant in milliseconds
FEW = 100  # below, a limit in milliseconds was meant in seconds


def check(setup: Setup) -> "Iterator[Problem]":
    for agent in setup.agents:
        yield from _agent(setup, agent)
    for file in setup.files:
        if file.problem:
            message = f"{file.problem}; {file.place.agent.title} ignores the whole file"
            yield Problem("settings.unreadable", SERIOUS, message, "mend the file, or restore a backup", file=file.path)
            continue
        yield from _misspelt(setup, file)
        yield from _rejected(file)
        for each in file.ours():
            yield from _matcher(file, each)
            yield from _timeout(file, each)
            yield from _async(file, each)
            yield from _late(file, each)
            yield from _short(setup, file, each)
    yield from _twice(setup)
    yield from _converted(setup)


def _converted(setup: Setup) -> "Iterator[Problem]":
    """Handlers of hookkit.toml that an agent's own settings hold as well, as after `hookkit convert`."""
    rows = [row for row in setup.settings.values.get("hooks", []) if "command" in row["body"]]
    own = {(row["event"], _told(row["body"]["command"])): row["name"] for row in rows}
    for file in setup.files:
        theirs = [each for each in file.entries if each.command and not each.is_ours]
        both = [each for each in theirs if (file.place.agent.meaning(each.event), _called(each)) in own]
        if both:
            names = [own[file.place.agent.meaning(each.event), _called(each)] for each in both]
            message = (
                f"{len(both)} hooks run twice, because hookkit.toml has them too: {', '.join(dict.fromkeys(names))}"
            )
            fix = "remove them from one of the two files"
            yield Problem("wiring.converted", WARNING, message, fix, file=file.path, place=both[0].place)


def _called(entry: Wired) -> str:
    return _told(entry.command if entry.arguments is None else [entry.command, *entry.arguments])


def _told(command_: object) -> str:
    return " ".join(command_.split()) if isinstance(command_, str) else "\0".join(map(str, command_ or ()))  # type: ignore[call-overload]


def _agent(setup: Setup, agent: Agent) -> "Iterator[Problem]":
    """Events of an agent without hookkit, over all of its files."""
    files = setup.of(agent)
    wired = {each.event for file in files for each in file.ours()}
    if not wired:
        fix = f"run: hookkit init --agent {agent.name}"
        yield Problem("wiring.none", SERIOUS, f"hookkit is not in the settings of {agent.title}", fix)
        return
    for message, fix in events.unread(agent, setup.settings, setup.project):
        yield Problem("wiring.unread", WARNING, message, fix)
    runs = [each for file in files for each in file.ours() if ["run"] in _hooks(each)]
    missing = [event for event in agent.events(setup.needs) if event not in wired]
    if not missing or not runs or any("--hooks" in words for each in runs for words in _words(each)):
        return
    first = next(file for file in files if file.ours())
    unguarded = any(agent.is_guard(event) for event in missing)
    handled = [event for event in missing if agent.meaning(event) in setup.needs]
    said = f"{agent.title} does not call hookkit on {', '.join(missing)}"
    said += f", so your handlers of {', '.join(handled)} never run" if handled else ""
    severity = SERIOUS if unguarded else WARNING
    yield Problem("wiring.events", severity, said, INIT, file=first.path, mend=rewired(setup, first))


def _words(each: Wired) -> list[list[str]]:
    return launcher.calls(each.command, each.arguments)


def _hooks(each: Wired) -> list[list[str]]:
    return [words[:1] for words in _words(each)]


def _misspelt(setup: Setup, file: SettingsFile) -> "Iterator[Problem]":
    for each in file.entries:
        misspelt = [*names.misspelt(handlers.programs(each.command, each.arguments))] if each.command else []
        for _, message, fix in misspelt:
            line = next((_line(want) for want in _wanted(setup, file) if want.event == each.event), "hookkit run")
            yield Problem(
                "wiring.misspelt", SERIOUS, f"{each.event}: {message}", fix, file=file.path, place=each.place,
                mend=written(file, each, "command", line),
            )  # fmt: skip


def _line(wanted: Wanted) -> str:
    return wanted.command if wanted.arguments is None else launcher.line(wanted.command, wanted.arguments)


def _wanted(setup: Setup, file: SettingsFile) -> "list[Wanted]":
    return change.wanted(file.place, change.Options(setup.launcher, setup.script))


def _rejected(file: SettingsFile) -> "Iterator[Problem]":
    """Parts of a Claude Code file rejected or ignored by the client, found by `hookkit validate`."""
    if file.place.agent.name != CLAUDE:
        return
    for each in claude_settings.examine(file.path, file.text or "{}").findings:
        place = (each.line, each.column)
        if "disableAllHooks: true" in each.message:
            fix = "remove disableAllHooks"
            yield Problem("wiring.disabled", SERIOUS, each.message, fix, file=file.path, place=place)
        elif each.severity == ERROR and "there is no program" not in each.message and "matcher" not in each.message:
            skipped = claude_settings.skips_file(each)
            message = f"{each.message}; Claude Code skips this whole file, and says nothing under -p" * skipped
            severity = SERIOUS if skipped else WARNING
            yield Problem("settings.rejected", severity, message or each.message, each.fix, file=file.path, place=place)
    if file.place.scope == "managed" and '"allowManagedHooksOnly": true' in file.text and not file.ours():
        message = "allowManagedHooksOnly is on: Claude Code runs the hooks of the managed settings alone"
        yield Problem("wiring.managed", SERIOUS, message, f"ask who manages {file.path}", file=file.path)


def _matcher(file: SettingsFile, each: Wired) -> "Iterator[Problem]":
    """A matcher keeps calls from hookkit, or fits none at all."""
    meaning = file.place.agent.meaning(each.event)
    if each.matcher in ("", "*", ".*") or meaning not in EVENTS:
        return
    never = [
        message for severity, message, _ in permissions.matcher_remarks(meaning, each.matcher) if severity == ERROR
    ]
    subject = EVENTS[meaning].matcher
    if never and file.place.agent.name == CLAUDE:
        severity, message = SERIOUS, f"{each.event}: matcher {each.matcher!r}: {never[0]}, so hookkit never runs"
    elif subject:
        severity = SERIOUS if file.place.agent.is_guard(each.event) else WARNING
        message = f"{each.event}: the matcher {each.matcher!r} keeps every other {subject} from hookkit"
    else:
        return
    mend = without(file, (*each.path[:3], "matcher"))
    yield Problem(
        "wiring.matcher", severity, message, "remove the matcher", file=file.path, place=each.place, mend=mend
    )


def _timeout(file: SettingsFile, each: Wired) -> "Iterator[Problem]":
    name, unit, _ = file.place.agent.module.TIMEOUT
    value = each.fields.get(name) if name else None
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return
    if unit == 1 and value >= MANY and not hasattr(file.place.agent.module, "IN_MILLISECONDS_FROM"):
        message, right = f"{value} is {value / 3600:.1f} hours: the limit is in seconds", max(1, int(value // 1000))
    elif unit > 1 and value < FEW:
        message, right = f"{value} is {value / 1000} seconds: the limit is in milliseconds", int(value * 1000)
    else:
        return
    yield Problem(
        "wiring.timeout", WARNING if unit == 1 else SERIOUS, f"{each.event}: {name}: {message}", f"write {right}",
        file=file.path, place=each.place, mend=written(file, each, name, right),
    )  # fmt: skip


def _short(setup: Setup, file: SettingsFile, each: Wired) -> "Iterator[Problem]":
    """A limit below the time of the user's own handlers: these would be ended early."""
    if events.is_short(file.place.agent, each, setup.needs):
        agent = file.place.agent
        message, fix = events.says_short(agent, each, setup.needs), events.longer(agent, each, setup.needs)
        mend = rewired(setup, file) if fix == INIT else None
        yield Problem("wiring.limit", WARNING, message, fix, file=file.path, place=each.place, mend=mend)


def _async(file: SettingsFile, each: Wired) -> "Iterator[Problem]":
    """An async handler before a tool: the agent does not wait for the answer."""
    for name in ("async", "asyncRewake"):
        if each.fields.get(name) is True and file.place.agent.is_guard(each.event):
            message = f"{each.event}: {name}: {file.place.agent.title} runs the tool before hookkit has answered"
            mend = without(file, (*each.path, name))
            yield Problem(
                "wiring.async", SERIOUS, message, f"remove {name}", file=file.path, place=each.place, mend=mend
            )


def _late(file: SettingsFile, each: Wired) -> "Iterator[Problem]":
    """A line of --fail-closed in Claude Code without the client's own part of it."""
    refuses = "deny" in (each.arguments or ()) or "exit 2" in each.command
    is_closed = refuses and file.place.agent.is_guard(each.event)
    if is_closed and file.place.agent.name == CLAUDE and each.fields.get(ON_FAILURE) != "block":
        message = f"{each.event}: a hook that is late or was killed lets the call pass"
        fix = "run: hookkit init --fail-closed"
        mend = written(file, each, ON_FAILURE, "block")
        yield Problem("wiring.late", WARNING, message, fix, file=file.path, place=each.place, mend=mend)


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
        for each in file.ours() if is_own or is_read else ():
            meant = each.event if is_own else own.get(each.event, "")
            if meant:
                yield file, meant
