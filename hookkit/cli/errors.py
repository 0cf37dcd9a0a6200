"""Reading and clearing the error log."""

import os
from typing import Annotated

from hookkit.cli._command import Option
from hookkit.cli._console import Output
from hookkit.cli._view import Text, Wide
from hookkit.ledger import places
from hookkit.system import error_log


def command(
    *,
    count: Annotated[int, Option("--last", "-n", least=1, metavar="N", help="How many of the newest errors.")] = 20,
    clear: Annotated[bool, Option("--clear", help="Delete the errors you have read.")] = False,
) -> Output:
    """Show errors that hooks hit. A hook never fails its agent; its errors are kept here.

    Exits 1 if there are errors.

    Example: hookkit errors -n 5
    """
    return _clear() if clear else _show(count)


def _clear() -> Output:
    for name in _files():
        if os.path.lexists(name):
            os.unlink(name)
    return Output({"cleared": True}, "Forgotten.", style="green")


def _show(count: int) -> Output:
    lines: list[str] = []
    for name in _files():
        if os.path.isfile(name):
            with open(name, encoding="utf-8", errors="replace") as file:
                lines += file.read().splitlines()
    rows = [line.partition(" ") for line in lines[-count:]]
    errors = [{"at": stamp, "error": rest.replace(error_log.LINE, "\n")} for stamp, _, rest in rows]
    value = {"path": _files()[-1], "total": len(lines), "errors": errors}
    if not lines:
        refusal = places.refusal(os.path.dirname(_files()[-1]))
        if refusal:
            fix = "Make its directory writable, or make room."
            return Output(value, f"No errors can be kept: {value['path']}: {refusal}. {fix}", code=1)
        return Output(value, "No errors.", style="green")
    view = [line for stamp, _, rest in rows for line in _lines(stamp, rest)]
    return Output(value, [*view, Wide(f"{len(lines)} in {_files()[-1]}", "dim")], code=1)


def _lines(stamp: str, error: str) -> list[Wide]:
    """An error, with its traceback indented."""
    first, *trace = error.split(error_log.LINE)
    return [Wide(Text.assemble((f"{stamp} ", "dim"), first)), *(Wide(f"    {line}", "dim") for line in trace)]


def _files() -> tuple[str, str]:
    """The older file first."""
    path = error_log.path(dict(os.environ))
    return path + ".1", path
