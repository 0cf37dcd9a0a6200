"""Notes to the person, the error log, and calls that hookkit could not judge. Loaded only when something is wrong."""

from hookkit import agents, events
from hookkit.errors import HookkitError
from hookkit.model import Decision, Event
from hookkit.settings import sources, trust
from hookkit.system import error_log, files, marks
from hookkit.system.agents import steering_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.pipeline import Invocation
    from hookkit.settings.layers import Settings


LONGEST_NOTE = 600  # characters of a message to the person: it may quote an untrusted file
SALVAGED = 64 * 1024  # bytes of an unreadable event that are looked at
CLAUDE = "claude"
TOLD = ("SessionStart", "UserPromptSubmit")  # events for what has to be told without a mark
UNTRUSTED = 5  # files that a message is about: a project may have hundreds
LASTING = ("ledger-lost",)  # notes that are true until somebody acts: told each time
NOTICES = ("foreign-untrusted",)  # notes of hooks that tell of no error


# -- events that could not be read -----------------------------------------------------------------


def salvage(call: "Invocation", raw: bytes) -> None:
    """An event that is no JSON: what is left of its fields still tells the agent, the event and the session.

    The name of an event before a tool, anywhere in the event, makes it one: a text inside the call must not hide this.
    """
    fields = _rest(raw)
    if not call.agent:
        call.speak(agents.load(agents.foreign(fields, call.environ) or CLAUDE))
    if call.dialect.NAME == CLAUDE and "hook_event_name" not in fields:
        return  # nothing tells the event
    before = [native for native, name in call.dialect.EVENTS.items() if name == "PreToolUse"]
    if any(f'"{native}"'.encode() in raw for native in (*before, "toolName", "tool_call", "toolCall")):
        session = call.dialect.parse(fields, call.environ, "", call.place()).session_id
        call.event = _blank(call, "PreToolUse")
        call.event.session_id = session
    else:
        call.event = call.dialect.parse(fields, call.environ, "", call.place())


def _rest(raw: bytes) -> "dict[str, object]":
    """The first fields of each name, at whatever depth: texts, and empty objects and lists for the others."""
    import re

    fields: dict[str, object] = {}
    text = raw[:SALVAGED].decode("utf-8", "replace")
    for name, value, bracket in re.findall(r'"(\w{1,40})"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|([{[]?))', text):
        fields.setdefault(name, value if not bracket else {} if bracket == "{" else [])
    return fields


def _blank(call: "Invocation", name: str) -> Event:
    """An event without fields, that the dialect can answer."""
    event: Event = call.dialect.parse({}, call.environ, name, call.place())
    return event


# -- the person and the log ------------------------------------------------------------------------


def own_up(call: "Invocation") -> None:
    """Log every error and every wrong option, tell the person once a session, and answer as --on-error says."""
    for slip in call.slips:
        note(call, "options", f"{call.hook}: {slip}")
    if not call.problems:
        return
    for error in call.problems:
        log(call.trusted, f"{call.hook} {call.event.name or '-'}", error)
    problem = _error_text(call.problems[0])
    note(call, "failed", f"{call.hook} failed and gave no answer: {problem}. Details: hookkit errors", is_logged=False)
    if call.on_error and _is_unchecked(call):
        call.decisions.append((call.hook, Decision(call.on_error, f"hookkit could not check this: {problem}")))


def _is_unchecked(call: "Invocation") -> bool:
    """Whether a permission was left unjudged. A Stop does not count: the agent could never stop."""
    call.event = call.event if call.event.name else _blank(call, call.usual() or "PreToolUse")
    row = events.EVENTS.get(call.event.name, events.UNKNOWN)
    aside = [answer.problem for answer in call.answers if answer.hook != "guard" and call.hook == "run"]
    return row.reply in (events.PERMISSION, events.REQUEST) and any(error not in aside for error in call.problems)


def tell(call: "Invocation", settings: "Settings") -> None:
    """Notes of hooks, parts of settings files that do not count, and files that are not trusted."""
    event = call.event
    if event.name == "SessionStart":
        texts = [f"{text}; {fix}" for text, fix in _lacks(event, settings)]
        event.notes += [(f"source-{files.checksum(text.encode())}", text) for text in texts]
        for path, message in steering_files(event.project, (event.agent,)):
            note(call, "steered", f"{path} {message}. Remove them", always=True)
    for matter, text in event.notes:
        always = matter in LASTING and event.name in TOLD
        note(call, matter, text, is_logged=matter not in NOTICES, always=always)
    for message in settings.broken:
        matter = f"broken-{files.checksum(message.encode())}"
        note(call, matter, f"{_whose(message, event)} does not count: {message}", always=event.name == "SessionStart")
    for path, waiting in [*settings.untrusted.items()][:UNTRUSTED]:
        text = f"{path} is {trust.untrusted(waiting)}. {trust.way_out(path, call.environ)}"
        is_due = event.name == "SessionStart" and trust.runs_programs(waiting)
        note(call, f"untrusted-{files.checksum(path.encode())}", text, is_logged=False, always=is_due)


def _lacks(event: Event, settings: "Settings") -> "Iterator[sources.Lack]":
    """What has no source in this agent. The files of agents are read only if a handler or a setting asks for more."""
    if not sources.ask_agents(settings):
        return sources.lacks(settings)
    from hookkit.agents.wiring import events as wiring  # late: it loads every agent
    from hookkit.agents.wiring.settings_files import AGENTS

    return wiring.lacks(settings, event.project, [AGENTS[event.agent]] if event.agent in AGENTS else [])


def tell_pause(call: "Invocation", settings: "Settings") -> None:
    """Tell each session that nothing is checked; the start of a session is always told."""
    from time import time

    from hookkit.settings import pause

    text = pause.message(pause.until(settings.environ, time())).removeprefix("hookkit is ")
    note(call, "paused", text, is_logged=False, always=call.event.name == "SessionStart")


def note(call: "Invocation", matter: str, text: str, *, is_logged: bool = True, always: bool = False) -> None:
    """Tell the person once a session, on an event whose reply the person sees; the log gets every message.

    Of a text with several lines, such as a traceback, the person gets the first.
    """
    if is_logged:
        log(call.trusted, f"{call.hook} {call.event.name or '-'}", HookkitError(text))
    row = events.EVENTS.get(call.event.name, events.UNKNOWN)
    if call.event.at:
        return  # nobody reads this answer: the next event tells
    try:
        is_news = bool(row.message) and (marks.first_time(call.trusted, call.event.session_id, matter) or always)
    except OSError as error:
        log(call.trusted, call.hook, error)
        is_news = bool(row.message) and call.event.name in TOLD  # with nowhere to write, a mark cannot be made either
    if is_news:
        shown = "".join(char if char.isprintable() else " " for char in text.partition("\n")[0][:LONGEST_NOTE])
        call.decisions.append((call.hook, Decision(message=f"hookkit: {shown}")))


def log(environ: dict[str, str], where: str, error: Exception) -> None:
    try:
        error_log.record(environ, where, error)
    except OSError:
        return  # a full or read-only disk: no place is left for the error


def _error_text(error: Exception) -> str:
    """An error in a message to the person; the details of a defect of hookkit are in the log."""
    if isinstance(error, HookkitError):
        return str(error)
    if isinstance(error, OSError) and error.strerror and isinstance(error.filename, str):
        return f"{error.filename}: {error.strerror}"
    return "an error of its own"


def _whose(message: str, event: Event) -> str:
    """A mistake in the person's own file reduces protection; a project's file can only add to it."""
    is_project = event.project and message.startswith(f"{event.project}/")
    return "a part of the project's settings" if is_project else "protection is reduced: a part of your settings"
