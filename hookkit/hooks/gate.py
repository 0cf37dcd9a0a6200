"""When the agent, a sub-agent or a task is done: whether it really is, and who has to say so.

Nothing is switched on by itself, and where nothing is, nothing is loaded.
"""

from hookkit.model import Decision, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

EVENTS = ("Stop", "SubagentStop", "TaskCompleted")
# What switches a gate on, by the event that it is about; rules do so everywhere.
SWITCHES = {"Stop": ("gate.commit", "gate.checks", "gate.promise"), "SubagentStop": ("gate.artefacts",)}
RULES = ("approval_gate", "command")


def run(event: Event, settings: "Settings") -> Decision | None:
    is_on = any(settings.values.get(name) for name in SWITCHES.get(event.name, ()))
    if not is_on and not any(settings.is_due(kind, event.name) for kind in RULES):
        return None
    from hookkit.gates.answer import answer

    return answer(event, settings)
