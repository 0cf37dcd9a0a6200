"""Files that guard this session: hookkit itself, its settings and state, the hook settings of agents, git's hooks.

The set is worked out where hookkit runs. A rule protects each path for every tool: writing, moving away, deleting.
"""

import os
import sys

from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.types import Rule

COMMANDS = ("set", "pause", "allow")  # of people: an agent must not allow its own calls
REASON = "This weakens or switches off the checks of this session."
# Hook settings of agents: in the project and in the home.
AGENTS = (
    ".claude/settings.json", ".claude/settings.local.json", ".codex/hooks.json", ".codex/config.toml",
    ".gemini/settings.json", ".qwen/settings.json", ".cursor/hooks.json", ".github/hooks", ".opencode/plugin",
    ".factory/settings.json", ".kimi/config.toml", ".clinerules/hooks", ".vibe/hooks.toml", ".config/opencode/plugin",
    ".config/cocode/hooks.toml", ".copilot/config.json",
)  # fmt: skip


def rows(environ: dict[str, str]) -> "list[Rule]":
    """Rules about the protected paths, all with the name guard.protected."""
    own = _own(environ)
    patterns = [f"{tool}({path}{end})" for path in own for tool in ("Write|Edit", "Delete") for end in ("", "/*")]
    around = {parent for path in own for parent in _parents(path, files.home(environ))}
    patterns += [f"Delete({path})" for path in sorted(around)] + [f"Bash(mv * {path} *)" for path in sorted(around)]
    patterns += [f"Bash(mv * {path} *)" for path in own]
    patterns += [
        f"{tool}({start}{path})" for path in AGENTS for start in ("", "~/") for tool in ("Write|Edit", "Delete")
    ]
    patterns += [
        f"Bash({start}hookkit {name} ** *)" for name in COMMANDS for start in ("", "python -m ", "python3 -m ")
    ]
    patterns += [f"Read({path}{end})" for path in _secrets(environ) for end in ("", "/*")]
    return [
        {"type": "ask", "name": "guard.protected", "match": each, "reason": REASON} for each in dict.fromkeys(patterns)
    ]


def _own(environ: dict[str, str]) -> list[str]:
    """The package, its metadata, the launcher and its script, the state and the settings."""
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    found = [package, files.state_dir(environ), _config(environ), _data(environ)]
    launcher = sys.argv[0] if os.path.basename(sys.argv[0] or "") == "hookkit" else ""
    found += [os.path.realpath(launcher)] if launcher else []
    found += [os.path.join(folder, "hookkit") for folder in environ.get("PATH", "").split(":") if os.path.isabs(folder)
              and os.path.lexists(os.path.join(folder, "hookkit"))]  # fmt: skip
    return [
        path for path in dict.fromkeys(found) if path and path.count("/") > 1 and "*" not in path and "(" not in path
    ]


def _secrets(environ: dict[str, str]) -> list[str]:
    """The secrets of the warm server: whoever reads them can approve in the person's name."""
    state = files.state_dir(environ)
    return [f"{state}/serve"] if state and "*" not in state and "(" not in state else []


def _data(environ: dict[str, str]) -> str:
    """The directory of the launcher script that agents call."""
    base = environ.get("XDG_DATA_HOME", "")
    home = files.home(environ)
    return os.path.join(base if os.path.isabs(base) else f"{home}/.local/share", "hookkit") if home or base else ""


def _config(environ: dict[str, str]) -> str:
    base = environ.get("XDG_CONFIG_HOME", "")
    home = files.home(environ)
    return (
        os.path.join(base if os.path.isabs(base) else os.path.join(home, ".config"), "hookkit") if home or base else ""
    )


def _parents(path: str, home: str) -> list[str]:
    """Directories of the home around a protected path: to move one away takes the path along."""
    found = []
    parent = os.path.dirname(path)
    while home and parent.startswith(f"{home}/"):
        found.append(parent)
        parent = os.path.dirname(parent)
    return found
