"""The question of `init`: which calls may run without a question."""

import sys

import typer

from hookkit.cli._console import say, stop
from hookkit.cli._wiring import Flags
from hookkit.errors import HookkitError
from hookkit.settings import layers
from hookkit.settings.keys import BY_NAME
from hookkit.wiring import person_settings

KEY = "policy.approve"
QUESTION = "Approve calls that only read, or also recoverable work in the project? (none, reads, work)"


def check(wanted: str) -> None:
    """Refuse a wrong choice before anything is written."""
    options = BY_NAME[KEY].options
    if wanted and wanted not in options:
        stop(f"--approve takes {', '.join(options)}, not {wanted!r}")


def settle(flags: Flags, wanted: str) -> None:
    """Write the person's choice; without a choice, and without a terminal to ask at, nothing changes."""
    options = BY_NAME[KEY].options
    if flags.dry_run or flags.as_json:
        return
    is_set = KEY in layers.load(flags.project, flags.environ).values
    if not wanted and not is_set and sys.stdin.isatty() and not flags.yes:
        wanted = typer.prompt(QUESTION, default="none", err=True).strip()
    if wanted not in options or (wanted == "none" and not is_set):
        return
    try:
        written = person_settings.approve(flags.environ, wanted)
    except HookkitError as error:
        stop(error)
    if written:
        say(f'{KEY} = "{wanted}" in {written}', "green")
