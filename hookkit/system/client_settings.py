"""Claude Code's own settings, as far as its answer to a call depends on them: the mode, and its allow rules."""

import os

from hookkit.errors import HookkitError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

NAMES = (".claude/settings.local.json", ".claude/settings.json")  # the strongest first
LIMIT = 1 << 20  # bytes of a settings file


def default_mode(project: str, environ: dict[str, str]) -> str:
    """The mode of the strongest file that names one; "" where the client uses its own default."""
    modes = (permissions.get("defaultMode") for permissions in _permissions(project, environ))
    mode = next((mode for mode in modes if isinstance(mode, str) and mode), "")
    return "default" if mode == "manual" else mode


def allows(project: str, environ: dict[str, str], command: str) -> bool:
    """Whether a rule of the client plainly allows this command, so that it would ask nobody."""
    for permissions in _permissions(project, environ):
        rules = permissions.get("allow")
        if isinstance(rules, list) and any(isinstance(rule, str) and _is_for(rule, command) for rule in rules):
            return True
    return False


def _is_for(rule: str, command: str) -> bool:
    tool, _, pattern = rule.partition("(")
    pattern = pattern.removesuffix(")")
    if tool != "Bash":
        return False
    start = pattern.removesuffix(":*").removesuffix(" *")
    return pattern in ("", "*", command) or (start != pattern and f"{command} ".startswith(f"{start} "))


def _permissions(project: str, environ: dict[str, str]) -> "Iterator[dict[str, Any]]":
    moved = environ.get("CLAUDE_CONFIG_DIR", "")
    home = moved if os.path.isabs(moved) else os.path.join(files.home(environ), ".claude")
    for path in (*(os.path.join(project, name) for name in NAMES), os.path.join(home, "settings.json")):
        try:
            settings = jsons.loads(files.read(path, LIMIT))
        except (OSError, HookkitError):
            continue
        permissions = settings.get("permissions") if isinstance(settings, dict) else None
        if isinstance(permissions, dict):
            yield permissions
