"""Copilot runs hooks in a trusted folder only."""

import os

from hookkit.agents._state import json_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.agents._state import Checked, Remarks


def check(checked: "Checked") -> "Remarks":
    config = json_file(os.path.join(checked.home, "config.json"))
    known = config.get("trusted_folders", config.get("trustedFolders", []))
    folders = [name for name in known if isinstance(name, str)] if isinstance(known, list) else []
    if not any(f"{checked.project}/".startswith(f"{folder.rstrip('/')}/") for folder in folders):
        message = (
            f"GitHub Copilot CLI has no saved trust for {checked.project}: it runs no hook there, and says nothing"
        )
        fix = "start copilot there and trust the folder, or add --trust-folder"
        yield "trust.copilot", "warning", message, fix, checked.files[0]
