"""Builds a nudge: the agent or command that a word of the prompt stands for, and the skill that the prompt is about."""

import os

from hookkit.errors import ConfigError
from hookkit.model import Decision, Event
from hookkit.prompts.keywords import KEYWORDS, KeywordMatch, calls, matches
from hookkit.prompts.prose import words
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings


# Files that define a target, below a .claude directory.
PLACES = {
    "/": (("commands", "{}.md"), ("skills", "{}/SKILL.md")),
    "@": (("agents", "{}.md"), ("skills", "{}/SKILL.md")),
}
FOLDERS = 500  # searched for a target: an untrusted tree may have any size
LONGEST = 100  # characters in a target


def keyword(prompt: str, roots: list[str], event: Event, settings: "Settings") -> KeywordMatch | None:
    """The first keyword that the prompt asks for, unless the prompt calls its target already."""
    rows = table(settings)
    is_any = settings.value("nudge.targets", in_run=event.answers is not None) == "all"
    for match in matches(prompt, words(prompt), rows, fuzzy=settings["nudge.fuzzy"]):
        if calls(prompt, match.target):
            continue
        if is_any or exists(match.target, roots):
            return match
    return None


def skill(prompt: str, roots: list[str], event: Event, settings: "Settings", called: str) -> Decision | None:
    """The text of the skill that the prompt is about, once a session while the skill's file stays the same."""
    places = [root for root in roots if os.path.isdir(os.path.join(root, "skills"))]
    if not places or not settings["nudge.skills"]:
        return None
    from hookkit.prompts import skills

    environ = settings.environ
    match = skills.find(
        prompt, skills.load_index(places, _claude_directory(environ), environ), fuzzy=settings["nudge.fuzzy"]
    )
    if match is None or match.name == called:
        return None
    from hookkit.system import clipping, marks

    mark = (environ, event.session_id, match.sum, files.repository(event.project))
    if event.session_id and marks.was_told(*mark):
        return None
    text = skills.context(match, prompt, min(settings["nudge.skill_characters"], clipping.LIMIT))
    if not text or (event.session_id and not marks.first_time(*mark)):
        return None
    why = ", ".join(f'"{word}"' for word in match.words)
    message = f"The model was given the skill {match.name}."
    return Decision(context=text, message=message, reason=f'the skill "{match.name}" ({why})')


def reply(match: KeywordMatch, *, in_run: bool) -> Decision:
    """The order is for the model; in `run` the person reads who speaks, and why."""
    kind = "an agent" if match.target.startswith("@") else "a command"
    person = f'hookkit: there is {kind} for "{match.word}": {match.target}'
    how = "exact" if match.word == match.keyword else f'fuzzy: "{match.word}"'
    return Decision(
        message=person if in_run else f"Invoke {match.target}.",
        context=f'The prompt says "{match.word}", so unless it plainly means something else: Invoke {match.target}.',
        reason=f'the keyword "{match.keyword}" ({how})',
    )


def table(settings: "Settings") -> dict[str, str]:
    """Keyword → target, the user's rows first. A target is a single name: a row must not carry a text to the model."""
    rows = {}
    for word, target in settings["nudge.keywords"].items():
        name = target[1:].replace("-", "").replace("_", "").replace(".", "").replace(":", "").replace("/", "")
        if target[:1] not in PLACES or not name.isalnum() or len(target) > LONGEST:
            raise ConfigError(f'nudge.keywords: {word}: expected "/command" or "@agent", not {target!r}')
        rows[word.lower()] = target
    if settings["nudge.builtin"]:
        rows |= {word: target for word, target in KEYWORDS.items() if word not in rows}
    return rows


def config_dirs(event: Event, settings: "Settings") -> list[str]:
    """The .claude directories of the project, the repository and the user."""
    places = [os.path.join(place, ".claude") for place in (event.project, files.repository(event.cwd)) if place]
    return [root for root in dict.fromkeys((*places, _claude_directory(settings.environ))) if os.path.isabs(root)]


def _claude_directory(environ: dict[str, str]) -> str:
    return environ.get("CLAUDE_CONFIG_DIR", "") or os.path.join(files.home(environ), ".claude")


def exists(target: str, roots: list[str]) -> bool:
    """Whether a file defines the target. The name is untrusted: a name that could leave the directory is refused."""
    parts = target[1:].replace(":", "/").split("/")
    if any(not part or part.startswith(".") for part in parts):
        return False
    wanted = [(folder, form.format("/".join(parts))) for folder, form in PLACES[target[0]]]
    return any(_holds(os.path.join(root, folder), file) for root in roots for folder, file in wanted)


def _holds(folder: str, file: str) -> bool:
    """Whether the folder or a folder below it has the file: the client reads the whole tree."""
    for count, (here, _, _) in enumerate(os.walk(folder)):
        if os.path.isfile(os.path.join(here, file)):
            return True
        if count >= FOLDERS:
            return False
    return False
