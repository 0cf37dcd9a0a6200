"""All gates of an event, and their answers as one: held back for every reason at once, or let go."""

from hookkit import events, registry
from hookkit.errors import HookkitError
from hookkit.gates.state import State, together
from hookkit.model import Decision, Event
from hookkit.system import error_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

# Which gates an event has, in the order in which they speak.
GATES = {
    "Stop": ("promise", "checks", "approval", "commit"),
    "SubagentStop": ("artefacts", "checks", "approval"),
    "TaskCompleted": ("checks", "approval"),
}
LET_GO = "hookkit: held back as often in a row as it may be ({row}), so this stop passes without a check."


def answer(event: Event, settings: "Settings") -> Decision | None:
    """A gate that cannot count, or is broken, must not hold: it would do so for ever."""
    state = State(event, settings)
    try:
        decision = _asked(state) if state.limit else None
        if decision is not None and decision.message and not events.EVENTS[event.name].message:
            error_log.record(settings.environ, f"gate {event.name}", HookkitError(decision.message))
    except (OSError, HookkitError) as error:
        return Decision(message=f"hookkit: the gates let go: {getattr(error, 'strerror', None) or error}")
    return decision


def _asked(state: State) -> Decision | None:
    row = state.row()
    if row >= state.limit:
        state.count(is_held=False)
        return Decision(message=LET_GO.format(row=row))
    gates = [registry.find("gates", name) for name in GATES[state.event.name]]
    said = [gate.run(state.event, state.settings, state) for gate in gates]
    decision = together([each for each in said if each is not None])
    state.count(is_held=decision is not None and decision.verdict == "deny")
    return decision
