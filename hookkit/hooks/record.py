"""Evidence: every event as a row of the ledger, chained to the one before it, without its secrets."""

from hookkit import events
from hookkit.ledger import evidence, journal
from hookkit.model import Decision, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookkit.settings.layers import Settings

EVENTS = tuple(name for name in events.EVENTS if name not in events.NOISE)
EVIDENCE = 6_000  # bytes of what rules say about a call
OUTCOMES = ("PostToolUse", "PostToolUseFailure")


def run(event: Event, settings: "Settings") -> Decision | None:
    """Everything where the ledger is on; where it is off, what the rules of type evidence_capture ask for."""
    captured = _captured(event, settings)
    if not captured and not evidence.setting(settings, "enabled"):
        return None
    row = evidence.row(event, settings)
    if captured:
        row["evidence"] = evidence.Room(EVIDENCE).value(captured)
        row["kind"] = captured[0]["kind"][:100]
    if event.name in OUTCOMES and event.tool_name:
        row |= _linked(row, event, settings.environ)
    path = journal.append(settings.environ, event.session_id, row)
    if event.name in ("SessionStart", "SessionEnd"):
        _fold(settings)
    return Decision(reason=f"row {path.rpartition('/')[2].removesuffix(journal.ENDING)}")


def _captured(event: Event, settings: "Settings") -> "list[dict[str, Any]]":
    """The rules that want this call as evidence, with what they say about it."""
    if not settings.is_due("evidence_capture", event.name):
        return []
    from hookkit.policy.judge import Judge

    rules = Judge(settings.policy, settings.environ).due("evidence_capture", event)
    rules = [rule for rule in rules if (rule.get("config") or {}).get("ledger", True)]
    return [_metadata(rule) for rule in rules]


def _metadata(rule: "dict[str, Any]") -> "dict[str, Any]":
    config = rule.get("config") or {}
    kind, match = str(config.get("kind", "evidence")), rule.get("match", "*")
    return {"kind": kind, "rule": match, "source": rule.get("source", ""), "config": config}


def _linked(row: "dict[str, Any]", event: Event, environ: dict[str, str]) -> "dict[str, Any]":
    """Who let this call pass, from the rows of its request and of the dialog in between; how long it took in all."""
    paths = journal.paths(environ, event.session_id or journal.NOBODY)
    request = _last(paths, row.get("call", ""), "PreToolUse", lambda found: found.get("call") == row.get("call"))
    sums = (row["same"], (request or {}).get("same"))  # a rewrite was asked about as it became, or as it was
    dialog = _last(paths, "PermissionRequest", "PermissionRequest", lambda found: found.get("same") in sums)
    asked = _at(request)
    if request is not None and _at(dialog) < asked:
        dialog = None
    approved = evidence.approval(request, dialog, event.text("permission_mode")[:100])
    waited = row["at"] - asked if asked else None
    return {name: value for name, value in (("approved", approved), ("waited", waited)) if value not in ("", None)}


def _last(
    paths: list[str], needle: str, name: str, is_it: "Callable[[dict[str, Any]], bool]"
) -> "dict[str, Any] | None":
    """The latest row of an event that is the one we look for."""
    for path in paths if needle else ():
        for found in journal.back(path, needle.encode()):
            if found.get("event") == name and is_it(found):
                return found
    return None


def _at(row: "dict[str, Any] | None") -> int:
    at = row.get("at") if row is not None else 0
    return at if isinstance(at, int) else 0


def _fold(settings: "Settings") -> None:
    """Nobody waits for a session's first or last row, so that is when the journals go into the database."""
    from hookkit.ledger import store

    days, megabytes = (evidence.setting(settings, name) for name in ("days", "megabytes"))
    store.fold_quickly(settings.environ, days=days, megabytes=megabytes)
