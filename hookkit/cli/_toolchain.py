"""The commands that `redirect` would use in a directory."""

import os

from rich.table import Table

from hookkit.cli._console import NOTHING, Text, console, stop
from hookkit.errors import ConfigError
from hookkit.redirect import toolchains
from hookkit.settings import layers
from hookkit.system import files


def show(directory: str) -> None:
    here = os.path.abspath(directory)
    if not os.path.isdir(here):
        stop(f"no directory {directory}")
    try:
        rows = layers.load(here, dict(os.environ))["toolchains"]
    except ConfigError as error:
        stop(error)
    shown = Table("action", "command", "toolchain")
    for action in toolchains.ACTIONS:
        target = toolchains.detect(here, action, files.repository(here), rows)
        shown.add_row(action, Text(target.text) if target else Text(NOTHING, "dim"), target.toolchain if target else "")
    console().print(shown)
