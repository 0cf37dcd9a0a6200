"""Before a tool runs: whether it takes that input, and the permission policy, about what would really run.

After it: rules that change the output, and programs of the user's own.
"""

import os

from hookkit.model import Decision, Event, combine
from hookkit.settings import inputs
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.judge import Judge
    from hookkit.policy.rules import Rule
    from hookkit.settings.layers import Settings


BEFORE = ("PreToolUse", "PermissionRequest")
MARK = "judged"  # mark of a session whose calls are judged before a dialog
EVENTS = (*BEFORE, "PostToolUse", "PostToolUseFailure")


def run(event: Event, settings: "Settings") -> Decision | None:
    """The input, then the rules; a program of the user's own is only asked about what these do not deny."""
    before = event.name in BEFORE
    if not before and event.session_id:
        _remember(event, settings)
    modifies = event.name == "PostToolUse" and settings.is_due("modify", event.name)
    if not event.tool_name or not (before or modifies or settings.is_due("command", event.name)):
        return None
    wrong = misshapen(event, settings) if before else ""
    if wrong:
        return Decision("deny", wrong)
    approves = before and settings.values.get("policy.approve", "none") != "none"
    is_quiet = before and event.command and settings.is_quiet(event.command, event.cwd)
    if is_quiet and not approves and not _has_copies(settings) and not _is_tainted(event, settings):
        return None
    from hookkit.policy.judge import Judge  # late: for most calls the engine need not be loaded

    judge = Judge(settings.policy, settings.environ)
    decision = judge.answer(event) if before else judge.output(event) if modifies else None
    rules = judge.due("command", event) if decision is None or decision.verdict != "deny" else []
    if rules:
        decision = _with_commands(rules, decision, judge, event)
    if decision is None and approves:
        from hookkit.verdicts import approve  # late: approval is off by default

        decision = approve.decision(event, judge, settings)
    is_call = event.name == "PreToolUse" and event.session_id and event.text("tool_use_id")
    if is_call and _has_copies(settings) and not _is_tainted(event, settings):
        from hookkit.verdicts import seen  # late: few sessions have copied a secret

        seen.look_for_copies(event, judge.call(event), settings.environ)
    if is_call and (decision is not None or _is_tainted(event, settings)):
        from hookkit.verdicts import permits  # late: most sessions have read no secret

        decision = permits.look(event, decision, judge, settings)
    return _in_turn(event, settings, decision)


def _is_tainted(event: Event, settings: "Settings", ending: str = "") -> bool:
    """Whether `verdicts.taint` has a note about this session."""
    state = files.state_dir(settings.environ)
    folder = os.path.join(state, "tainted")
    if not state or not event.session_id or not os.path.lexists(folder):
        return False
    return os.path.lexists(os.path.join(folder, files.safe_name(event.session_id) + ending))


def _has_copies(settings: "Settings") -> bool:
    """Whether a session that has read a secret wrote it to a file that may still be there."""
    state = files.state_dir(settings.environ)
    return bool(state) and os.path.lexists(os.path.join(state, "copies"))


def _remember(event: Event, settings: "Settings") -> None:
    """The session has read a secret: a call that was stopped because of one has run, or an output holds one."""
    if _is_tainted(event, settings, ".waiting"):
        from hookkit.verdicts import taint

        taint.mark(event, settings.environ)
    if event.fields.get("tool_response") and settings.values.get("taint.mode") != "off":
        from hookkit.verdicts import seen  # late: only calls with an output

        seen.look(event, settings.environ)


def _with_commands(rules: "list[Rule]", decision: Decision | None, judge: "Judge", event: Event) -> Decision | None:
    """The user's programs. One that fails takes nothing back of what the rules and the other programs have said."""
    from hookkit.errors import HandlerError
    from hookkit.handlers.kinds import command

    rulings, failed = command.judge_all(rules, event, judge.environ, judge.actor(event))
    answers = [answer for answer in (decision, *rulings) if answer is not None]
    decision = combine(answers) if answers else None
    if failed:
        error = HandlerError("; ".join(str(problem) for problem in failed))
        error.decision = decision
        raise error
    return decision


def _in_turn(event: Event, settings: "Settings", decision: Decision | None) -> Decision | None:
    """An allow at the dialog would overrule whoever called for it: an ask of ours, or of the person's own settings.

    So where hookkit had its say before the call, all that it still says at the dialog is no.
    """
    if decision is None or decision.verdict not in ("allow", "ask"):
        return decision
    from hookkit.system import marks

    if event.name == "PreToolUse" and not marks.was_told(settings.environ, event.session_id, MARK):
        try:
            marks.first_time(settings.environ, event.session_id, MARK)
        except OSError:
            return decision  # no place for a mark is no reason to lose the verdict
    if event.name == "PermissionRequest" and marks.was_told(settings.environ, event.session_id, MARK):
        return None
    return decision


def misshapen(event: Event, settings: "Settings") -> str:
    """What is wrong with the input, or nothing.

    An event without the id of a call is a question about one (`simulate`, a client that tells of a file alone): then a
    tool of the client's own need not be given all that it needs.
    """
    if settings.values.get("guard.schemas") is False:
        return ""
    rows = settings.values.get("schemas", {}).get(event.tool_name, ())
    schemas = [row["schema"] for row in rows if "untrusted" not in row]
    ships = inputs.schema(event.tool_name) if event.agent == "claude" else None
    forgiven = None if event.text("tool_use_id") else ships
    if ships is not None:
        seen = {**ships, "required": ()} if forgiven else ships
        schemas += [ships] if schemas or not inputs.is_plainly_right(seen, event.tool_input) else []
    if not schemas and not rows:
        return ""
    from hookkit.settings.inputs import explain  # late: for most calls the look is enough

    untrusted = [row["schema"] for row in rows if "untrusted" in row]
    return explain.refusal(event.tool_name, schemas, event.tool_input, forgiven=forgiven, untrusted=untrusted)
