"""The decision about a rewritten line: its approval, the texts for the person and the model.

A note of the original command lets a failed rewrite be explained.
"""

import os

from hookkit.model import Decision, Event
from hookkit.redirect.line import ESCAPE, CommandChange, Rewrite
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings


LIMIT = 2_000  # bytes of a kept command
COUNT = 50  # calls kept


def keep(event: "Event", environ: dict[str, str], commands: list[str]) -> None:
    """Keep the original command of this call; a call without an id is not kept."""
    path = _path(event, environ)
    if not path or not commands:
        return
    try:
        directory = os.path.dirname(path)
        files.private_dir(os.path.dirname(directory))
        files.private_dir(directory)
        files.create(path, commands[0].encode("utf-8", "replace")[:LIMIT])
        files.keep_newest(directory, COUNT)
    except OSError:
        return  # the hint is lost, the call is not


def find(event: "Event", environ: dict[str, str]) -> str:
    """The original command of a rewritten call; "" for any other call."""
    path = _path(event, environ)
    try:
        return files.read_own(path, LIMIT).decode("utf-8", "replace") if path else ""
    except OSError:
        return ""


def _path(event: "Event", environ: dict[str, str]) -> str:
    call, state = event.text("tool_use_id"), files.state_dir(environ)
    return os.path.join(state, "rewritten", files.safe_name(call)) if call and state else ""


ALWAYS, TRUSTED, NEVER = "always", "trusted", "never"
SILENT_MODES = ("auto", "bypassPermissions", "dontAsk")  # permission modes in which the client asks no person
SHOWN = 200  # characters of a command in a message
FILES = 3  # names of files in a message


def decide(event: Event, settings: "Settings", new: Rewrite) -> Decision | None:
    """Hand the rewritten line to the client, approved or not.

    An untrusted project must not run its own files unasked: where no person would be asked, the line stays as written.
    """
    in_run = event.answers is not None
    allow = settings.value("redirect.allow", in_run=in_run)
    allow = {True: ALWAYS, False: NEVER}.get(allow, allow)
    doubt = _doubt(event, new, settings) if allow == TRUSTED else ""
    is_trusted = allow == ALWAYS or (allow == TRUSTED and not doubt)
    runs_files = any(command.runs_project_text for command in new.commands)
    is_asked = _client_asks(event, settings)
    waits = allow == TRUSTED and not is_trusted
    if waits and ((runs_files and not is_asked) or _adds_question(event, settings, new)):
        return _left_alone(event, settings, new, doubt)
    decision = Decision(
        "allow" if is_trusted and new.whole and not _is_widened(event) else None,
        f"Redirected: {', '.join(new.actions)}" if new.actions else "Not redirected: ! taken off",
        updated_input={**event.tool_input, "command": new.text},
    )
    if settings.value("redirect.tell", in_run=in_run):
        decision.message = decision.context = f"hookkit changed {_changed(new.changes)}."
        decision.context += _explained(new, event.cwd)
        if waits and new.commands:
            _explain_dialog(event, settings, new, decision, f"hookkit does not approve it: {doubt}", is_asked=is_asked)

        keep(event, settings.environ, [change.old for change in new.changes if change.command is not None])
    return decision


def _explain_dialog(
    event: Event, settings: "Settings", new: Rewrite, decision: Decision, untrusted: str, *, is_asked: bool
) -> None:
    """Only the reason of a question stands in the client's dialog, before the call; a message comes after it."""
    from hookkit.system import agents  # late: only an untrusted rewrite needs it

    is_allowed = agents.client_allows(event.project, settings.environ, new.text)
    if is_asked and event.agent == "claude" and not is_allowed:
        decision.verdict, decision.reason = "ask", untrusted
    elif _is_first(event, settings):
        decision.message += f" {untrusted}"


def _doubt(event: Event, new: Rewrite, settings: "Settings") -> str:
    """Why the person's trust does not cover the new commands; empty if it does."""
    from hookkit.redirect import sources, tree  # late: the stand-alone hook needs no checksums

    paths = list(dict.fromkeys(path for command in new.commands for path in command.sources))
    if not all(command.sources for command in new.commands) or not sources.are_trusted(paths, settings.environ):
        return _untrusted(new)
    return tree.doubt(files.repository(os.path.realpath(event.cwd)), settings.environ)


def _client_asks(event: Event, settings: "Settings") -> bool:
    """Whether a person is there to answer the client's question. An agent without a mode may ask nobody."""
    attended = event.is_attended(settings.environ) and not settings["policy.unattended"]
    mode = event.text("permission_mode")
    return attended and mode not in SILENT_MODES and (mode != "" or event.agent == "claude")


def _adds_question(event: Event, settings: "Settings", new: Rewrite) -> bool:
    """Whether the client lets the line of the agent pass without a question, and would ask about the new one."""
    if event.agent != "claude":
        return False
    from hookkit.system import agents  # late: only a rewrite needs it

    lines = (event.command, new.text)
    was_allowed, is_allowed = (agents.client_allows(event.project, settings.environ, line) for line in lines)
    return was_allowed and not is_allowed


def _is_widened(event: Event) -> bool:
    """An approval must not cover more than the command: no unsandboxed call, no call in plan mode."""
    return bool(event.tool_input.get("dangerouslyDisableSandbox")) or event.text("permission_mode") == "plan"


def _left_alone(event: Event, settings: "Settings", new: Rewrite, doubt: str) -> Decision | None:
    """Tell the person once a session why the project's own command did not run."""
    if not settings.value("redirect.tell", in_run=event.answers is not None) or not _is_first(event, settings):
        return None
    old, own = (", ".join(dict.fromkeys(f'"{_short(text)}"' for text in texts)) for texts in _texts(new.changes))
    return Decision(message=f"hookkit left {old} as it is. The project's own command is {own}, but {doubt}")


def _is_first(event: Event, settings: "Settings") -> bool:
    """Whether the session has not had the message about trust yet."""
    if not event.session_id:
        return True
    from hookkit.system import marks

    try:
        return marks.first_time(settings.environ, event.session_id, "redirect-untrusted")
    except OSError:
        return False  # without a place for the mark, every call would repeat the message


def _texts(changes: list[CommandChange]) -> tuple[list[str], list[str]]:
    """The commands before and after."""
    return [change.old for change in changes], [change.new for change in changes]


def _changed(changes: list[CommandChange]) -> str:
    """`"pytest -q" to "make test"`."""
    pairs = dict.fromkeys(zip(*_texts(changes), strict=True))
    return ", ".join(f'"{_short(old)}" to "{_short(new)}"' for old, new in pairs)


def _explained(new: Rewrite, cwd: str) -> str:
    """The file that defines each new command, and the way to run a command unchanged."""
    places = list(dict.fromkeys(os.path.relpath(command.place, os.path.realpath(cwd)) for command in new.commands))
    if not places:
        return " The ! would have turned a failed run into a success." if new.changes[0].old.startswith("! ") else ""
    original = next(change.old for change in new.changes if change.command is not None)
    where = f"The project defines it in {', '.join(places)}."
    return f" {where} To run the original instead: {ESCAPE} {_short(original)}"


def _untrusted(new: Rewrite) -> str:
    """The reason why a command is not approved, and the way out."""
    names = list(dict.fromkeys(command.place.rpartition("/")[2].partition(":")[0] for command in new.commands))
    if not all(command.sources for command in new.commands):
        return f"{', '.join(names[:FILES])} includes files that hookkit cannot find, so it cannot be trusted"
    return f"{', '.join(names[:FILES])} is not trusted. Read the file, then run: hookkit trust"


def _short(text: str) -> str:
    text = "".join(char if char.isprintable() else " " for char in text)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
