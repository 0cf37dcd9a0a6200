"""Points a prompt to the agent or command of a keyword, and gives the model the skill that the prompt is about."""

from hookkit.model import Decision, Event, combine
from hookkit.prompts import nudges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

EVENTS = ("UserPromptSubmit",)


def run(event: Event, settings: "Settings") -> Decision | None:
    prompt = event.prompt.strip()
    if not prompt or prompt.startswith("/") or settings["nudge.targets"] == "off":
        return None
    roots = nudges.config_dirs(event, settings)
    match = nudges.keyword(prompt, roots, event, settings)
    skill = nudges.skill(prompt, roots, event, settings, match.target[1:] if match else "")
    replies = [nudges.reply(match, in_run=event.answers is not None)] if match else []
    replies += [skill] if skill else []
    if not replies:
        return None
    both = combine(replies)
    both.reason = "; ".join(reply.reason for reply in replies)
    return both
