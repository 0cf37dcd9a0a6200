"""Hooks of Claude Code's own files, for agents that do not know these files.

An agent that runs a hook itself never gets it a second time from hookkit: `auto` leaves out Claude Code and the agents
that read its settings. Calls of hookkit in these files are left out always.
"""

import os

from hookkit.errors import HookkitError
from hookkit.settings import hook_formats, hook_rows
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

READERS = ("claude", "cursor", "copilot")  # agents that run the hooks of Claude Code's settings themselves
LIMIT = 1 << 20  # bytes of a file
PROJECT_FILES = (".claude/settings.json", ".claude/settings.local.json")
MOST = 200  # plugins


def rows(event: "Event", settings: "Settings") -> "list[Row]":
    """The rows of the person's and the project's settings and of installed plugins, if the agent does not run them."""
    mode = settings.values.get("claude_hooks", "auto")
    if mode == "never" or (mode == "auto" and event.agent in READERS):
        return []
    if settings.values.get("disable_all_hooks") or settings.values.get("allow_managed_hooks_only"):
        return []
    found = list(_sources(event, settings.environ))
    if any(data.get("disableAllHooks") is True for _, _, data in found):
        return []
    return [row for path, plugin, data in found for row in _rows(path, plugin, data)]


def _sources(event: "Event", environ: dict[str, str]) -> "Iterator[tuple[str, str, Row]]":
    """Each file with its plugin's directory and its content; a project's file counts only if it is trusted."""
    home = files.home(environ)
    base = environ.get("CLAUDE_CONFIG_DIR", "") or (os.path.join(home, ".claude") if home else "")
    if base:
        yield from _read(os.path.join(base, "settings.json"), "")
        for directory in _plugins(base):
            yield from _read(os.path.join(directory, "hooks", "hooks.json"), directory)
    project = files.repository(event.project) if event.project else ""
    for name in PROJECT_FILES if project else ():
        path = os.path.join(project, name)
        raw = _content(path)
        data = _data(raw)
        if data and is_trusted(path, raw.decode("utf-8-sig", "replace"), environ):
            yield path, "", data
        elif data and any(_rows(path, "", data)):
            said = f"the hooks of {path} do not run: the file is not trusted. Read it, then run: hookkit trust"
            event.notes.append(("foreign-untrusted", said))


def of_text(path: str, text: str) -> "list[Row]":
    """The rows of a project's file with this content, as an agent gets them once the file is trusted."""
    data = _data(text.encode())
    return [*_rows(path, "", data)] if data else []


def _read(path: str, plugin: str) -> "Iterator[tuple[str, str, Row]]":
    data = _data(_content(path))
    if data:
        yield path, plugin, data


def _content(path: str) -> bytes:
    try:
        return files.read(path, LIMIT)
    except (OSError, ValueError):
        return b""


def _data(raw: bytes) -> "Row":
    """The settings, if they have hooks."""
    try:
        data = jsons.loads(raw)
    except HookkitError:
        return {}
    return data if isinstance(data, dict) and isinstance(data.get("hooks"), dict) else {}


def _plugins(base: str) -> list[str]:
    """The directories of installed plugins, from the client's own list."""
    try:
        data = jsons.loads(files.read(os.path.join(base, "plugins", "installed_plugins.json"), LIMIT))
    except (OSError, HookkitError):
        return []
    plugins = data.get("plugins") if isinstance(data, dict) else None
    found = []
    for entry in [*plugins.values()][:MOST] if isinstance(plugins, dict) else ():
        for row in entry if isinstance(entry, list) else [entry]:
            path = row.get("installPath") if isinstance(row, dict) else None
            found += [path] if isinstance(path, str) and os.path.isabs(path) else []
    return found


def _rows(path: str, plugin: str, data: "Row") -> "Iterator[Row]":
    given = [row for row in hook_formats.of_client(data).rows if not _is_hookkit(row)]
    for row in SettingsCheck({"hooks": given}, os.path.dirname(path)).values.get("hooks", []):
        made = hook_rows.normal({**row, "scope": "plugin"} if plugin else row, "user", path)
        environ = {"environ": {"CLAUDE_PLUGIN_ROOT": plugin}} if plugin else {}
        yield {**made, "dialect": "claude", "once": False, **environ}


def _is_hookkit(row: "Row") -> bool:
    """Whether the hook is a call of hookkit, which answers this event already."""
    body = row.get("command")
    words = body.get("command", "") if isinstance(body, dict) else ""
    return "hookkit" in (words if isinstance(words, str) else " ".join(map(str, words)))
