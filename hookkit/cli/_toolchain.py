"""The commands that `redirect` would use in a directory, with the file and line that define each."""

import os

from hookkit.cli._console import Text, console, echo, echo_json, note, stop, table
from hookkit.errors import ConfigError
from hookkit.redirect.search import CommandSearch, ProjectCommand
from hookkit.redirect.targets import TaskFiles
from hookkit.settings import layers
from hookkit.system import files


def show(directory: str, *, as_json: bool) -> None:
    here = os.path.realpath(directory)
    if not os.path.isdir(here):
        stop(f"no directory {directory}")
    try:
        rows = layers.load(here, dict(os.environ))["toolchains"]
    except ConfigError as error:
        stop(error)
    search = CommandSearch(here, files.repository(here), TaskFiles(), rows)
    found = list(search.overview())
    if as_json:
        names = ("action", "for", "command", "from")
        echo_json(
            [
                dict(zip(names, (action, ecosystem or None, *_row(each, here)), strict=True))
                for action, ecosystem, each in found
            ]
        )
        return
    if not found:
        echo("No toolchain is known here: commands stay as written.")
        return
    actions = [action for action, _, _ in found]
    shown = table("action", "for", "command", "from")
    for action, ecosystem, project in found:
        other = "every command" if actions.count(action) == 1 else "every other command"
        shown.add_row(*map(Text, (action, ecosystem or other, *_row(project, here))))
    console().print(shown)
    search.path = os.environ.get("PATH", os.defpath)
    lost = [command.text for _, _, command in found if command is not None and not search.is_installed(command)]
    if lost:
        note(f"Not installed here, so that commands stay as written: {', '.join(dict.fromkeys(lost))}")


def _row(found: ProjectCommand | None, here: str) -> tuple[str, str]:
    return (found.text, os.path.relpath(found.place, here)) if found else ("as written", "")
