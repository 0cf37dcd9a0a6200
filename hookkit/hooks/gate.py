"""Asks the gates before the agent, a sub-agent or a task may be done.

All gates are off by default, and no gate is loaded while all are off.
"""

from hookkit.model import Decision, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

EVENTS = ("Stop", "SubagentStop", "TaskCompleted")
# The settings that switch gates on, by event; rules of RULES do so for every event.
SWITCHES = {"Stop": ("gate.commit", "gate.checks", "gate.promise"), "SubagentStop": ("gate.artefacts",)}
RULES = ("approval_gate", "command")


def run(event: Event, settings: "Settings") -> Decision | None:
    is_on = any(settings.values.get(name) for name in SWITCHES.get(event.name, ()))
    if not is_on and not any(settings.is_due(kind, event.name) for kind in RULES):
        return None
    from hookkit.gates.answer import answer

    return answer(event, settings)
