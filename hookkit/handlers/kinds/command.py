"""A program of the user's: the event on stdin, the answer on stdout or as the exit code.

    exit 0                 stdout decides; empty stdout is no answer
    exit 2                 deny, with stderr as the reason
    any other code         a failure

Rules of `type = "command"` use the same exit codes and replies; a failure there is answered as --on-error says.
"""

from hookkit.errors import HandlerError, HandlerTimeoutError
from hookkit.handlers import replies
from hookkit.handlers.handler import HandlerCall
from hookkit.handlers.replies import Reply
from hookkit.model import Decision, Event
from hookkit.system import jsons
from hookkit.system.user_programs import (
    LATE,
    NO_TIME,
    STOPPED,
    Deadline,
    ProgramResult,
    UserProgram,
    run_together,
    time_limit,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.rules import Rule

SECONDS = 10  # of a rule's program
DENIED = 2
LONGEST_REASON = 2_000
LONGEST_ERROR = 200  # characters of stderr in a problem


def program(call: HandlerCall) -> tuple[UserProgram, bytes]:
    """The shell gets the text as the user wrote it; nothing of the event is put into the text."""
    call.check_trust()
    body, event = call.handler.body, call.event
    made = UserProgram(_text(body["command"]), event.cwd, call.environ, call.handler.seconds)
    if body["parse_result"]:
        made.goes_on = _goes_on
    return made, call.json() if body["pass_context"] else b""


def _goes_on(out: bytes) -> bool:
    """Whether the program has said that it goes on in the background."""
    return replies.promise(out) is not None


def _text(command: "str | list[str]") -> str:
    """A list of words, each quoted for the shell: no character in them means anything."""
    if isinstance(command, str):
        return command
    return "exec " + " ".join("'" + word.replace("'", "'\\''") + "'" for word in command)


def finish(call: HandlerCall, result: ProgramResult) -> Reply:
    return reply(result, call.event.name, parse=call.handler.body["parse_result"])


def reply(result: ProgramResult, event: str, *, parse: bool = True) -> Reply:
    if result.problem.startswith((LATE, NO_TIME, STOPPED)):
        raise HandlerTimeoutError(result.problem)
    if result.problem:
        raise HandlerError(result.problem)
    stderr = result.stderr.decode("utf-8", "replace").strip()
    if result.code == DENIED:
        return Reply(Decision("deny", stderr[:LONGEST_REASON] or "exited with 2, without a reason on stderr"))
    if result.code:
        ended = f"was ended by signal {-result.code}" if result.code < 0 else f"exited with {result.code}"
        raise HandlerError(ended + (f": {stderr[-LONGEST_ERROR:]}" if stderr else ""))
    return replies.read(result.stdout, event) if parse else Reply()


def judge_all(
    rules: "list[Rule]", event: Event, environ: dict[str, str], actor: str
) -> tuple[list[Decision], list[HandlerError]]:
    """The answers of rules of `type = "command"`, and the failures. All run at the same time, within one deadline.

    So a program that fails, or is slow, never costs another program its answer.
    """
    raw = jsons.dumps({**event.fields, "tool_input": event.tool_input, "actor": actor}).encode()
    programs = [(UserProgram(rule["run"], event.cwd, environ, rule.get("timeout") or SECONDS), raw) for rule in rules]
    results = run_together(programs, Deadline(time_limit(event.name, environ)))
    decisions: list[Decision] = []
    failed: list[HandlerError] = []
    for rule, result in zip(rules, results, strict=True):
        try:
            decision = judge(rule, event, result)
        except HandlerError as error:  # noqa: PERF203 - a few programs
            failed.append(error)
        else:
            decisions += [decision] if decision is not None else []
    return decisions, failed


def judge(rule: "Rule", event: Event, result: ProgramResult) -> Decision | None:
    """The answer of a rule of `type = "command"`."""
    try:
        answer = reply(result, event.name)
    except HandlerError as error:
        raise HandlerError(f"{rule['run']}: {error}") from None
    if answer.strange:
        event.notes.append((f"reply-{rule['run'][:40]}", f"{rule['run']}: {replies.unknown(answer.strange)}"))
    if answer.decision is not None and answer.decision.evidence is not None:
        event.handled.append({"name": rule["run"][:100], "kind": "rule", "evidence": answer.decision.evidence})
    is_said = answer.decision is not None and not replies.is_empty(answer.decision)
    return answer.decision if is_said else None
