"""An event as a row of the ledger: bounded, and without secrets."""

import time

from hookkit.ledger import tool_call
from hookkit.ledger.allowance import ITEMS, Allowance, without
from hookkit.model import Event, combine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings

DEFAULTS = {"enabled": True, "content": True, "output": 2_000, "sync": True, "days": 30, "megabytes": 200}
FORMAT = 2  # version of the row's fields
PATH = tool_call.PATH
# Fields of every event, and fields with another name in the row.
COMMON = frozenset(
    "session_id transcript_path cwd hook_event_name prompt_id permission_mode effort tool_name tool_input tool_use_id"
    " tool_response duration_ms error agent_type agent_id tool_calls permission_suggestions".split()
)


def row(event: Event, settings: "Settings") -> "dict[str, Any]":
    """Fields of every event, then the fields of this kind of event; empty fields are left out."""
    allowance = Allowance()
    facts: dict[str, Any] = {
        "v": FORMAT,
        "at": event.at or time.time_ns() // 1_000_000,
        "event": event.name,
        "session": event.session_id[:200],
        "call": event.text("tool_use_id")[:200],
        "tool": event.tool_name[:200],
        "actor": event.actor(settings.environ, settings.values.get("policy.actor", ""))[:200],
        "agent": event.text("agent_id")[:200],
        "client": event.agent if event.agent != "claude" else "",
        "effort": event.effort[:200],
        "project": allowance.text(event.project, PATH),
        "cwd": allowance.text(event.cwd, PATH),
        "mode": event.text("permission_mode")[:100],
        **_answered(event, settings, allowance),
    }
    if event.name == "PermissionRequest" and not event.is_attended(settings.environ):
        facts["unattended"] = True  # nobody saw the dialog
    if event.tool_name:
        facts |= tool_call.fields(event, settings, allowance)
    if event.handled:
        facts["handlers"] = allowance.value(event.handled)
    facts |= {"more": more} if (more := _rest(event, allowance)) else {}
    return {name: value for name, value in facts.items() if value not in ("", None, [], {})}


def _answered(event: Event, settings: "Settings", allowance: Allowance) -> "dict[str, Any]":
    """The verdict, its hook and rule, and the time of each hook. `hookkit record` alone asks the rules itself."""
    if event.answers is None:
        decision = _judged(event, settings)
        return {
            "verdict": decision.verdict,
            "rule": decision.rule[:200],
            "reason": allowance.text(without(tool_call.command_secrets(event), decision.reason)),
        }
    answers = [answer for answer in event.answers if answer.decision is not None]
    final = combine([answer.decision for answer in answers if answer.decision is not None])
    by = next((answer.hook for answer in answers if answer.decision and answer.decision.verdict == final.verdict), "")
    return {
        "verdict": final.verdict,
        "hook": by if final.verdict else "",
        "rule": final.rule[:200],
        "reason": allowance.text(without(tool_call.command_secrets(event), final.reason)) if final.verdict else "",
        "changed": allowance.value(tool_call.hidden(final.updated_input)) if final.updated_input is not None else None,
        "stopped": final.permit if final.verdict in ("deny", "ask") else "",
        "took": {answer.hook: round(answer.ms, 2) for answer in event.answers},
        "failed": [answer.hook for answer in event.answers if answer.problem is not None],
    }


def _judged(event: Event, settings: "Settings") -> "Any":
    from hookkit.model import Decision

    if event.name not in ("PreToolUse", "PermissionRequest") or not event.tool_name:
        return Decision()
    if event.command and settings.is_quiet(event.command, event.cwd):
        return Decision()
    from hookkit.policy.judge import Judge

    return Judge(settings.policy, settings.environ).answer(event) or Decision()


def _rest(event: Event, allowance: Allowance) -> "dict[str, Any]":
    """The event's own fields: a prompt, a reason, a task's name."""
    some = [(name, value) for name, value in event.fields.items() if name not in COMMON][:ITEMS]
    return {allowance.text(name, 100): allowance.value(value, name) for name, value in some}


def setting(settings: "Settings", name: str) -> "Any":
    """A setting of the ledger, read without loading the table of all settings: every call needs it."""
    return settings.values.get(f"ledger.{name}", DEFAULTS[name])
