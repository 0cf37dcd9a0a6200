"""A Claude Code plugin with hookkit's handlers. The plugin finds the launcher, or says how to install hookkit."""

import json
import os
import shlex

from hookkit import __version__
from hookkit.agents.wiring import json_forms
from hookkit.agents.wiring.change import SEEN
from hookkit.agents.wiring.launcher import Wanted
from hookkit.errors import HookkitError
from hookkit.settings.documents.json_text import new_text
from hookkit.system import user_programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ABOUT = "The hook layer for coding agents: one fast command that answers every hook event."
OWNER = {"name": "The hookkit authors"}
# Places where pipx, uv, pip --user and Homebrew put a program; an agent started from a desktop has a short PATH.
USUAL = ("$HOME/.local/bin", "/usr/local/bin", "/opt/homebrew/bin")
README = """# hookkit as a Claude Code plugin

The plugin calls `hookkit run` on every event. It needs the program: see the README of hookkit.
Without the program, Claude Code tells you so and works as before.

    claude plugin marketplace add DIR
    claude plugin install hookkit@hookkit

Use the plugin or `hookkit init`, not both: hookkit would run twice. `hookkit doctor` says so.
"""


def line(event: str) -> str:
    tried = ["command -v hookkit >/dev/null && exec hookkit run"]
    tried += [f'[ -x "{place}/hookkit" ] && exec "{place}/hookkit" run' for place in USUAL]
    if event not in (*SEEN, "PreToolUse"):
        return "; ".join([*tried, "exit 0"])
    warning = "hookkit is off, nothing is checked: the program is missing. Install hookkit"
    told = shlex.quote(json.dumps({"systemMessage": warning}))
    return "; ".join([*tried, f"echo {told}"])


def files() -> dict[str, str]:
    """Path in the plugin → content."""
    about: dict[str, Any] = {"name": "hookkit", "version": __version__, "description": ABOUT, "author": OWNER,
                             "license": "MIT", "keywords": ["hooks", "permissions", "safety"]}  # fmt: skip
    market = {"name": "hookkit", "owner": OWNER, "description": ABOUT,
              "plugins": [{"name": "hookkit", "source": "./", "description": ABOUT}]}  # fmt: skip
    wanted = [Wanted(event, line(event), seconds) for event, seconds in user_programs.WIRED.items()
              if event not in user_programs.ON_DEMAND]  # fmt: skip
    return {
        ".claude-plugin/plugin.json": json.dumps(about, indent=2) + "\n",
        ".claude-plugin/marketplace.json": json.dumps(market, indent=2) + "\n",
        "hooks/hooks.json": new_text(json_forms.fresh(wanted)),
        "README.md": README,
    }


def write(directory: str) -> list[str]:
    """Write the plugin into an empty or new directory; a file of another author is never replaced."""
    made = []
    for name, text in files().items():
        path = os.path.join(directory, name)
        if os.path.lexists(path) and not _is_ours(path):
            raise HookkitError(f"{path} is not from hookkit; choose another directory")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        made.append(path)
    return made


def _is_ours(path: str) -> bool:
    if os.path.islink(path):
        return False
    with open(path, encoding="utf-8", errors="replace") as file:
        return "hookkit" in file.read()
