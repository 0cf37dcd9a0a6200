import os
from typing import Annotated

import typer
from rich.console import Console

from hookkit.system import error_log


def command(
    count: Annotated[int, typer.Option("--last", "-n", min=1, help="How many of the newest to show.")] = 20,
    clear: Annotated[bool, typer.Option("--clear", help="Forget them, once you have read them.")] = False,  # noqa: FBT002
) -> None:
    """Show what hooks swallowed: failing open is never failing silently.

    Exits 1 if there is anything to show.

    Example: hookkit errors -n 5
    """
    console = Console(highlight=False, soft_wrap=True)
    path = error_log.path(dict(os.environ))
    if clear:
        for name in (path, path + ".1"):
            if os.path.lexists(name):
                os.unlink(name)
        console.print("Forgotten.", style="green")
        return
    lines: list[str] = []
    for name in (path + ".1", path):
        if os.path.isfile(name):
            with open(name, encoding="utf-8", errors="replace") as file:
                lines += file.read().splitlines()
    if not lines:
        console.print("No errors.", style="green")
        return
    for line in lines[-count:]:
        stamp, _, rest = line.partition(" ")
        console.print(f"[dim]{stamp}[/] ", end="")
        console.print(rest, markup=False)
    console.print(f"[dim]{len(lines)} in {path}[/]")
    raise typer.Exit(1)
