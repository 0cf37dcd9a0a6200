"""Hooks of Claude Code's own files, for agents that do not know these files; of settings and of skills.

An agent that runs a hook itself never gets it a second time from hookkit: `auto` leaves out Claude Code and the agents
that read its settings. Calls of hookkit in these files are left out always.
"""

import os
import re

from hookkit.errors import HookkitError
from hookkit.settings import hook_files, hook_rows
from hookkit.settings.mistakes import SettingsCheck
from hookkit.settings.trust import is_trusted
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookkit.model import Event
    from hookkit.settings.layers import Settings

    Row = dict[str, Any]


READERS = ("claude", "cursor", "copilot", "grok")  # agents that run the hooks of Claude Code's settings themselves
LIMIT = 1 << 20  # bytes of a file
PROJECT_FILES = (".claude/settings.json", ".claude/settings.local.json")
MOST = 200  # plugins


class HookFile:
    """A file with hooks: `plugin` is the directory of its plugin, `root` its project if the project must be trusted."""

    __slots__ = ("is_skill", "path", "plugin", "root")

    def __init__(self, path: str, *, plugin: str = "", root: str = "") -> None:
        self.path = path
        self.plugin = plugin
        self.root = root
        self.is_skill = path.endswith(".md")

    def text(self) -> str:
        try:
            return files.read(self.path, LIMIT).decode("utf-8-sig", "replace")
        except (OSError, ValueError):
            return ""

    def data(self, text: str) -> "Row":
        """The content, if it has hooks."""
        fields = _frontmatter(self.path, text) if self.is_skill else _json(text)
        return fields if isinstance(fields, dict) and isinstance(fields.get("hooks"), dict) else {}

    def rows(self, data: "Row") -> "Iterator[Row]":
        given = [row for row in hook_files.of_client(data).rows if not _is_hookkit(row)]
        scope = {"scope": "skill"} if self.is_skill else {"scope": "plugin"} if self.plugin else {}
        for row in SettingsCheck({"hooks": given}, os.path.dirname(self.path)).values.get("hooks", []):
            made = hook_rows.normal({**row, **scope}, "user", self.path)
            made["once"] = made["once"] and self.is_skill  # the client ignores `once` elsewhere
            more: Row = {"environ": {"CLAUDE_PLUGIN_ROOT": self.plugin}} if self.plugin else {}
            more |= {"root": self.root} if self.root else {}
            yield {**made, "dialect": "claude", **more}


def rows(event: "Event", settings: "Settings") -> "list[Row]":
    """The rows of the person's and the project's settings, of plugins and of the session's skills.

    Only if the agent does not run them itself.
    """
    mode = settings.values.get("claude_hooks", "auto")
    if mode == "never" or (mode == "auto" and event.agent in READERS):
        return []
    if settings.values.get("disable_all_hooks") or settings.values.get("allow_managed_hooks_only"):
        return []

    places = Places(event, settings.environ)
    trusted = [(file, _trusted(file, event, settings.environ)) for file in places.settings()]
    if any(data.get("disableAllHooks") is True for _, data in trusted):
        return []
    trusted += [(file, _trusted(file, event, settings.environ)) for file in running(event, settings, places)]
    return [row for file, data in trusted for row in file.rows(data)]


class Places:
    """Where Claude Code's files are, for a person and a project."""

    def __init__(self, event: "Event", environ: dict[str, str]) -> None:
        home = files.home(environ)
        self.base = environ.get("CLAUDE_CONFIG_DIR", "") or (os.path.join(home, ".claude") if home else "")
        self.project = files.repository(event.project) if event.project else ""

    def settings(self) -> "Iterator[HookFile]":
        if self.base:
            yield HookFile(os.path.join(self.base, "settings.json"))
            for directory in self.plugins():
                yield HookFile(os.path.join(directory, "hooks", "hooks.json"), plugin=directory)
        for name in PROJECT_FILES if self.project else ():
            yield HookFile(os.path.join(self.project, name), root=self.project)

    def plugins(self) -> list[str]:
        """The directories of installed plugins, from the client's own list."""
        try:
            data = jsons.loads(files.read(os.path.join(self.base, "plugins", "installed_plugins.json"), LIMIT))
        except (OSError, HookkitError):
            return []
        plugins = data.get("plugins") if isinstance(data, dict) else None
        folders = []
        for entry in [*plugins.values()][:MOST] if isinstance(plugins, dict) else ():
            for row in entry if isinstance(entry, list) else [entry]:
                path = row.get("installPath") if isinstance(row, dict) else None
                folders += [path] if isinstance(path, str) and os.path.isabs(path) else []
        return folders


def _trusted(file: HookFile, event: "Event", environ: dict[str, str]) -> "Row":
    """The content of a file; a project's file counts only if it is trusted."""
    text = file.text()
    data = file.data(text)
    if not data or not file.root or is_trusted(file.path, text, environ):
        return data
    if any(file.rows(data)):
        message = (
            f"hookkit does not run the hooks of {file.path} for this agent: the file is not trusted. "
            "Read it, then run: hookkit trust"
        )
        event.notes.append(("foreign-untrusted", message))
    return {}


def of_project(project: str) -> "dict[str, list[Row]]":
    """The files of a project with hooks for other agents, each with its rows, for `hookkit trust`."""
    paths = [os.path.join(project, name) for name in PROJECT_FILES]
    made = [HookFile(path, root=project) for path in [*paths, *skill_files(project)]]
    by_path = {file.path: [*file.rows(file.data(file.text()))] for file in made if os.path.isfile(file.path)}
    return {path: rows for path, rows in by_path.items() if rows or not path.endswith(".md")}


def named_files(rows: "list[Row]", project: str) -> list[str]:
    """The project's files behind its handlers."""
    return [path for row in rows for path in hook_files.named(row, project, project) if os.path.isfile(path)]


def _json(text: str) -> object:
    try:
        return jsons.loads(text.encode())
    except HookkitError:
        return {}


def _frontmatter(path: str, text: str) -> object:
    from hookkit.settings.documents import yaml_text

    tree, wrong = yaml_text.read(path, hook_files.frontmatter(text))
    return tree.plain() if tree is not None and not wrong else {}


def _is_hookkit(row: "Row") -> bool:
    """Whether the hook is a call of hookkit, which answers this event already."""
    body = row.get("command")
    words = body.get("command", "") if isinstance(body, dict) else ""
    return "hookkit" in (words if isinstance(words, str) else " ".join(map(str, words)))


FOLDERS = (".claude/skills", ".agents/skills")  # of a project, and of a home directory
FILE = "SKILL.md"
MOST_SKILLS = 20  # skills of a session
LISTED = 500  # skills of a project that `hookkit trust` looks at
LIMIT_OF_A_SKILL = 100_000  # bytes of a session's list
LOOKED = 10_000  # characters of a command
NAME = re.compile(r"[\w.-]{1,100}")


def running(event: "Event", settings: "Settings", places: Places) -> list[HookFile]:
    """The files of the skills that have started in this session before this event; this event may start one more."""
    state = files.state_dir(settings.environ)
    if not state or not event.session_id:
        return []
    path = os.path.join(state, "skills", f"{files.safe_name(event.session_id)}.json")
    known = _session_skills(path)
    name = _started(event)
    new = [file for file in _files_of(name, places, settings.environ) if file.path not in known] if name else []
    if event.name == "SessionEnd" and known:
        os.unlink(path)
    elif new and len(known) < MOST_SKILLS:
        files.private_dir(files.private_dir(state) + "/skills")
        files.write(path, jsons.dumps({"paths": [*known, new[0].path]}).encode())
    return [_file(path, places) for path in known]


def _session_skills(path: str) -> list[str]:
    paths = (jsons.read_own(path, LIMIT_OF_A_SKILL) or {}).get("paths")
    return [path for path in paths if isinstance(path, str)] if isinstance(paths, list) else []


def _started(event: "Event") -> str:
    """The name of the skill that an event starts, or an empty text."""
    if event.name == "UserPromptSubmit":
        word = event.prompt.lstrip().partition(" ")[0].strip()
        return word[1:] if word[:1] in ("/", "$") and NAME.fullmatch(word[1:]) else ""
    if event.name != "PreToolUse" or event.is_denied:
        return ""
    if event.tool_name == "Skill":
        name = str(event.tool_input.get("skill", "")).rpartition(":")[2]
        return name if NAME.fullmatch(name) else ""
    told = f"{event.tool_input.get('file_path', '')} {event.command[:LOOKED]}"
    match = re.search(rf"({NAME.pattern})/{re.escape(FILE)}\b", told) if FILE in told else None
    return match[1] if match else ""


def _files_of(name: str, places: Places, environ: dict[str, str]) -> "Iterator[HookFile]":
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


def skill_files(project: str) -> list[str]:
    """The SKILL.md files of a project."""
    paths: list[str] = []
    for folder in FOLDERS:
        top = os.path.join(project, folder)
        names = sorted(os.listdir(top))[:LISTED] if os.path.isdir(top) else []
        paths += [path for name in names if os.path.isfile(path := os.path.join(top, name, FILE))]
    return paths
