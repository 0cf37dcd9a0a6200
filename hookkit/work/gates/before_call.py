"""A rule of type approval_gate about tool calls: the person is asked before the call.

Where no person can be asked, the call is denied until the person has run `hookkit approve`.
"""

from hookkit.errors import HookkitError
from hookkit.ledger import places
from hookkit.model import Decision, Event, combine
from hookkit.policy.judge import Judge
from hookkit.system import jsons, programs
from hookkit.system.masking import text_of_call
from hookkit.system.programs import Deadline
from hookkit.work.gates import approval, approvals
from hookkit.work.gates.state import GateState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.policy.rules import Rule
    from hookkit.settings.layers import Settings


TOO_LONG = "This call needs an approval{by}, and is too long for a person to read: {about} Split it into smaller calls."
FAILED = "hookkit could not check whether this call needs an approval: {error}"
NEEDED = "This call needs an approval{by}: {about}"


def ask(event: Event, settings: "Settings") -> Decision | None:
    """Judges the call as written, and as rewritten by the hooks before this one. A gate that fails stays closed."""
    judge = Judge(settings.policy, settings.environ)
    rules = [(rule, call) for call in (event, *event.rewritten()) for rule in judge.due("approval_gate", call)]
    deadline = Deadline(programs.time_for_programs(event.name, settings.environ))  # one for all that wait for the hub
    try:
        decisions = [
            decision for rule, call in rules if (decision := _decision(rule, call, settings, deadline)) is not None
        ]
    except (OSError, HookkitError) as error:
        return Decision("ask", FAILED.format(error=getattr(error, "strerror", None) or error))
    return combine(decisions) if decisions else None


def _decision(rule: "Rule", event: Event, settings: "Settings", deadline: Deadline) -> Decision | None:
    is_due, unknown = approval.is_due(rule, GateState(event, settings))
    if not is_due:
        return None
    wanted = approval.wanted(rule, event, unknown, _subject(event, settings.environ))
    decision = _decided(rule.get("config") or {}, event, settings, wanted, deadline)
    if decision.verdict:
        decision.rule = f"approval_gate {rule.get('match', '*')}"
        return decision
    return None


def _decided(
    config: "dict[str, Any]", event: Event, settings: "Settings", wanted: "approvals.Approval", deadline: Deadline
) -> Decision:
    is_attended = event.is_attended(settings.environ) and not settings["policy.unattended"]
    is_remote = config.get("remote") is True
    if is_remote or not is_attended:
        wanted["call"] = _call_text(event)
        if len(wanted["call"]) > approvals.LONGEST:
            return Decision("deny", TOO_LONG.format(by=approval.by(wanted), about=wanted["about"]))
    if is_remote:
        from hookkit.work.gates import remote

        decision = remote.answer(event, settings, wanted, config, deadline)
        if decision is not None:
            return decision
    if is_attended:
        return Decision("ask", NEEDED.format(by=approval.by(wanted), about=wanted["about"]))
    return approval.settled(event, approvals.ask(settings.environ, wanted))


def _subject(event: Event, environ: dict[str, str]) -> str:
    """The very call: another command needs an approval of its own. An input may hold a secret: the digest is keyed."""
    given = jsons.dumps(event.tool_input).encode("utf-8", "surrogatepass")
    return f"{event.session_id} {event.tool_name} {places.keyed(environ, given)}"


def _call_text(event: Event) -> str:
    """The whole call for the approver, without secrets."""
    return text_of_call(f"{event.tool_name} {event.command or jsons.dumps(event.tool_input)}")
