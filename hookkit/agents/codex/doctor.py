"""Codex runs hooks that a person has trusted, in a trusted project only."""

import os

from hookkit.agents._state import toml_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.agents._state import Checked, Remarks


def check(checked: "Checked") -> "Remarks":
    path = os.path.join(checked.home, "config.toml")
    config = toml_file(path)
    hooks = config.get("hooks")
    state = hooks.get("state") if isinstance(hooks, dict) else None
    fix = 'start codex, choose "Trust all and continue"'
    for file in checked.files:
        names = {file, os.path.realpath(file)}
        if not isinstance(state, dict) or not any(key.rsplit(":", 3)[0] in names for key in state):
            message = f"Codex has not trusted the hooks of {file}: it runs none of them, and says nothing"
            yield "trust.codex", "serious", message, fix, file
    projects = config.get("projects")
    known = projects.get(checked.project) if isinstance(projects, dict) else None
    is_trusted = isinstance(known, dict) and known.get("trust_level") == "trusted"
    if checked.inside and not is_trusted:
        message = f"Codex does not trust {checked.project}: it ignores the project's hooks"
        yield "trust.codex-project", "serious", message, "start codex there and trust the project", path
