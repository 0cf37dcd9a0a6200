"""Point a prompt to the agent or command that one of its words stands for, and give it the skill that it is about."""

import os

from hookkit.errors import ConfigError
from hookkit.model import Decision, Event, combine
from hookkit.prompts import keywords, wishes
from hookkit.prompts.prose import words
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

EVENTS = ("UserPromptSubmit",)

# Where a target is defined, below a .claude directory.
PLACES = {
    "/": (("commands", "{}.md"), ("skills", "{}/SKILL.md")),
    "@": (("agents", "{}.md"), ("skills", "{}/SKILL.md")),
}
FOLDERS = 500  # that are looked through for one: a stranger's tree may be any size
LONGEST = 100  # characters in a target


def run(event: Event, settings: "Settings") -> Decision | None:
    prompt = event.prompt.strip()
    if not prompt or prompt.startswith("/") or not settings["nudge.enabled"]:
        return None
    roots = _roots(event, settings)
    match = _keyword(prompt, roots, settings)
    skill = _skill(prompt, roots, event, settings, match.target[1:] if match else "")
    replies = [_reply(match)] if match else []
    replies += [skill] if skill else []
    if not replies:
        return None
    both = combine(replies)
    both.reason = "; ".join(reply.reason for reply in replies)
    return both


def _keyword(prompt: str, roots: list[str], settings: "Settings") -> wishes.Match | None:
    rows = table(settings)
    for match in wishes.matches(prompt, words(prompt), rows, fuzzy=settings["nudge.fuzzy"]):
        if wishes.calls(prompt, match.target):
            continue
        if not settings["nudge.only_existing"] or exists(match.target, roots):
            return match
    return None


def _skill(prompt: str, roots: list[str], event: Event, settings: "Settings", called: str) -> Decision | None:
    """The skill that the prompt is about, once a session as long as it stays the same."""
    places = [root for root in roots if os.path.isdir(os.path.join(root, "skills"))]
    if not places or not settings["nudge.skills"]:
        return None
    from hookkit.prompts import skills

    environ = settings.environ
    found = skills.find(prompt, skills.load(places, _own(environ), environ), fuzzy=settings["nudge.fuzzy"])
    if found is None or found.name == called:
        return None
    from hookkit.prompts import skill_text
    from hookkit.system import clipping, marks

    told = (environ, event.session_id, found.sum, files.repository(event.project))
    if event.session_id and marks.was_told(*told):
        return None
    text = skill_text.speech(found, prompt, min(settings["nudge.skill_characters"], clipping.LIMIT))
    if not text or (event.session_id and not marks.first_time(*told)):
        return None
    why = ", ".join(f'"{said}"' for said in found.words)
    message = f"The model was given the skill {found.name}."
    return Decision(context=text, message=message, reason=f'the skill "{found.name}" ({why})')


def table(settings: "Settings") -> dict[str, str]:
    """Keyword → target, the user's rows first. A target is one name, so that a row cannot smuggle in a speech."""
    rows = {}
    for word, target in settings["nudge.keywords"].items():
        name = target[1:].replace("-", "").replace("_", "").replace(".", "").replace(":", "").replace("/", "")
        if target[:1] not in PLACES or not name.isalnum() or len(target) > LONGEST:
            raise ConfigError(f'nudge.keywords: {word}: expected "/command" or "@agent", not {target!r}')
        rows[word.lower()] = target
    if settings["nudge.builtin"]:
        rows |= {word: target for word, target in keywords.KEYWORDS.items() if word not in rows}
    return rows


def _roots(event: Event, settings: "Settings") -> list[str]:
    """The .claude directories that count here."""
    places = [os.path.join(place, ".claude") for place in (event.project, files.repository(event.cwd)) if place]
    return [root for root in dict.fromkeys((*places, _own(settings.environ))) if os.path.isabs(root)]


def _own(environ: dict[str, str]) -> str:
    return environ.get("CLAUDE_CONFIG_DIR", "") or os.path.join(files.home(environ), ".claude")


def exists(target: str, roots: list[str]) -> bool:
    """Whether a target is defined. Its name is a stranger's: one that could lead elsewhere is no target."""
    parts = target[1:].replace(":", "/").split("/")
    if any(not part or part.startswith(".") for part in parts):
        return False
    wanted = [(folder, form.format("/".join(parts))) for folder, form in PLACES[target[0]]]
    return any(_holds(os.path.join(root, folder), file) for root in roots for folder, file in wanted)


def _holds(folder: str, file: str) -> bool:
    """The client reads these folders with everything below them."""
    for count, (here, _, _) in enumerate(os.walk(folder)):
        if os.path.isfile(os.path.join(here, file)):
            return True
        if count >= FOLDERS:
            return False
    return False


def _reply(match: wishes.Match) -> Decision:
    how = "exact" if match.word == match.keyword else f'fuzzy: "{match.word}"'
    return Decision(
        message=f"Invoke {match.target}.",
        context=f'The prompt says "{match.word}", so unless it plainly means something else: Invoke {match.target}.',
        reason=f'the keyword "{match.keyword}" ({how})',
    )
