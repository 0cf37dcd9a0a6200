"""The commands that `redirect` would use in a directory, with the file and line that define each."""

import os
from typing import Annotated

from hookkit.cli._command import Argument
from hookkit.cli._console import Output, note, stop
from hookkit.cli._view import Table
from hookkit.redirect.search import CommandSearch, ProjectCommand
from hookkit.redirect.targets import TaskFiles
from hookkit.settings import layers
from hookkit.system import files

NAMES = ("action", "for", "command", "from")


def command(
    directory: Annotated[str, Argument(metavar="DIR", help="By default the working directory.")] = ".",
) -> Output:
    """Show the commands of `redirect` in a directory, and the file behind each.

    Example: hookkit toolchain packages/api
    """
    here = os.path.realpath(directory)
    if not os.path.isdir(here):
        stop(f"no directory {directory}")
    rows = layers.load(here, dict(os.environ))["toolchains"]
    search = CommandSearch(here, files.repository(here), TaskFiles(), rows)
    commands = list(search.overview())
    value = [
        dict(zip(NAMES, (action, ecosystem or None, *_row(own, here)), strict=True))
        for action, ecosystem, own in commands
    ]
    if not commands:
        return Output(value, "No toolchain is known here: commands stay as written.")
    search.path = os.environ.get("PATH", os.defpath)
    lost = [own.text for _, _, own in commands if own is not None and not search.is_installed(own)]
    if lost:
        note(f"Not installed here, so that commands stay as written: {', '.join(dict.fromkeys(lost))}")
    actions = [action for action, _, _ in commands]
    table = Table(*NAMES)
    for action, ecosystem, own in commands:
        other = "every command" if actions.count(action) == 1 else "every other command"
        table.add(action, ecosystem or other, *_row(own, here))
    return Output(value, table)


def _row(own: ProjectCommand | None, here: str) -> tuple[str, str]:
    return (own.text, os.path.relpath(own.place, here)) if own else ("as written", "")
