"""Before a Bash call: replaces the guessed command by the project's own command."""

from hookkit.errors import ShellError
from hookkit.model import Decision, Event
from hookkit.redirect.detectors import WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

EVENTS = ("PreToolUse",)


def run(event: Event, settings: "Settings") -> Decision | None:
    command = event.command
    if not any(word in command for word in WORDS) and "redirect.detectors" not in settings.values:
        return None
    if not settings["redirect.enabled"] or not event.cwd:
        return None
    from hookkit.redirect.line import rewrite  # late: most commands never get here

    try:
        new = rewrite(command, event.cwd, settings)
    except ShellError:
        return None  # a line that cannot be read is left alone
    if new is None:
        return None
    return Decision(
        "allow" if new.whole and _may_allow(event, settings) else None,
        f"Redirected: {', '.join(new.actions)}" if new.actions else "Not redirected: ! taken off",
        updated_input={**event.tool_input, "command": new.text},
    )


def _may_allow(event: Event, settings: "Settings") -> bool:
    """The approval must not cover more than the command: no unsandboxed call, no call in plan mode."""
    widened = event.tool_input.get("dangerouslyDisableSandbox") or event.text("permission_mode") == "plan"
    return bool(settings["redirect.allow"]) and not widened
