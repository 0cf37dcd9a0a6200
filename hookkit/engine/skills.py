"""Skills of a session: hooks in the frontmatter of a SKILL.md count from the skill's start to the session's end.

A skill starts when the agent calls its tool for skills, reads the SKILL.md, or gets a prompt that starts with its name.
"""

import os
import re

from hookkit.engine.foreign import HookFile, Places
from hookkit.errors import HookkitError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.model import Event
    from hookkit.settings.layers import Settings

FOLDERS = (".claude/skills", ".agents/skills")  # of a project, and of a home directory
FILE = "SKILL.md"
MOST = 20  # skills of a session
LISTED = 500  # skills of a project that `hookkit trust` looks at
LIMIT = 100_000  # bytes of a session's list
LOOKED = 10_000  # characters of a command
NAME = re.compile(r"[\w.-]{1,100}")


def running(event: "Event", settings: "Settings", places: Places) -> list[HookFile]:
    """The files of the skills that have started in this session before this event; this event may start one more."""
    state = files.state_dir(settings.environ)
    if not state or not event.session_id:
        return []
    path = os.path.join(state, "skills", f"{files.safe_name(event.session_id)}.json")
    known = _kept(path)
    name = _started(event)
    new = [file for file in _named(name, places, settings.environ) if file.path not in known] if name else []
    if event.name == "SessionEnd" and known:
        os.unlink(path)
    elif new and len(known) < MOST:
        files.private_dir(files.private_dir(state) + "/skills")
        files.write(path, jsons.dumps([*known, new[0].path]).encode())
    return [_file(path, places) for path in known]


def _kept(path: str) -> list[str]:
    try:
        found = jsons.loads(files.read_own(path, LIMIT))
    except (OSError, HookkitError):
        return []
    return [path for path in found if isinstance(path, str)] if isinstance(found, list) else []


def _started(event: "Event") -> str:
    """The name of the skill that an event starts, or an empty text."""
    if event.name == "UserPromptSubmit":
        word = event.prompt.lstrip().partition(" ")[0].strip()
        return word[1:] if word[:1] in ("/", "$") and NAME.fullmatch(word[1:]) else ""
    if event.name != "PreToolUse" or _is_denied(event):
        return ""
    if event.tool_name == "Skill":
        name = str(event.tool_input.get("skill", "")).rpartition(":")[2]
        return name if NAME.fullmatch(name) else ""
    told = f"{event.tool_input.get('file_path', '')} {event.command[:LOOKED]}"
    found = re.search(rf"({NAME.pattern})/{re.escape(FILE)}\b", told) if FILE in told else None
    return found[1] if found else ""


def _is_denied(event: "Event") -> bool:
    return any(each.decision is not None and each.decision.verdict == "deny" for each in event.answers or ())


def _named(name: str, places: Places, environ: dict[str, str]) -> "Iterator[HookFile]":
    """The skill of this name: the person's own first, as in the client, then the project's, then those of plugins."""
    home = files.home(environ)
    folders = [os.path.join(places.base, "skills")] if places.base else []
    folders += [os.path.join(home, FOLDERS[1])] if home else []
    folders += [os.path.join(places.project, folder) for folder in FOLDERS if places.project]
    folders += [os.path.join(directory, "skills") for directory in places.plugins()]
    for folder in folders:
        file = _file(os.path.join(folder, name, FILE), places)
        if os.path.isfile(file.path) and file.data(file.text()):
            yield file


def _file(path: str, places: Places) -> HookFile:
    is_projects = bool(places.project) and path.startswith(os.path.join(places.project, ""))
    plugin = next((directory for directory in places.plugins() if path.startswith(os.path.join(directory, ""))), "")
    return HookFile(path, plugin=plugin, root=places.project if is_projects else "")


def of_project(project: str) -> list[str]:
    """The SKILL.md files of a project."""
    found: list[str] = []
    for folder in FOLDERS:
        top = os.path.join(project, folder)
        names = sorted(os.listdir(top))[:LISTED] if os.path.isdir(top) else []
        found += [path for name in names if os.path.isfile(path := os.path.join(top, name, FILE))]
    return found
