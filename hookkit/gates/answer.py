"""Asks all gates of an event and joins their answers: the agent is held back for every reason at once, or let go."""

from hookkit import events, registry
from hookkit.errors import HookkitError
from hookkit.gates import verdicts
from hookkit.gates.state import GateState, together
from hookkit.model import Decision, Event
from hookkit.system import error_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

# The gates of each event, in the order in which they are asked.
GATES = {
    "Stop": ("promise", "checks", "approval", "commit"),
    "SubagentStop": ("artefacts", "checks", "approval"),
    "TaskCompleted": ("checks", "approval"),
}
LET_GO = "hookkit: the agent was held back {row} times in a row, the limit, so this stop passes without a check."


def answer(event: Event, settings: "Settings") -> Decision | None:
    """A gate that cannot count, or is broken, must let go: otherwise the agent could never stop."""
    state = GateState(event, settings)
    try:
        decision = _asked(state) if state.limit else None
        if decision is not None and decision.message and not events.EVENTS[event.name].message:
            error_log.record(settings.environ, f"gate {event.name}", HookkitError(decision.message))
    except (OSError, HookkitError) as error:
        return Decision(message=f"hookkit: the gates let go: {getattr(error, 'strerror', None) or error}")
    return decision


def _asked(state: GateState) -> Decision | None:
    row = state.row()
    if row >= state.limit:
        state.count(is_held=False)
        return Decision(message=LET_GO.format(row=row))
    gates = [registry.find("gates", name) for name in GATES[state.event.name]]
    said = [gate.run(state.event, state.settings, state) for gate in gates]
    decision = together([each for each in said if each is not None])
    is_held = decision is not None and decision.verdict == "deny"
    state.count(is_held=is_held)
    if decision is not None and not is_held:
        verdicts.keep(state.event, state.settings.environ, decision.message)
    return decision
