"""LOCAL.md and the rules: at the first prompt, when the person asks for it, and after a compaction.

The same content goes out once a session; a compaction takes it out of the conversation and so arms it again.
"""

import os

from hookkit.model import Decision, Event
from hookkit.system import clipping, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

EVENTS = ("UserPromptSubmit", "SessionStart", "PreCompact")

JUST_NOW = 3  # seconds in which two calls are about the same compaction

RULES = (
    "{file} says what holds on this machine; where it and the repository's own documents differ, follow {file}.",
    "After a compaction, read a file again before you edit it.",
    "When one of these rules keeps you from what was asked, say so instead of working around it.",
)


def run(event: Event, settings: "Settings") -> Decision | None:
    first = event.name == "UserPromptSubmit" and not _asked(event, settings)
    if event.name == "SessionStart" and event.text("source") != "compact":
        return None
    root = files.repository(event.project)
    if event.name != "UserPromptSubmit" and event.session_id:
        from hookkit.system import marks

        marks.forget(settings.environ, event.session_id, root)  # what nudge said is taken out as well
    name = f"local-{files.safe_name(event.session_id)}" if event.session_id else ""
    if first and name and os.path.exists(os.path.join(root, ".claude", "tmp", name)):
        return None  # the most frequent case by far, so it is the cheapest
    text = _text(event, settings) if settings["local.enabled"] else ""
    if not text:
        return None
    if name and not _claim(os.path.join(files.session_dir(root, settings.environ), name), text, event, first=first):
        return None
    return Decision(context=text, reason=f"{settings['local.file']} on {event.name}")


def _asked(event: Event, settings: "Settings") -> bool:
    """Whether the prompt has one of the words that ask for the notes again."""
    prompt = event.prompt[:2000].lower()
    if "local.triggers" not in settings.values and "continue" not in prompt and "recap" not in prompt:
        return False
    words = "".join(char if char.isalnum() else " " for char in prompt).split()
    return any(trigger.lower() in words for trigger in settings["local.triggers"])


def _claim(state: str, text: str, event: Event, *, first: bool) -> bool:
    """Whether this call is the one that sends this text: of many at once, one is."""
    import fcntl
    import time

    if event.name == "PreCompact":
        if os.path.lexists(state):
            os.unlink(state)
        return True
    try:
        handle = os.open(state, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        _forget_old(os.path.dirname(state))
    except FileExistsError:
        if first:
            return False
        handle = os.open(state, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(handle, "r+b") as file:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False  # another call is sending it right now
        sum_ = files.checksum(text.encode("utf-8", "surrogatepass")).encode()
        after = event.name == "SessionStart"  # a compaction took it away, however often it was sent before
        info = os.fstat(handle)
        if info.st_nlink != 1:
            return False  # a second name of somebody's file
        fresh = abs(time.time() - info.st_mtime) < JUST_NOW
        said = file.read()
        if said.rstrip(b"+") == sum_ and (not after or (fresh and said != sum_)):
            return False
        file.seek(0)
        file.truncate()
        file.write(sum_ + b"+" * after)
    return True


def _forget_old(directory: str) -> None:
    import time

    files.prune(directory, time.time(), prefix="local-")


def _text(event: Event, settings: "Settings") -> str:
    """The notes and the rules within the budget; the rules always whole."""
    from hookkit.prompts import local_notes

    root = files.repository(event.cwd)
    name = settings["local.file"]
    path = local_notes.find(name, event.cwd, root) if "/" not in name or not os.path.isabs(name) else ""
    rules = settings["local.rules"] or (RULES if path else ())
    below = "\n".join(f"- {rule}" for rule in rules).replace("{file}", name)
    below = clipping.clip(f"# Rules\n\n{below}", clipping.LIMIT // 2) if rules else ""
    if not path:
        return below
    head = f"# {name}\n\n"
    room = clipping.LIMIT - clipping.length(head) - clipping.length(below) - 2
    return head + clipping.clip(local_notes.read(path, root), room, name) + (f"\n\n{below}" if below else "")
