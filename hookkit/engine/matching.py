"""Whether an event is one that a handler is for: its event, its matcher, and the rule pattern of `if`."""

from hookkit import events
from hookkit.model import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings

LONGEST = 500  # characters of a subject: a regular expression must not work for ever on a stranger's text
OLD = {"Agent": ("Task",), "TaskStop": ("KillShell", "KillBash")}  # RENAMED of policy/pattern.py, without its imports
PLAIN = frozenset("|,_- ")


def is_meant(row: "dict[str, Any]", event: Event, settings: "Settings") -> bool:
    if row["event"] != event.name or not _session(row, event):
        return False
    subject = subject_of(event)
    if row["matcher"] and not any(_matches(row, name) for name in _names(subject, event)):
        return False
    return not row["if"] or _is_about(row["if"], event, settings)


def _session(row: "dict[str, Any]", event: Event) -> bool:
    """A row that was added for one session or one project is for no other."""
    session, project = row.get("session"), row.get("project")
    return (not session or session == event.session_id) and (
        not project or f"{event.project}/".startswith(f"{project}/")
    )


def subject_of(event: Event) -> str:
    field = events.EVENTS.get(event.name, events.UNKNOWN).matcher
    return event.text(field)[:LONGEST] if field else ""


def _names(subject: str, event: Event) -> list[str]:
    """The tool by its name and by its older names."""
    return [subject, *OLD.get(subject, ())] if subject == event.tool_name else [subject]


def _matches(row: "dict[str, Any]", subject: str) -> bool:
    matcher: str = row["matcher"]
    return matches_client(matcher, subject) if row["dialect"] == "claude" else matches(matcher, subject)


def matches(matcher: str, subject: str) -> bool:
    """The five kinds of matcher: all, one of a list, a regular expression, the start of a name, the whole name."""
    if not matcher:
        return True
    if "|" in matcher:
        return subject in (part.strip() for part in matcher.split("|"))
    if matcher.startswith("^") or ".*" in matcher:
        return _search(matcher, subject)
    if matcher.endswith("*"):
        return subject.startswith(matcher[:-1])
    return matcher == subject


def matches_client(matcher: str, subject: str) -> bool:
    """Claude Code's own matchers: a list of names, or a regular expression."""
    if matcher in ("", "*"):
        return True
    if all(char.isalnum() or char in PLAIN for char in matcher):
        return subject in (part.strip() for part in matcher.replace(",", "|").split("|"))
    return _search(matcher, subject)


def _search(source: str, subject: str) -> bool:
    import re

    try:
        return re.search(source, subject) is not None
    except (re.error, RecursionError, OverflowError):
        return False


def _is_about(source: str, event: Event, settings: "Settings") -> bool:
    """A pattern that may or may not match counts as a match: the handler then decides."""
    from hookkit.errors import PatternError
    from hookkit.policy.judge import Judge
    from hookkit.policy.match import matches as has_match
    from hookkit.policy.pattern import parse

    try:
        pattern = parse(source)
    except PatternError:
        return False
    return bool(has_match(pattern, Judge(settings.policy, settings.environ).call(event)).yes)
