"""Asks the gates before the agent, a sub-agent or a task may be done, and before calls that need an approval.

All gates are off by default, and no gate is loaded while all are off.
"""

from hookkit.model import Decision, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

STOPS = ("Stop", "SubagentStop", "TaskCompleted")
TOLD = ("PostToolUse", "UserPromptSubmit")  # events at which the main agent learns the verdict on its sub-agent
EVENTS = (*STOPS, "PreToolUse", *TOLD)
# The settings that switch gates on, by event; rules of RULES do so for every event.
SWITCHES = {"Stop": ("gate.commit", "gate.checks", "gate.promise"), "SubagentStop": ("gate.artefacts",)}
RULES = ("approval_gate", "command")


def run(event: Event, settings: "Settings") -> Decision | None:
    if event.name not in STOPS:
        return _beside_the_stops(event, settings)
    if not is_cold(event, settings):
        return None
    from hookkit.work.gates.answer import answer

    return answer(event, settings)


def is_cold(event: Event, settings: "Settings") -> bool:
    """Whether a gate is on at this stop, or waits for the fleet's hub: gates run git and programs of the user."""
    if event.name not in STOPS:
        return settings.is_due("remote", event.name)
    is_on = any(settings.values.get(name) for name in SWITCHES.get(event.name, ()))
    return is_on or any(settings.is_due(kind, event.name) for kind in RULES)


def _beside_the_stops(event: Event, settings: "Settings") -> Decision | None:
    if event.name in TOLD:
        is_on = settings.values.get("gate.artefacts") or any(settings.is_due(kind, "SubagentStop") for kind in RULES)
        if not is_on or event.text("agent_id"):
            return None
        from hookkit.work.gates import answer

        return answer.take(event, settings)
    if not settings.is_due("approval_gate", event.name):
        return None
    from hookkit.work.gates import approval

    return approval.ask_before(event, settings)
