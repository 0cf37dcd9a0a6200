"""What a handler's reply means. One reader for every kind of handler and for rules of `type = "command"`.

    {"continue": false, "stopReason": "…", "hookSpecificOutput": {…}, …}    Claude Code
    "Continue", {"Reject": {"reason": "…"}}, {"ModifyInput": {"new_input": {…}}}, {"async": true}    cocode
    {"decision": "allow", "modified_input": {…}, "evidence": {…}}    Mentu
    {"ok": false, "reason": "…"}, {"nudge": "…"}, {"pass": true}    prompt and agent handlers
    plain text    for the model, on the events where the client reads plain text

A field that is none of these is named, never ignored in silence.
"""

from hookkit.errors import EventError, HandlerError
from hookkit.model import Decision
from hookkit.system import jsons
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Fields = dict[str, "Any"]


PLAIN = ("UserPromptSubmit", "UserPromptExpansion", "SessionStart", "Setup", "PreCompact")  # plain text is context
LONGEST = 10_000  # characters of plain text
VERDICTS = {"allow": "allow", "approve": "allow", "deny": "deny", "block": "deny", "ask": "ask", "defer": "defer"}
NO_REASON = "the handler gave no reason"
DEFAULT_LATER = 15.0  # seconds of a handler that goes on past the reply


class Reply:
    """`strange` lists fields that no format has. `later` is the limit in seconds of a handler that still works."""

    __slots__ = ("decision", "later", "strange")

    def __init__(self, decision: Decision | None = None, strange: list[str] | None = None) -> None:
        self.decision = decision
        self.strange = strange or []
        self.later: float | None = None


def read(out: bytes, event: str) -> Reply:
    """The reply on a program's stdout, or in the body of an answer over HTTP. Raises HandlerError."""
    head = out.lstrip()[:1]
    if not head:
        return Reply()
    if head not in b'{["':
        text = out.decode("utf-8", "replace").strip()[:LONGEST]
        return Reply(Decision(context=text) if event in PLAIN else None)
    try:
        value = jsons.loads(out)
    except EventError as error:
        first = promise(out)
        if first is None:
            raise HandlerError(f"the reply is {error}") from None
        return first
    return of_value(value, event)


def promise(out: bytes) -> Reply | None:
    """The reply of a handler that will go on in the background, from the first line of its output."""
    line, newline, _ = out.lstrip().partition(b"\n")
    if not newline or b'"async"' not in line:
        return None
    try:
        value = jsons.loads(line)
    except EventError:
        return None
    return _async(value) if isinstance(value, dict) and value.get("async") is True else None


def of_value(value: object, event: str) -> Reply:
    if value is None or value == "Continue":
        return Reply()
    check_json(value)
    if not isinstance(value, dict):
        raise HandlerError(f'the reply is {_kind(value)}; expected an object or "Continue"')
    for name, reader in SHAPES.items():
        if name in value:
            return reader(value)
    return _flat(value, event)


def check_json(value: object) -> None:
    """A value that JSON does not have (NaN, an object) would cost the whole reply, with the verdicts of others."""
    try:
        jsons.dumps(value)
    except (TypeError, ValueError, RecursionError):
        raise HandlerError("the reply holds a value that JSON does not have") from None


def _kind(value: object) -> str:
    return {str: "a JSON string", list: "a list", bool: "true or false"}.get(type(value), "a number")


# -- cocode, prompt and agent ------------------------------------------------------------------------------------------


def _reject(value: "Fields") -> Reply:
    inner = value["Reject"]
    reason = inner.get("reason") if isinstance(inner, dict) else inner
    return Reply(Decision("deny", _text(reason) or NO_REASON), _others(value, ("Reject",)))


def _modify(value: "Fields") -> Reply:
    inner = value["ModifyInput"]
    new = inner.get("new_input") if isinstance(inner, dict) else None
    if not isinstance(new, dict):
        raise HandlerError("ModifyInput.new_input: expected an object")
    return Reply(Decision(updated_input=new), _others(value, ("ModifyInput",)))


def _go_on(value: "Fields") -> Reply:
    return Reply(None, _others(value, ("Continue",)))


def _ok(value: "Fields") -> Reply:
    strange = _others(value, ("ok", "reason", "impossible"))
    if not isinstance(value["ok"], bool):
        raise HandlerError("ok: expected true or false")
    if value["ok"]:
        return Reply(None, strange)
    if value.get("impossible") is True:
        stopped = Decision()
        stopped.stop = _text(value.get("reason")) or NO_REASON
        return Reply(stopped, strange)
    return Reply(Decision("deny", _text(value.get("reason")) or NO_REASON), strange)


def _nudge(value: "Fields") -> Reply:
    """A word for the person; nothing is held back."""
    if not isinstance(value["nudge"], str):
        raise HandlerError("nudge: expected text")
    return Reply(Decision(message=value["nudge"]), _others(value, ("nudge", "pass")))


def _pass(value: "Fields") -> Reply:
    return _ok({"ok": value["pass"], **{name: item for name, item in value.items() if name != "pass"}})


def _async(value: "Fields") -> Reply:
    if value["async"] is not True:
        return _flat({name: item for name, item in value.items() if name not in ("async", "asyncTimeout")}, "")
    limit = value.get("asyncTimeout")
    is_number = isinstance(limit, (int, float)) and not isinstance(limit, bool) and limit > 0
    reply = Reply(None, _others(value, ("async", "asyncTimeout")))
    reply.later = limit / 1000 if is_number and limit is not None else DEFAULT_LATER
    return reply


SHAPES: "dict[str, Callable[[Fields], Reply]]" = {
    "Reject": _reject, "ModifyInput": _modify, "Continue": _go_on, "ok": _ok, "nudge": _nudge, "pass": _pass,
    "async": _async,
}  # fmt: skip


# -- Claude Code and Mentu: fields side by side ------------------------------------------------------------------------


def _verdict(decision: Decision, value: object) -> None:
    if isinstance(value, dict):  # the answer to a permission dialog
        _behaviour(decision, value)
        return
    if not isinstance(value, str) or value.lower() not in VERDICTS:
        raise HandlerError(f"decision: expected allow, ask, deny or block, not {_short_text(value)}")
    decision.verdict = VERDICTS[value.lower()]


def _behaviour(decision: Decision, value: "Fields") -> None:
    if value.get("behavior") not in ("allow", "deny"):
        raise HandlerError(f"decision.behavior: expected allow or deny, not {_short_text(value.get('behavior'))}")
    decision.verdict = value["behavior"]
    decision.reason = _text(value.get("message"))
    if isinstance(value.get("updatedInput"), dict):
        decision.updated_input = value["updatedInput"]
    decision.more |= {name: value[name] for name in ("updatedPermissions", "interrupt") if name in value}


def _put(name: str, kind: type, words: str) -> "Callable[[Decision, object], None]":
    """Sets one field of the decision, after a look at the type."""

    def put(decision: Decision, value: object) -> None:
        if value is not None and not isinstance(value, kind):
            raise HandlerError(f"expected {words}, not {_short_text(value)}")
        if value is not None:
            setattr(decision, name, value)

    return put


def _pass_on(name: str) -> "Callable[[Decision, object], None]":
    def put(decision: Decision, value: object) -> None:
        decision.more[name] = value

    return put


def _continue(decision: Decision, value: object) -> None:
    if not isinstance(value, bool):
        raise HandlerError(f"continue: expected true or false, not {_short_text(value)}")
    decision.stop = None if value else ""


def _nothing(_: Decision, __: object) -> None:
    """The name of the event stands in the reply for the client alone."""


_REASON, _INPUT = _put("reason", str, "text"), _put("updated_input", dict, "an object")
_CONTEXT, _OUTPUT = _put("context", str, "text"), _put("updated_output", object, "")
_SUPPRESS = _put("suppress", bool, "true or false")
_STOP = _pass_on("stopReason")
FIELDS: "dict[str, Callable[[Decision, object], None]]" = {
    "continue": _continue, "stopReason": _STOP, "stop_reason": _STOP,
    "suppressOutput": _SUPPRESS, "suppress_output": _SUPPRESS,
    "decision": _verdict, "permissionDecision": _verdict, "reason": _REASON, "permissionDecisionReason": _REASON,
    "systemMessage": _put("message", str, "text"), "evidence": _put("evidence", object, ""),
    "additionalContext": _CONTEXT, "additional_context": _CONTEXT,
    "updatedInput": _INPUT, "updated_input": _INPUT, "modified_input": _INPUT,
    "updatedToolOutput": _OUTPUT, "updatedMCPToolOutput": _OUTPUT, "hookEventName": _nothing,
    **{name: _pass_on(name) for name in (
        "terminalSequence", "classifierContext", "sessionTitle", "suppressOriginalPrompt", "initialUserMessage",
        "watchPaths", "reloadSkills", "retry", "action", "content", "worktreePath", "displayContent",
    )},
}  # fmt: skip


def _flat(value: "Fields", event: str) -> Reply:
    decision = Decision()
    own = value.get("hookSpecificOutput")
    if own is not None and not isinstance(own, dict):
        raise HandlerError(f"hookSpecificOutput: expected an object, not {_short_text(own)}")
    named = (own or {}).get("hookEventName")
    if named is not None and event and named != event:
        raise HandlerError(f"hookSpecificOutput.hookEventName: expected {event}, not {_short_text(named)}")
    strange = []
    recognised = 0
    for name, item in [*value.items(), *(own or {}).items()]:
        if name == "hookSpecificOutput":
            continue
        if name not in FIELDS:
            strange.append(name)
            continue
        recognised += 1
        _set(decision, name, item)
    if strange and not recognised:
        raise HandlerError(unknown(strange))
    _settle(decision)
    return Reply(decision, strange)


def _set(decision: Decision, name: str, value: object) -> None:
    try:
        FIELDS[name](decision, value)
    except HandlerError as error:
        message = str(error)
        raise HandlerError(message if message.startswith(name) else f"{name}: {message}") from None


def _settle(decision: Decision) -> None:
    reason = decision.more.pop("stopReason", None)
    if decision.stop is not None:
        decision.stop = _text(reason) or decision.reason or NO_REASON
    if decision.verdict == "deny":
        decision.updated_input = None
        decision.reason = decision.reason or NO_REASON


def unknown(names: list[str]) -> str:
    """A message about fields that no format has."""
    valid = [*SHAPES, *FIELDS, "hookSpecificOutput"]
    fix = next((advice for name in names if (advice := did_you_mean(name, valid, 0.6))), "")
    listed = ", ".join(repr(name[:60]) for name in names[:5])
    return f"unknown field {listed} in the reply" + (f" ({fix})" if fix else "")


def is_empty(decision: Decision) -> bool:
    """Whether a decision says nothing at all, to anybody."""
    parts = (decision.verdict, decision.reason, decision.updated_input, decision.context, decision.message)
    rest = (decision.stop, decision.updated_output, decision.evidence)
    return not any(parts) and all(part is None for part in rest) and not decision.more and not decision.suppress


def _others(value: "Fields", known: tuple[str, ...]) -> list[str]:
    return [name for name in value if name not in known]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _short_text(value: object) -> str:
    return repr(value)[:80]
