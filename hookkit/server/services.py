"""Files for running the server as a service of the user: a unit of systemd, or an agent of launchd on macOS."""

import os
import sys

from hookkit.errors import HookkitError
from hookkit.server import code
from hookkit.system import files

UNIT = """[Unit]
Description=hookkit: warm answers for the hooks of coding agents

[Service]
ExecStart={command} serve
Restart=on-failure
RestartSec=2
UMask=0077

[Install]
WantedBy=default.target
"""
PLIST = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>hookkit.serve</string>
  <key>ProgramArguments</key>
  <array>{words}<string>serve</string></array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict>
</plist>
"""


def install(environ: dict[str, str], platform: str = sys.platform) -> tuple[str, str]:
    """Write the file; return its path and the start command of the service. An old file is kept beside the new file."""
    home = files.home(environ)
    if not home:
        raise HookkitError("there is no home directory for a service")
    if platform == "darwin":
        path = os.path.join(home, "Library", "LaunchAgents", "hookkit.serve.plist")
        text, then = _plist(), f"launchctl bootstrap gui/{os.getuid()} {path}"
    else:
        base = environ.get("XDG_CONFIG_HOME", "")
        base = base if os.path.isabs(base) else os.path.join(home, ".config")
        path = os.path.join(base, "systemd", "user", "hookkit.service")
        text, then = _unit(), "systemctl --user daemon-reload && systemctl --user enable --now hookkit"
    files.make_private(os.path.dirname(path))
    if os.path.exists(path):
        os.replace(path, f"{path}.before")
    files.keep(path, text.encode(), 0o600)
    return path, then


def _unit() -> str:
    """Words of a unit: systemd splits words at spaces and replaces % and $."""
    words = (word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$") for word in _words())
    return UNIT.format(command=" ".join(f'"{word}"' for word in words))


def _plist() -> str:
    from xml.sax.saxutils import escape

    return PLIST.format(words="".join(f"<string>{escape(word)}</string>" for word in _words()))


def _words() -> list[str]:
    words = code.launcher()
    if any("\n" in word for word in words):
        raise HookkitError("the path of hookkit has a line break: no service file can hold it")
    return words
