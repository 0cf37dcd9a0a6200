"""Before a tool runs: the permission policy, about what would really run."""

from hookkit.model import Decision, Event
from hookkit.policy import quick

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings import Settings

EVENTS = ("PreToolUse", "PermissionRequest")


def run(event: Event, settings: "Settings") -> Decision | None:
    if not event.tool_name or (event.command and quick.is_quiet(event.command, settings.policy)):
        return None
    from hookkit.policy.judge import Judge  # late: for most calls the engine need not be loaded

    return Judge(settings.policy, settings.environ).answer(event)
