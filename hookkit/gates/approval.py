"""Some work needs a person's approval before the agent may stop.

The agent is held back once for each approval; the person is told the command to approve. The hook never waits.
"""

from hookkit.gates import approvals, facts
from hookkit.gates.state import OWN, together
from hookkit.model import Decision, Event
from hookkit.policy import conditions
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.gates.state import GateState
    from hookkit.policy.types import Rule
    from hookkit.settings.layers import Settings

HOLDS = 1  # holds of an agent for the same approval
WAITING = (
    "Waiting for approval {id}{by}: {about}\nOnly a person can give it, with: {how}\n"
    "Tell the person what there is to approve, then stop. Do not approve it yourself and do not work around it."
)
NEEDED = "hookkit: approval needed{by}: {about} Give it with: {how} (or --deny)"
STILL = "hookkit: approval {id}{by} is still open: {about} Give it with: {how} (or --deny)"


def run(event: Event, settings: "Settings", state: "GateState") -> Decision | None:
    said = [_asked(rule, event, settings, state) for rule in state.rules("approval_gate")]
    return together([each for each in said if each is not None])


def _asked(rule: "Rule", event: Event, settings: "Settings", state: "GateState") -> Decision | None:
    due, unknown = is_due(rule, state)
    if not due:
        return None
    found = approvals.ask(settings.environ, wanted(rule, event, unknown))
    if found["state"] == approvals.DENIED:
        return Decision(message=f"hookkit: approval {found['id']} was denied by {found['by']}.")
    if found["state"] == approvals.APPROVED:
        return None
    decision = state.hold(f"approval-{found['id']}", HOLDS, waiting(found), STILL.format(**_words(found)))
    decision.message = decision.message or needed(found)
    return decision


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


def waiting(found: "approvals.Approval") -> str:
    """The reason for the agent."""
    return WAITING.format(**_words(found))


def needed(found: "approvals.Approval") -> str:
    """The message to the person."""
    return NEEDED.format(**_words(found))


def _words(found: "approvals.Approval") -> dict[str, str]:
    return {"id": found["id"], "by": by(found), "about": found["about"], "how": _how(found)}


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
        "id": approvals.identity(project, jsons.dumps([rule.get("match", "*"), config]), f"{event.name} {subject}"),
        "project": project,
        "about": about.rstrip(". ") + ".",
        "subject": subject,
        "approvers": config.get("approvers", []),
    }


def _how(found: "approvals.Approval") -> str:
    """The exact command; with --as where the rule lists its approvers."""
    name = found["approvers"][0] if found["approvers"] else ""
    return f"hookkit approve {found['id']}" + (f" --as {name}" if name else "")


def by(found: "approvals.Approval") -> str:
    return f" by {' or '.join(found['approvers'])}" if found["approvers"] else ""
