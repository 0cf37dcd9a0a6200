"""Before a tool runs: the permission policy, about what would really run."""

from hookkit.model import Decision, Event, combine
from hookkit.policy import quick

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings import Settings

EVENTS = ("PreToolUse", "PermissionRequest")


def run(event: Event, settings: "Settings") -> Decision | None:
    """The rules first; a program of the user's own is only asked about what they do not deny."""
    if not event.tool_name or (event.command and quick.is_quiet(event.command, settings.watch)):
        return None
    from hookkit.policy.judge import Judge  # late: for most calls the engine need not be loaded

    judge = Judge(settings.policy, settings.environ)
    decision = judge.answer(event)
    rules = judge.commands(event) if decision is None or decision.verdict != "deny" else []
    if not rules:
        return decision
    from hookkit.handlers import command

    said = [command.run(rule, event, settings.environ, judge.actor(event)) for rule in rules]
    answers = [answer for answer in (decision, *said) if answer is not None]
    return combine(answers) if answers else None
