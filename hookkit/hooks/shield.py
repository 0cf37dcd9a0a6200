"""After a tool ran: masks secrets in its output before the model sees them, in the tool's own shape."""

from hookkit.model import Decision, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

FAILED = "PostToolUseFailure"
EVENTS = ("PostToolUse", FAILED)
LONGEST = 4 << 20  # characters of one text
DEEPEST = 20
ENCODED = ("base64", "data")  # the bytes of a picture or of another file: a changed letter would spoil them
TOLD = "hookkit masked a secret in the output of this tool. Work without its value."
SEEN = "the output of this failed call holds a secret, and the agent has read it: a hook cannot mask a failed call."
KEEP = "The output of this failed call holds a secret. Never repeat, store or send its value."


def run(event: Event, settings: "Settings") -> Decision | None:
    """A reply only where there is something to mask."""
    if settings.values.get("shield.enabled") is not True:
        return None
    if event.name == FAILED:
        text = event.text("error")
        return Decision(context=KEEP, message=f"hookkit: {SEEN}") if _masked(text, 0) != text else None
    changed = [
        given for one in event.answers or () if one.decision and (given := one.decision.updated_output) is not None
    ]
    response = changed[0] if changed else event.fields.get("tool_response")
    masked = _masked(response, 0)
    if masked == response:
        return None
    decision = Decision(context=TOLD)
    decision.updated_output, decision.onto = masked, response
    return decision


def _masked(value: object, depth: int) -> object:
    from hookkit.system.masking import mask

    if isinstance(value, str):
        return mask(value) if len(value) <= LONGEST else value
    if depth > DEEPEST:
        return value
    if isinstance(value, list):
        return [_masked(item, depth + 1) for item in value]
    if isinstance(value, dict):
        verbatim = ENCODED if _is_binary(value) else ()
        return {name: item if name in verbatim else _masked(item, depth + 1) for name, item in value.items()}
    return value


def _is_binary(value: "dict[str, object]") -> bool:
    """`{"base64": …, "type": "image/png"}` of Read, `{"type": "image", "data": …, "mimeType": …}` of an MCP tool."""
    kinds = [value.get(name) for name in ("type", "mimeType", "media_type")]
    return any(isinstance(kind, str) and kind.startswith(("image", "audio", "application/pdf")) for kind in kinds)
