"""A promise to the user: the agent goes on until a check passes, up to a number of rounds.

Rounds belong to the promise, not to a session: neither a tool call nor a restart gives new rounds. New rounds come from
a check that passes, from another promise, or from a person's approval.
"""

from hookkit.model import Decision, Event
from hookkit.system import files
from hookkit.work.gates import approvals, checks
from hookkit.work.gates.answer import CountsFile, key, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings
    from hookkit.work.gates.answer import GateState

OVER = ("completed", "failed", "killed", "stopped", "cancelled")  # of a background task
GO_ON = "Not done yet, round {round} of {budget}: {failure}\nGo on until it passes."
AS_BEFORE = "{text} fails as in the round before. What you changed did not help: try something else."
SPENT = "hookkit: {text} still fails after {rounds}, so the agent may stop. More rounds: hookkit approve {id}"


def run(state: "GateState") -> Decision | None:
    event, settings = state.event, state.settings
    text = settings.values.get("gate.promise", "")
    if not text:
        return None
    if _is_waiting(event):
        return Decision(message="hookkit: background tasks are running, so the promise is looked at after them.")
    outcome = checks.run_command(text, event, settings.environ, int(settings["gate.check_seconds"]), state.deadline)
    if outcome.problem:
        return Decision(message=f"hookkit: {text} {outcome.problem}, so it does not hold the agent back.")
    project = files.repository(event.project)
    with CountsFile(settings.environ, "promise", approvals.identity(project, text, "")[:8]) as counter:
        if outcome.passed:
            rounds = number(counter, "rounds")
            counter.clear()
            return Decision(message=f"hookkit: {text} passes after {_rounds(rounds)}.") if rounds else None
        return _next(text, outcome, counter, settings, project)


def _is_waiting(event: Event) -> bool:
    tasks = event.fields.get("background_tasks")
    tasks = tasks if isinstance(tasks, list) else []
    return any(isinstance(task, dict) and task.get("status") not in OVER for task in tasks)


def _next(
    text: str, outcome: checks.CheckResult, stored: "dict[str, Any]", settings: "Settings", project: str
) -> Decision:
    budget = int(settings["gate.promise_budget"])
    more = {"digest": approvals.identity(project, text, "rounds"), "project": project, "subject": "rounds"}
    if number(stored, "rounds") >= budget:
        about = f"{_rounds(budget)} more for: {text}"
        approval = approvals.ask(settings.environ, {**more, "about": about, "approvers": []})
        if approval["state"] != approvals.APPROVED:
            return Decision(message=SPENT.format(text=text, rounds=_rounds(budget), id=approval["id"]))
        approvals.drop(settings.environ, approval["id"])
        stored.clear()
    failure = checks.failure(text, outcome)
    sum_ = files.checksum(key(failure, settings.environ).encode("utf-8", "surrogatepass"))
    failure = failure if stored.get("failure") != sum_ else AS_BEFORE.format(text=text)
    stored["rounds"] = number(stored, "rounds") + 1
    stored["failure"] = sum_
    return Decision("deny", GO_ON.format(round=stored["rounds"], budget=budget, failure=failure))


def _rounds(number: int) -> str:
    return "1 round" if number == 1 else f"{number} rounds"
