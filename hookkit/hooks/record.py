"""Writes every event to the ledger, as a row without secrets, chained to the row before."""

from hookkit import events
from hookkit.ledger import evidence, journal
from hookkit.ledger.allowance import Allowance
from hookkit.model import Decision, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.policy.types import Rule
    from hookkit.settings.layers import Settings

EVENTS = tuple(name for name in events.EVENTS if name not in events.NOISE)
EVIDENCE = 6_000  # bytes of the config of evidence rules
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
    if event.name in OUTCOMES and event.tool_name:
        from hookkit.ledger import links

        row |= links.of(row, event, settings.environ)
    if journal.REQUEST in settings.environ:
        row["request"] = settings.environ[journal.REQUEST][:64]
    path = journal.append(settings.environ, event.session_id, row)
    if event.name in ("SessionStart", "SessionEnd"):
        _fold(settings)
    return Decision(reason=f"row {path.rpartition('/')[2].removesuffix(journal.ENDING)}")


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


def _fold(settings: "Settings") -> None:
    """Folds journals into the database at the start and end of a session, when no tool call waits."""
    from hookkit.ledger import store

    days, megabytes = (evidence.setting(settings, name) for name in ("days", "megabytes"))
    store.fold_quickly(settings.environ, days=days, megabytes=megabytes)
