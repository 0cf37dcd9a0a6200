"""LOCAL.md and the rules for the model: at the first prompt, on request, and after a compaction.

The same text goes out once a session, and again after a compaction has removed it from the conversation.
"""

import os

from hookkit.model import Decision, Event
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

EVENTS = ("UserPromptSubmit", "SessionStart", "PreCompact")


def run(event: Event, settings: "Settings") -> Decision | None:
    first = event.name == "UserPromptSubmit" and not _is_asked_for(event, settings)
    if event.name == "SessionStart" and event.text("source") != "compact":
        return None
    root = files.repository(event.project)
    if event.name != "UserPromptSubmit" and event.session_id:
        from hookkit.system import marks

        marks.forget(settings.environ, event.session_id, root)  # the compaction removes the skills' texts too
    name = f"local-{files.safe_name(event.session_id)}" if event.session_id else ""
    if first and name and os.path.exists(os.path.join(root, ".claude", "tmp", name)):
        return None  # by far the most frequent case, so kept the cheapest
    from hookkit.prompts import local_notes

    text = local_notes.text(event, settings) if settings["local.enabled"] else ""
    if not text:
        return None
    state = os.path.join(files.session_dir(root, settings.environ), name) if name else ""
    if state and not local_notes.claim(state, text, event, first=first):
        return None
    if event.name == "PreCompact" and not settings.value("local.summary", in_run=event.answers is not None):
        return None  # the client would print the text on the screen; SessionStart sends it after the compaction
    return Decision(context=text, reason=f"{settings['local.file']} on {event.name}")


def _is_asked_for(event: Event, settings: "Settings") -> bool:
    """Whether the prompt has a trigger word (continue, recap): a request for LOCAL.md."""
    prompt = event.prompt[:2000].lower()
    if "local.triggers" not in settings.values and "continue" not in prompt and "recap" not in prompt:
        return False
    words = "".join(char if char.isalnum() else " " for char in prompt).split()
    triggers = settings.value("local.triggers", in_run=event.answers is not None)
    return any(trigger.lower() in words for trigger in triggers)
