"""Agents that silently run no hook until a person has trusted the folder or the hooks."""

import json
import os

from hookkit.doctor.problem import SERIOUS, WARNING, Problem
from hookkit.doctor.setup import SettingsFile, Setup
from hookkit.documents.toml_text import TomlDocument
from hookkit.system import files
from hookkit.wiring.places import AGENTS, Agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LIMIT = 64 << 20  # bytes of Claude Code's own state, with the history of every project


def check(setup: Setup) -> "Iterator[Problem]":
    for agent in setup.agents:
        yield from of(setup, agent)


def of(setup: Setup, agent: Agent) -> "Iterator[Problem]":
    checks = {"claude": _claude, "codex": _codex, "copilot": _copilot}
    mine = [file for file in setup.of(agent) if file.ours()]
    if mine and agent.name in checks:
        yield from checks[agent.name](setup, mine)


def _claude(setup: Setup, mine: list[SettingsFile]) -> "Iterator[Problem]":
    """Hooks of a project's own files need the folder's trust; hooks of the person's file do not."""
    inside = [file for file in mine if file.place.root]
    if not inside or len(inside) < len(mine):
        return
    moved = setup.environ.get("CLAUDE_CONFIG_DIR", "")
    path = os.path.join(moved or files.home(setup.environ), ".claude.json")
    projects = _json(path).get("projects")
    known = projects.get(setup.project) if isinstance(projects, dict) else None
    if not (isinstance(known, dict) and known.get("hasTrustDialogAccepted")):
        said = f"Claude Code has not been told to trust {setup.project}: a session at a terminal runs no hook of it"
        fix = "start claude there once and accept the question, or run: hookkit init --scope user"
        yield Problem("trust.folder", WARNING, said, fix, file=inside[0].path)


def _codex(setup: Setup, mine: list[SettingsFile]) -> "Iterator[Problem]":
    home = AGENTS["codex"].home(setup.environ)
    path = os.path.join(home, "config.toml")
    config = _toml(path)
    hooks = config.get("hooks")
    state = hooks.get("state") if isinstance(hooks, dict) else None
    fix = 'start codex, choose "Trust all and continue"'
    for file in mine:
        names = {file.path, os.path.realpath(file.path)}
        if not isinstance(state, dict) or not any(key.rsplit(":", 3)[0] in names for key in state):
            said = f"Codex has not trusted the hooks of {file.path}: it runs none of them, and says nothing"
            yield Problem("trust.codex", SERIOUS, said, fix, file=file.path)
    projects = config.get("projects")
    known = projects.get(setup.project) if isinstance(projects, dict) else None
    is_trusted = isinstance(known, dict) and known.get("trust_level") == "trusted"
    if any(file.place.root for file in mine) and not is_trusted:
        said = f"Codex does not trust {setup.project}: it ignores the project's hooks"
        yield Problem("trust.codex-project", SERIOUS, said, "start codex there and trust the project", file=path)


def _copilot(setup: Setup, mine: list[SettingsFile]) -> "Iterator[Problem]":
    config = _json(os.path.join(AGENTS["copilot"].home(setup.environ), "config.json"))
    known = config.get("trusted_folders", config.get("trustedFolders", []))
    folders = [each for each in known if isinstance(each, str)] if isinstance(known, list) else []
    if not any(f"{setup.project}/".startswith(f"{folder.rstrip('/')}/") for folder in folders):
        said = f"GitHub Copilot CLI has no saved trust for {setup.project}: it runs no hook there, and says nothing"
        fix = "start copilot there and trust the folder, or add --trust-folder"
        yield Problem("trust.copilot", WARNING, said, fix, file=mine[0].path)


def _json(path: str) -> "dict[str, Any]":
    try:
        found = json.loads(files.read(path, LIMIT))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _toml(path: str) -> "dict[str, Any]":
    try:
        return TomlDocument(path, files.read(path, LIMIT).decode()).data
    except (OSError, ValueError):
        return {}
