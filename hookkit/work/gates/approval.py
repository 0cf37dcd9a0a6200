"""Rules of type approval_gate: some work needs a person's approval, before the agent may stop or before a call.

Before a stop the agent is held back once for each approval. The person is told the command to approve, and the hook
does not wait. Before a call the person is asked; where no person can be asked, the call is denied until the person has
run `hookkit approve`.
"""

import os

from hookkit.errors import HookkitError
from hookkit.ledger import places
from hookkit.model import Decision, Event, combine
from hookkit.policy import conditions
from hookkit.policy.rules import is_remote
from hookkit.settings.sources import OF_SESSIONS, unsupplied
from hookkit.system import files, jsons, user_programs
from hookkit.system.masking import line, text_of_call
from hookkit.system.user_programs import Deadline
from hookkit.work import efforts, sessions
from hookkit.work.gates import approvals
from hookkit.work.gates.answer import OWN, GateState, together
from hookkit.work.store import Work, facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from hookkit.policy.rules import Rule
    from hookkit.settings.layers import Settings


SHOWN = 200  # characters of a call in a message; `hookkit approve` and the page show it whole
HOLDS = 1  # holds of an agent for the same approval
WAITING = (
    "Waiting for approval {id}{by}: {about}\nOnly a person can give it, with: {how}\n"
    "Tell the person what there is to approve, then stop. Do not approve it yourself and do not work around it."
)
NEEDED = "hookkit: approval needed{by}: {about} Give it with: {how} (or --deny)"
STILL = "hookkit: approval {id}{by} is still open: {about} Give it with: {how} (or --deny)"


def run(state: GateState) -> Decision | None:
    decisions = [_decision(rule, state) for rule in state.rules("approval_gate")]
    return together([decision for decision in decisions if decision is not None])


def _decision(rule: "Rule", state: GateState) -> Decision | None:
    event = state.event
    is_due, unknown = _is_due(rule, state)
    if not is_due:
        return None
    approval = _opened(rule, event, state.settings.environ, wanted(rule, event, unknown))
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


def _is_due(rule: "Rule", state: GateState) -> tuple[bool, str]:
    """Whether the rule's condition holds, and why the condition could not be checked, if so.

    A condition that could not be checked counts as one that holds: the gate must not open silently.
    """
    condition = (rule.get("config") or {}).get("condition", "")
    if not condition:
        return True, ""
    tree = conditions.parse(condition)
    values, unknown = gather(tree.roots, state)
    return bool(unknown) or conditions.holds(tree, values), unknown


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


# -- before a call -----------------------------------------------------------------------------------------------------


TOO_LONG = "This call needs an approval{by}, and is too long for a person to read: {about} Split it into smaller calls."
FAILED = "hookkit could not check whether this call needs an approval: {error}"
ASKED = "This call needs an approval{by}: {about}"


def ask_before(event: Event, settings: "Settings") -> Decision | None:
    """Judges the call as written, and as rewritten by the hooks before this one. A gate that fails stays closed."""
    from hookkit.policy.judge import Judge  # late: most stops have no rule

    judge = Judge(settings.policy, settings.environ)
    rules = [(rule, call) for call in (event, *event.rewritten()) for rule in judge.due("approval_gate", call)]
    deadline = Deadline(user_programs.time_limit(event.name, settings.environ))  # one for all that wait for the hub
    try:
        decisions = [
            decision for rule, call in rules if (decision := _judged(rule, call, settings, deadline)) is not None
        ]
    except (OSError, HookkitError) as error:
        return Decision("ask", FAILED.format(error=getattr(error, "strerror", None) or error))
    return combine(decisions) if decisions else None


def _judged(rule: "Rule", event: Event, settings: "Settings", deadline: Deadline) -> Decision | None:
    is_due, unknown = _is_due(rule, GateState(event, settings))
    if not is_due:
        return None
    approval = wanted(rule, event, unknown, _subject(event, settings.environ))
    decision = _decided(rule.get("config") or {}, event, settings, approval, deadline)
    if decision.verdict:
        decision.rule = f"approval_gate {rule.get('match', '*')}"
        return decision
    return None


def _decided(
    config: "dict[str, Any]", event: Event, settings: "Settings", approval: "approvals.Approval", deadline: Deadline
) -> Decision:
    is_attended = event.is_attended(settings.environ) and not settings["policy.unattended"]
    is_remote = config.get("remote") is True
    if is_remote or not is_attended:
        approval["call"] = text_of_call(f"{event.tool_name} {event.command or jsons.dumps(event.tool_input)}")
        if len(approval["call"]) > approvals.LONGEST:
            return Decision("deny", TOO_LONG.format(by=by(approval), about=approval["about"]))
    if is_remote:
        from hookkit.work.gates import remote

        decision = remote.answer(event, settings, approval, config, deadline)
        if decision is not None:
            return decision
    if is_attended:
        return Decision("ask", ASKED.format(by=by(approval), about=approval["about"]))
    return settled(event, approvals.ask(settings.environ, approval))


def _subject(event: Event, environ: dict[str, str]) -> str:
    """The very call: another command needs an approval of its own. An input may hold a secret: the digest is keyed."""
    given = jsons.dumps(event.tool_input).encode("utf-8", "surrogatepass")
    return f"{event.session_id} {event.tool_name} {places.keyed(environ, given)}"


# -- facts for conditions: only those that a condition names are looked up ---------------------------------------------


def gather(roots: "Iterable[str]", state: GateState) -> "tuple[dict[str, Any], str]":
    """The facts, and why some of them are not known, or an empty text."""
    values: dict[str, Any] = {}
    unknown = ""
    for root in roots:
        values[root] = SOURCES[root](state) if root in SOURCES else {}
        if root not in OF_SESSIONS or not values[root]:
            has_sessions = not state.settings.is_idle("track")
            unknown = unknown or unsupplied(root, has_sessions=has_sessions)
    return values, unknown or str(values.get("git", {}).get("unknown", ""))


def _event(state: GateState) -> "dict[str, Any]":
    event = state.event
    return {**event.fields, "name": event.name, "cwd": event.cwd, "project": event.project}


def _session(state: GateState) -> "dict[str, Any]":
    return {
        "id": state.event.session_id,
        "blocks": state.blocks(),
        "actor": state.event.actor(state.settings.environ, str(state.settings["policy.actor"])),
    }


def _effort(state: GateState) -> "dict[str, Any]":
    return effort_facts(state.event.session_id, state.event.project, state.settings.environ)


def _commitment(state: GateState) -> "dict[str, Any]":
    """The commitment (Mentu) as the event brings it, else as kept with the effort: `effort set commitment='{…}'`."""
    event = state.event
    given = event.fields.get("commitment")
    if not isinstance(given, dict):
        commitment = _effort(state).get("commitment")
        given = commitment if isinstance(commitment, dict) else {}
    number = event.text("commitment_id")
    return {**given, "id": number} if number else given


def _git(state: GateState) -> "dict[str, Any]":
    """Empty outside of a repository. `unknown` is the reason why git gave no answer inside of one."""
    from hookkit.system import git

    event, environ = state.event, state.settings.environ
    status, unknown = git.full_status(event.cwd, environ)
    if not status:
        return {"unknown": unknown} if unknown else {}
    names = [entry[3:] for entry in status[1:]]
    stat = git.diff_stat(event.cwd, environ, git.PATIENT[0])
    return {
        "root": files.repository(event.cwd),
        "branch": _branch(status[0]),
        "dirty": bool(names),
        "files": names,
        "insertions": _counted(stat, "insertion"),
        "deletions": _counted(stat, "deletion"),
    }


def _branch(line: str) -> str:
    """The branch in `## topic...origin/topic [ahead 1]`, or in `## No commits yet on topic`."""
    name = line.removeprefix("## ").removeprefix("No commits yet on ").partition("...")[0]
    return "" if name.startswith("HEAD (") else name


def _counted(stat: str, noun: str) -> int:
    """The number before the noun in `2 files changed, 10 insertions(+), 3 deletions(-)`."""
    for part in stat.rpartition("\n")[2].split(","):
        words = part.split()
        if len(words) > 1 and words[1].startswith(noun) and words[0].isdigit():
            return int(words[0])
    return 0


SOURCES = {"event": _event, "session": _session, "effort": _effort, "commitment": _commitment, "git": _git}


COLUMNS = ("id", "skill", "mode", "phase", "lifecycle", "agent", "ordinal")


def effort_facts(client: str, project: str, environ: dict[str, str]) -> "dict[str, Any]":
    """Empty if the session has no effort. A session that hookkit has not seen yet belongs to the project's effort."""
    if not os.path.exists(os.path.join(files.state_dir(environ), "work.db")):
        return {}
    work = Work(environ, wait=0.2)
    try:
        session, effort = sessions.find(work, client, "")
        if session is None:
            effort = efforts.effort_of(work, efforts.project_of(project))
    finally:
        work.close()
    return {**facts(effort["metadata"]), **{name: effort[name] for name in COLUMNS}} if effort is not None else {}
