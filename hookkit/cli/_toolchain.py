"""Showing the commands of `redirect` in a directory."""

import os
from collections.abc import Iterator

from hookkit.cli._console import NOTHING, Text, console, echo_json, stop, table
from hookkit.errors import ConfigError
from hookkit.redirect import toolchains
from hookkit.settings import layers
from hookkit.system import files


def show(directory: str, *, as_json: bool) -> None:
    rows = list(_rows(directory))
    if as_json:
        names = ("action", "command", "toolchain", "file")
        echo_json([dict(zip(names, (value or None for value in row), strict=True)) for row in rows])
        return
    shown = table("action", "command", "toolchain", "from")
    for action, command, toolchain, path in rows:
        place = os.path.relpath(path, directory) if path else ""
        shown.add_row(action, Text(command) if command else Text(NOTHING, "dim"), toolchain, place)
    console().print(shown)


def _rows(directory: str) -> Iterator[tuple[str, str, str, str]]:
    """Each action with its command, its toolchain, and the file that the toolchain was recognised by."""
    here = os.path.abspath(directory)
    if not os.path.isdir(here):
        stop(f"no directory {directory}")
    try:
        own = layers.load(here, dict(os.environ))["toolchains"]
    except ConfigError as error:
        stop(error)
    root = files.repository(here)
    for action in toolchains.ACTIONS:
        target = toolchains.detect(here, action, root, own)
        yield (action, target.text, target.toolchain, target.path) if target else (action, "", "", "")
