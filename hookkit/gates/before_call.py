"""A rule of type approval_gate about tool calls: the person is asked before the call.

Where no person can be asked, the call is denied until the person has run `hookkit approve`.
"""

from hashlib import sha256

from hookkit.errors import HookkitError
from hookkit.gates import approval, approvals
from hookkit.gates.state import GateState
from hookkit.masking import line
from hookkit.model import Decision, Event, combine
from hookkit.policy.judge import Judge
from hookkit.system import jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.types import Rule
    from hookkit.settings.layers import Settings

SHOWN = 200  # characters of a call in an approval
FAILED = "hookkit could not check whether this call needs an approval: {error}"
NEEDED = "This call needs an approval{by}: {about}"


def ask(event: Event, settings: "Settings") -> Decision | None:
    """Judges the call as written, and as rewritten by the hooks before this one. A gate that fails stays closed."""
    judge = Judge(settings.policy, settings.environ)
    rules = [(rule, each) for each in (event, *event.rewritten()) for rule in judge.due("approval_gate", each)]
    try:
        said = [decision for rule, each in rules if (decision := _asked(rule, each, settings)) is not None]
    except (OSError, HookkitError) as error:
        return Decision("ask", FAILED.format(error=getattr(error, "strerror", None) or error))
    return combine(said) if said else None


def _asked(rule: "Rule", event: Event, settings: "Settings") -> Decision | None:
    is_due, unknown = approval.is_due(rule, GateState(event, settings))
    if not is_due:
        return None
    wanted = approval.wanted(rule, event, unknown, _subject(event))
    decision = Decision("ask", NEEDED.format(by=approval.by(wanted), about=wanted["about"]))
    if not event.is_attended(settings.environ) or settings["policy.unattended"]:
        wanted["about"] += f" The call: {_shown(event)}"
        decision = _unattended(approvals.ask(settings.environ, wanted))
    if decision.verdict:
        decision.rule = f"approval_gate {rule.get('match', '*')}"
        return decision
    return None


def _unattended(found: "approvals.Approval") -> Decision:
    if found["state"] == approvals.APPROVED:
        return Decision()
    if found["state"] == approvals.DENIED:
        return Decision("deny", f"Approval {found['id']} was denied by {found['by']}: {found['about']}")
    return Decision("deny", approval.waiting(found), message=approval.needed(found))


def _subject(event: Event) -> str:
    """The very call: another command needs an approval of its own. A checksum, because an input may hold a secret."""
    given = jsons.dumps(event.tool_input).encode("utf-8", "surrogatepass")
    return f"{event.session_id} {event.tool_name} {sha256(given).hexdigest()}"


def _shown(event: Event) -> str:
    """The call for the approver, without secrets."""
    return line(f"{event.tool_name} {event.command or jsons.dumps(event.tool_input)}", SHOWN)
