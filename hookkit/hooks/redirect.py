"""Before a Bash call: replaces the guessed command by the project's own command."""

from hookkit.errors import ShellError
from hookkit.model import Decision, Event
from hookkit.redirect.detectors import may_match

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

EVENTS = ("PreToolUse",)


def run(event: Event, settings: "Settings") -> Decision | None:
    command = event.command
    if "redirect.detectors" not in settings.values and not may_match(command):
        return None
    if not settings["redirect.enabled"] or not event.cwd or event.is_denied:
        return None  # for a denied call no file of the project needs to be read
    from hookkit.redirect import decision, line  # late: most commands need no redirect

    try:
        new = line.rewrite(command, event.cwd, settings, event.look, takes_off=event.answers is not None)
    except ShellError:
        return None  # a line that cannot be read is left alone
    return decision.decide(event, settings, new) if new is not None else None
