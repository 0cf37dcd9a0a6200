"""Events after a call whose answer a feature needs: with these settings the agent waits for them.

All others are stored by the launcher, and played later.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

LATER = ("PostToolUse", "UserPromptExpansion", "SubagentStart", "TeammateIdle", "Notification", "ConfigChange")
# Settings whose features speak after a call; `track` speaks at every event.
HINTS = "hint.enabled"
AFTER_CALL = ("shield.enabled", "budget.tokens", "budget.dollars", "budget.failures", "gate.artefacts", HINTS)
RULES = ("modify", "command")
BATCH = "PostToolBatch"  # wired for hints alone


def needed(settings: "Settings") -> list[str]:
    """The events that cannot be stored, and PostToolBatch if it has to be wired."""
    if not settings.is_idle("track"):
        return [*LATER]
    events = {row["event"] for row in settings.values.get("hooks", ())}
    if any(settings.values.get(name) for name in AFTER_CALL) or any(
        settings.is_due(kind, event) for kind in RULES for event in ("PostToolUse", "SubagentStop")
    ):
        events.add("PostToolUse")
    events |= {BATCH} if settings.values.get(HINTS) is True else set()
    return [event for event in (*LATER, BATCH) if event in events]


def wired(settings: "Settings") -> dict[str, float]:
    """Events that are wired only on demand, with the seconds of the person's own handlers (0: a feature needs it)."""
    from hookkit.settings import hook_rows  # late: hooks ask `needed` alone

    batch = {BATCH: 0.0} if BATCH in needed(settings) else {}
    return batch | hook_rows.needs(settings.values.get("hooks", []))
