"""Settings of clients that decide beside hookkit: Claude Code's mode and allow rules.

Variables in a project's settings that act before a hook are read here, too.
"""

import os

from hookkit.errors import HookkitError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
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


LARGEST = 1 << 20  # bytes of a file
MOST = 5  # variables named for a file
STEERING = ("BASH_ENV", "SHELLOPTS", "CLAUDE_CODE_SHELL_PREFIX", "GLIBC_TUNABLES")
STARTS = ("LD_", "DYLD_", "BASH_FUNC_", "HOOKKIT_")
SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
ENV_FILES = {"gemini": (".env", ".gemini/.env"), "qwen": (".env", ".qwen/.env")}


def found(project: str, agents: "Collection[str]") -> "Iterator[tuple[str, str]]":
    """A file of the project and what its variables do, for the agents that hand them to hooks."""
    claude = SETTINGS if "claude" in agents else ()
    others = dict.fromkeys(path for agent in agents for path in ENV_FILES.get(agent, ()))
    for name, variables in (*((name, _of_settings) for name in claude), *((name, _of_env_file) for name in others)):
        path = os.path.join(project, name)
        try:
            steering = [name for name in variables(files.read(path, LARGEST)) if _steers(name)][:MOST]
        except OSError:
            continue
        if steering:
            yield path, f"sets {', '.join(steering)}: files of the project can then switch hookkit off without a word"


def _steers(name: str) -> bool:
    return name in STEERING or name.startswith(STARTS)


def _of_settings(data: bytes) -> list[str]:
    if b'"env"' not in data:
        return []
    try:
        tree = jsons.loads(data)
    except HookkitError:
        return []
    table = tree.get("env") if isinstance(tree, dict) else None
    return [*table] if isinstance(table, dict) else []


def _of_env_file(data: bytes) -> list[str]:
    lines = (line.strip().removeprefix("export ") for line in data.decode("utf-8", "replace").splitlines())
    return [line.partition("=")[0].strip() for line in lines if "=" in line]
