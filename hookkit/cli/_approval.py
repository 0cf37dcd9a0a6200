"""The question of `init`: which calls may run without a question."""

import sys

import typer

from hookkit.cli._console import note, say, stop
from hookkit.cli._wiring import Flags
from hookkit.errors import HookkitError
from hookkit.settings import layers
from hookkit.settings.keys import BY_NAME
from hookkit.system.suggestions import did_you_mean
from hookkit.wiring import person_settings

KEY = "policy.approve"
CHOICES = """
Which calls may run without a question?
  none   hookkit approves nothing
  reads  commands that only read: git log | head
         (Claude Code itself asks about few of these)
  work   also changes in the project that git can bring back, and the
         tests of a trusted project: fewer questions
"""
QUESTION = "Approve which calls?"


def check(wanted: str) -> None:
    """Refuse a wrong choice before anything is written."""
    options = BY_NAME[KEY].options
    if wanted and wanted not in options:
        stop(f"--approve takes {', '.join(options)}, not {wanted!r}")


def settle(flags: Flags, wanted: str) -> None:
    """Write the person's choice. They are asked until they have answered once, and only at a terminal."""
    if flags.dry_run or flags.as_json:
        return
    is_set = KEY in layers.load(flags.project, flags.environ).values
    if not wanted and not is_set and sys.stdin.isatty() and not flags.yes:
        wanted = _asked(BY_NAME[KEY].options)
    if not wanted:
        return
    try:
        written = person_settings.approve(flags.environ, wanted)
    except HookkitError as error:
        stop(error)
    if written:
        say(f'{KEY} = "{wanted}" in {written}', "green")


def _asked(options: "tuple[str, ...]") -> str:
    note(CHOICES)
    while True:
        wanted = typer.prompt(QUESTION, default="none", err=True).strip()
        if wanted in options:
            return str(wanted)
        note(f"{wanted}: {did_you_mean(wanted, [*options]) or 'choose one of ' + ', '.join(options)}")
