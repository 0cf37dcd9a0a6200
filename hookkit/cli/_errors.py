"""Reading and clearing the error log."""

import os

import typer

from hookkit.cli._console import Text, console, echo_json, report, say
from hookkit.system import error_log


def clear(*, as_json: bool) -> None:
    for name in _files():
        if os.path.lexists(name):
            os.unlink(name)
    report("Forgotten.", {"cleared": True}, as_json=as_json, style="green")


def show(count: int, *, as_json: bool) -> None:
    lines: list[str] = []
    for name in _files():
        if os.path.isfile(name):
            with open(name, encoding="utf-8", errors="replace") as file:
                lines += file.read().splitlines()
    rows = [line.partition(" ") for line in lines[-count:]]
    if as_json:
        errors = [{"at": stamp, "error": rest} for stamp, _, rest in rows]
        echo_json({"path": _files()[-1], "total": len(lines), "errors": errors})
    elif not lines:
        say("No errors.", "green")
    else:
        out = console()
        for stamp, _, rest in rows:
            out.print(Text.assemble((f"{stamp} ", "dim"), rest), soft_wrap=True)
        out.print(Text(f"{len(lines)} in {_files()[-1]}", "dim"), soft_wrap=True)
    raise typer.Exit(1 if lines else 0)


def _files() -> tuple[str, str]:
    """The older file first."""
    path = error_log.path(dict(os.environ))
    return path + ".1", path
