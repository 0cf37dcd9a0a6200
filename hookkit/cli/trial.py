"""One session with hookkit: a settings file in a directory of its own, removed when the session ends."""

import os
import shutil
import subprocess
import tempfile
from typing import Annotated

from hookkit.agents.wiring import change, json_forms, launcher, settings_files
from hookkit.cli._command import Argument, formats
from hookkit.cli._console import Exit, note, stop
from hookkit.settings.documents.json_text import new_text

OTHER = "trial works with Claude Code only, which takes settings for one session; use hookkit init --dry-run for others"


@formats()
def command(
    words: Annotated[list[str] | None, Argument(metavar="-- claude", help="The command that starts the agent.")] = None,
) -> None:
    """Start Claude Code with hookkit for this one session; no settings file is changed.

    Exits with the code of Claude Code, or 2 if it cannot be started.

    Example: hookkit trial -- claude
    """
    raise Exit(_run(words or ["claude"]))


def _run(words: list[str]) -> int:
    program = shutil.which(words[0])
    if program is None:
        stop(f"there is no program {words[0]!r}")
    if not os.path.basename(words[0]).startswith("claude"):
        stop(OTHER)
    if "--settings" in words:
        stop("claude takes --settings once; leave it out for the trial")
    agent = settings_files.AGENTS[settings_files.CLAUDE]
    with tempfile.TemporaryDirectory(prefix="hookkit-trial-") as directory:
        path = os.path.join(directory, "settings.json")
        place = settings_files.SettingsPlace(agent, "user", path, "")
        script = os.path.join(directory, launcher.NAME)
        launcher.write(script, change.launcher_text(launcher.find(), dict(os.environ)))
        wanted = change.wanted(place, change.Options(launcher.find(), script))
        with open(path, "w", encoding="utf-8") as file:
            file.write(new_text(json_forms.fresh(wanted)))
        note("hookkit: on for this session only. Nothing was written to your settings.")
        return subprocess.call([program, "--settings", path, *words[1:]])
