"""Reading and clearing the error log."""

import os

import typer

from hookkit.cli._console import Text, console, say
from hookkit.system import error_log


def clear() -> None:
    for name in _files():
        if os.path.lexists(name):
            os.unlink(name)
    say("Forgotten.", "green")


def show(count: int) -> None:
    lines: list[str] = []
    for name in _files():
        if os.path.isfile(name):
            with open(name, encoding="utf-8", errors="replace") as file:
                lines += file.read().splitlines()
    if not lines:
        say("No errors.", "green")
        return
    out = console()
    for line in lines[-count:]:
        stamp, _, rest = line.partition(" ")
        out.print(Text.assemble((f"{stamp} ", "dim"), rest), soft_wrap=True)
    out.print(Text(f"{len(lines)} in {_files()[-1]}", "dim"), soft_wrap=True)
    raise typer.Exit(1)


def _files() -> tuple[str, str]:
    """The older file first."""
    path = error_log.path(dict(os.environ))
    return path + ".1", path
