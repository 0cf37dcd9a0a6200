"""Whether this release of Goose obeys: old ones run hooks and ignore every answer."""

import re
import shutil
import subprocess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.agents._disk import Checked, Remarks

SECONDS = 10
LAST_DEAF = (1, 34)  # the newest release that was seen to ignore a block
VERSION = re.compile(r"(\d+)\.(\d+)\.\d+")


def check(checked: "Checked") -> "Remarks":
    program = shutil.which("goose", path=checked.environ.get("PATH"))
    version = _version(program) if program else None
    if version is not None and (int(version[1]), int(version[2])) <= LAST_DEAF:
        message = f"{program} is Goose {version[0]}, which runs hooks and ignores every answer: nothing is stopped"
        yield "wiring.deaf", "serious", message, "upgrade Goose: 1.52 was seen to obey", checked.files[0]


def _version(program: str) -> "re.Match[str] | None":
    try:
        done = subprocess.run([program, "--version"], capture_output=True, timeout=SECONDS, check=False, cwd="/")
    except (OSError, subprocess.TimeoutExpired):
        return None
    return VERSION.search(done.stdout.decode("utf-8", "replace"))
