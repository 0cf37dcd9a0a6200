"""Some work needs a person's approval before the agent may stop.

The agent is held back once for each approval; the person is told the command to approve. The hook never waits.
"""

from hookkit.model import Decision, Event
from hookkit.policy import conditions
from hookkit.policy.rules import is_remote
from hookkit.system import files, jsons
from hookkit.system.masking import line
from hookkit.work.gates import approvals, facts
from hookkit.work.gates.state import OWN, together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.rules import Rule
    from hookkit.settings.layers import Settings
    from hookkit.work.gates.state import GateState


SHOWN = 200  # characters of a call in a message; `hookkit approve` and the page show it whole
HOLDS = 1  # holds of an agent for the same approval
WAITING = (
    "Waiting for approval {id}{by}: {about}\nOnly a person can give it, with: {how}\n"
    "Tell the person what there is to approve, then stop. Do not approve it yourself and do not work around it."
)
NEEDED = "hookkit: approval needed{by}: {about} Give it with: {how} (or --deny)"
STILL = "hookkit: approval {id}{by} is still open: {about} Give it with: {how} (or --deny)"


def run(event: Event, settings: "Settings", state: "GateState") -> Decision | None:
    decisions = [_decision(rule, event, settings, state) for rule in state.rules("approval_gate")]
    return together([decision for decision in decisions if decision is not None])


def _decision(rule: "Rule", event: Event, settings: "Settings", state: "GateState") -> Decision | None:
    due, unknown = is_due(rule, state)
    if not due:
        return None
    approval = _opened(rule, event, settings.environ, wanted(rule, event, unknown))
    if approval["state"] != approvals.OPEN:
        event.handled.append(approvals.evidence(approval))
    if approval["state"] == approvals.DENIED:
        return Decision(message=f"hookkit: approval {approval['id']} was denied by {approval['by']}.")
    if approval["state"] == approvals.APPROVED:
        return None
    decision = state.hold(f"approval-{approval['id']}", HOLDS, waiting(approval), STILL.format(**_words(approval)))
    decision.message = decision.message or needed(approval)
    return decision


def _opened(rule: "Rule", event: Event, environ: dict[str, str], wanted_: "approvals.Approval") -> "approvals.Approval":
    if not is_remote(rule):
        return approvals.ask(environ, wanted_)
    from hookkit.work.gates import remote

    return remote.open_(event, environ, wanted_)


def is_due(rule: "Rule", state: "GateState") -> tuple[bool, str]:
    """Whether the rule's condition holds, and why the condition could not be checked, if so.

    A condition that could not be checked counts as one that holds: the gate must not open silently.
    """
    condition = (rule.get("config") or {}).get("condition", "")
    if not condition:
        return True, ""
    tree = conditions.parse(condition)
    known, unknown = facts.gather(tree.roots, state)
    return bool(unknown) or conditions.holds(tree, known), unknown


def settled(event: Event, approval: "approvals.Approval") -> Decision:
    """The decision about a call where no person can be asked now."""
    if approval["state"] == approvals.OPEN:
        return Decision("deny", waiting(approval), message=needed(approval))
    event.handled.append(approvals.evidence(approval))
    if approval["state"] == approvals.APPROVED:
        return Decision()
    return Decision("deny", f"Approval {approval['id']} was denied by {approval['by']}: {approval['about']}")


def waiting(approval: "approvals.Approval") -> str:
    """The reason for the agent."""
    return WAITING.format(**_words(approval))


def needed(approval: "approvals.Approval") -> str:
    """The message to the person."""
    return NEEDED.format(**_words(approval))


def _words(approval: "approvals.Approval") -> dict[str, str]:
    call = f" The call: {line(approval['call'], SHOWN)}" if approval["call"] else ""
    return {"id": approval["id"], "by": by(approval), "about": approval["about"] + call, "how": _how(approval)}


def wanted(rule: "Rule", event: Event, unknown: str, subject: str = "") -> "approvals.Approval":
    """The approval asked for by a rule, for a project and a subject: the session, sub-agent or task by default.

    `unknown` says why the condition could not be checked.
    """
    config = rule.get("config") or {}
    project = files.repository(event.project)
    part = event.text(OWN.get(event.name, ""))
    subject = subject or " ".join(word for word in (event.session_id, part) if word)
    condition = config.get("condition", "")
    about = rule.get("reason") or condition or f"{event.name} needs an approval"
    about += f" (hookkit could not check the condition: {unknown})" if unknown else ""
    return {
        "digest": approvals.identity(project, jsons.dumps([rule.get("match", "*"), config]), f"{event.name} {subject}"),
        "project": project,
        "about": about if about.endswith('."') else about.rstrip(". ") + ".",
        "subject": subject,
        "approvers": config.get("approvers", []),
    }


def _how(approval: "approvals.Approval") -> str:
    """The exact command; with --as where the rule lists its approvers."""
    if approval.get("request"):
        return "the page of your company's hub, or hookkit approve --fleet"
    name = approval["approvers"][0] if approval["approvers"] else ""
    return f"hookkit approve {approval['id']}" + (f" --as {name}" if name else "")


def by(approval: "approvals.Approval") -> str:
    return f" by {' or '.join(approval['approvers'])}" if approval["approvers"] else ""
