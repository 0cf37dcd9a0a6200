"""A program of the user's that judges a call: the event on stdin, the answer on stdout or as the exit code.

    exit 0                 stdout decides; empty stdout is no opinion
    exit 2                 deny, with stderr as the reason
    any other code         an error: logged, shown, and answered as --on-error says

Stdout is {"decision": "allow" | "ask" | "deny", "reason": "…", "modified_input": {…}}, or a reply in the client's own
format.
"""

from hookkit.errors import EventError, HandlerError
from hookkit.model import Decision, Event
from hookkit.system import jsons
from hookkit.system.programs import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.types import Rule

SECONDS = 10
DENIED = 2


def run(rule: "Rule", event: Event, environ: dict[str, str], actor: str) -> Decision | None:
    """The shell gets the rule's text as the user wrote it; nothing of the event is put into the text."""
    raw = jsons.dumps({**event.fields, "tool_input": event.tool_input, "actor": actor}).encode()
    seconds = rule.get("timeout") or SECONDS
    result = Program(rule["run"], event.cwd, environ, seconds).run(raw)
    if result.problem:
        raise HandlerError(f"{rule['run']} {result.problem}")
    if result.code == DENIED:
        return Decision("deny", result.stderr.decode("utf-8", "replace").strip() or f"{rule['run']} says no")
    if result.code:
        raise HandlerError(f"{rule['run']} exited with {result.code}")
    return _answer(rule["run"], result.stdout)


def _answer(name: str, out: bytes) -> Decision | None:
    if not out.strip():
        return None
    try:
        said = jsons.loads(out)
    except EventError as error:
        raise HandlerError(str(error)) from None
    if not isinstance(said, dict):
        raise HandlerError(f"{name} did not print an object")
    own = said.get("hookSpecificOutput")
    own = own if isinstance(own, dict) else {}
    verdict = said.get("decision", own.get("permissionDecision"))
    reason = said.get("reason", own.get("permissionDecisionReason", ""))
    changed = said.get("modified_input", own.get("updatedInput"))
    if verdict not in (None, "allow", "ask", "deny"):
        raise HandlerError(f"{name} decided {verdict!r}; expected allow, ask or deny")
    return Decision(
        verdict,
        reason if isinstance(reason, str) else "",
        updated_input=changed if isinstance(changed, dict) and verdict != "deny" else None,
    )
