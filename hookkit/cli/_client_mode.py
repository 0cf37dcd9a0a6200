"""The permission mode that Claude Code starts with, from its settings files."""

import os

from hookkit.errors import HookkitError
from hookkit.system import files, jsons

NAMES = (".claude/settings.local.json", ".claude/settings.json")
LIMIT = 1 << 20  # bytes of a settings file


def default_mode(project: str, environ: dict[str, str]) -> str:
    """The mode of the strongest file that names one; "" where the client uses its own default."""
    home = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(files.home(environ), ".claude")
    for path in (*(os.path.join(project, name) for name in NAMES), os.path.join(home, "settings.json")):
        try:
            settings = jsons.loads(files.read(path, LIMIT))
        except (OSError, HookkitError):
            continue
        permissions = settings.get("permissions") if isinstance(settings, dict) else None
        mode = permissions.get("defaultMode") if isinstance(permissions, dict) else None
        if isinstance(mode, str) and mode:
            return "default" if mode == "manual" else mode
    return ""
