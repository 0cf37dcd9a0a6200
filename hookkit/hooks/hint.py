"""After a tool failed: tell the model the next step. Each cause is reported once a session."""

from hookkit.model import Decision, Event
from hookkit.prompts import hint_causes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

EVENTS = ("PostToolUse", "PostToolUseFailure", "PostToolBatch")

MOST = 3  # hints in one reply


def run(event: Event, settings: "Settings") -> Decision | None:
    hints: dict[str, str] = {}
    for result in hint_causes.results(event):
        cause = hint_causes.find(result, settings)
        if not cause or cause in hints or len(hints) == MOST or not settings["hint.enabled"]:
            continue
        from hookkit.prompts import hint_advice  # late: most results have no known cause

        original = hint_advice.original(event, settings, cause)
        if original:
            hints[cause] = original
        elif hint_advice.is_new(event, settings, cause):
            hints[cause] = hint_advice.text(cause, result, settings)
    if not hints:
        return None
    from hookkit.system import clipping

    return Decision(context=clipping.clip("\n\n".join(hints.values())), reason=", ".join(hints))
