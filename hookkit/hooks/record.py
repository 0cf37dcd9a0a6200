"""Writes every event to the ledger, as a row without secrets, chained to the row before."""

from hookkit import events
from hookkit.errors import WARM
from hookkit.ledger import evidence, journal, places
from hookkit.ledger.evidence import Allowance
from hookkit.model import Decision, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.policy.rules import Rule
    from hookkit.settings.layers import Settings

EVENTS = tuple(name for name in events.EVENTS if name not in events.NOISE)
EVIDENCE = 6_000  # bytes of the config of evidence rules
LOST = "no row of the ledger can be written, so there is no evidence: {path}: {why}. See: hookkit ledger status"
OUTCOMES = ("PostToolUse", "PostToolUseFailure")


def run(event: Event, settings: "Settings") -> Decision | None:
    """All events if the ledger is on; if it is off, only calls matched by rules of type evidence_capture."""
    captured = _captured(event, settings)
    if not captured and not evidence.setting(settings, "enabled"):
        return None
    row = evidence.row(event, settings)
    if captured:
        row["evidence"] = Allowance(EVIDENCE).value(captured)
        row["kind"] = captured[0]["kind"][:100]
    if event.name in ("SessionStart", "SessionEnd"):
        row |= _who(event, settings)
    if row.get("verdict"):
        row |= _judged_by(event, settings)
    if row.get("effects"):
        from hookkit.ledger import links

        row |= links.repeated(row, settings.environ)
    if event.name in OUTCOMES and event.tool_name:
        from hookkit.ledger import links

        row |= links.links_of(row, event, settings.environ)
    if journal.REQUEST in settings.environ:
        row["request"] = settings.environ[journal.REQUEST][:64]
    notes: list[str] = []
    is_synced = evidence.setting(settings, "sync")
    try:
        path = journal.append(
            settings.environ, event.session_id, row, sync=is_synced, is_first=_is_first(event, settings), notes=notes
        )
    except OSError as error:
        if event.at:
            raise  # a stored event: its file stays until its row can be written
        event.notes.append(("ledger-lost", LOST.format(path=error.filename or "", why=error.strerror or error)))
        return None
    message = f"hookkit: {notes[0]}. A power cut may lose it" if notes else _aside(path, settings)
    if event.name in ("SessionStart", "SessionEnd"):
        message = _folded(settings) or message
    if event.name == "SessionEnd":
        from hookkit.system import running

        to, policy = (settings.values.get(f"fleet.{name}", "") for name in ("to", "policy"))
        running.sync_fleet(settings.environ, to, policy)
    reason = f"row {path.rpartition('/')[2].removesuffix(places.ENDING)}"
    return Decision(reason=reason, message=message if message and not event.at and _is_news(event, settings) else "")


def _is_first(event: Event, settings: "Settings") -> bool:
    """Whether nobody can have written the row before: a launcher asks the server first, and once."""
    return WARM in settings.environ and not event.at


def _who(event: Event, settings: "Settings") -> "dict[str, Any]":
    """Once a session. A new session's transcript, with the client's version, may be there only at its end."""
    from hookkit.ledger import who

    if event.name == "SessionStart":
        return {"who": who.fields(event, settings.environ)}
    version = who.client(event, settings.environ)
    return {"who": {"client": version}} if version else {}


def _judged_by(event: Event, settings: "Settings") -> "dict[str, Any]":
    """With a verdict: by which policy, and whether the session had read a secret."""
    from hookkit.verdicts import taint

    facts: dict[str, Any] = {"policy": settings.policy_digest} if settings.policy_digest else {}
    return facts | ({"tainted": True} if taint.is_tainted(event, settings.environ) else {})


def _aside(path: str, settings: "Settings") -> str:
    """A message for the person, if the row could not be kept in hookkit's state."""
    home = next(places.each(settings.environ))
    if path.startswith(home):
        return ""
    why = places.refusal(home) or "a row did not fit"
    return (
        f"hookkit: {home} cannot be written ({why}), so the rows of the ledger are kept in "
        f"{path.rpartition('/')[0]} for now. See: hookkit ledger status"
    )


def _is_news(event: Event, settings: "Settings") -> bool:
    """Once a session; without any place for a mark, at the start of the session alone."""
    from hookkit.system import marks

    try:
        return marks.first_time(settings.environ, event.session_id, "ledger")
    except OSError:
        return event.name == "SessionStart"


def _captured(event: Event, settings: "Settings") -> "list[dict[str, Any]]":
    """The evidence_capture rules that match this call."""
    if not settings.is_due("evidence_capture", event.name):
        return []
    from hookkit.policy.judge import Judge

    rules = Judge(settings.policy, settings.environ).due("evidence_capture", event)
    rules = [rule for rule in rules if (rule.get("config") or {}).get("ledger", True)]
    return [_metadata(rule) for rule in rules]


def _metadata(rule: "Rule") -> "dict[str, Any]":
    config = rule.get("config") or {}
    kind, match = str(config.get("kind", "evidence")), rule.get("match", "*")
    return {"kind": kind, "rule": match, "source": rule.get("source", ""), "config": config}


def _folded(settings: "Settings") -> str:
    """Reads new rows into the index at the start and end of a session, when no tool call waits.

    An index that cannot be used costs no row: the person is told.
    """
    from hookkit.errors import HookkitError
    from hookkit.ledger import upkeep

    days, megabytes = (evidence.setting(settings, name) for name in ("days", "megabytes"))
    try:
        upkeep.fold_quickly(settings.environ, days=days, megabytes=megabytes)
    except (HookkitError, OSError) as error:
        from hookkit.system import error_log

        reason = str(error) if isinstance(error, HookkitError) else f"{error.filename}: {error.strerror}"
        error_log.try_to_record(settings.environ, "ledger", error)
        return f"hookkit: the ledger's index cannot be used: {reason}. No row is lost. See: hookkit ledger status"
    return ""
