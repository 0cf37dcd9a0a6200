"""Sessions that have read a secret.

A command of its own, and not a flag of `allow`: the shipped policy knows `hookkit taint --clear` by this name.
"""

import os
from typing import Annotated, Any

from hookkit.cli._command import Argument, Option
from hookkit.cli._console import Output, fail, only_a_person, plural
from hookkit.cli._here import when
from hookkit.cli._view import Table
from hookkit.verdicts import taint


def command(
    session: Annotated[str, Argument(metavar="SESSION", help="The start of a session's id.")] = "",
    *,
    clear: Annotated[bool, Option("--clear", help="Let these sessions send data again.")] = False,
) -> Output:
    """List the sessions that have read a secret, or clear them.

    In such a session hookkit asks about each call that sends data out of the machine (setting taint.mode). Clearing is
    refused inside an agent's process tree.

    Exits 1 if no session with the given id has read a secret.

    Example: hookkit taint

    Example: hookkit taint --clear
    """
    environ = dict(os.environ)
    if clear:
        return _clear(environ, session)
    rows = [row for row in taint.every(environ) if row["session"].startswith(session)]
    if session and not rows:
        fail(f"no session {session} has read a secret")
    if not rows:
        return Output(rows, "No session has read a secret.", style="green")
    return Output(rows, taint_table(rows))


def _clear(environ: dict[str, str], session: str) -> Output:
    only_a_person("clear a session")
    count = taint.clear(environ, session)
    if session and not count:
        fail(f"no session {session} has read a secret")
    return Output({"cleared": count}, f"Cleared {plural(count, 'session')}.", style="green")


def noted_at(row: dict[str, Any]) -> str:
    """The time of a row whose seconds are in `at`."""
    return when(row.get("at", 0) * 1000, "%m-%d %H:%M")


def taint_table(rows: list[dict[str, Any]]) -> Table:
    table = Table("session", "when", "rule", "read by", whole=("when",), extra=("when",))
    for row in rows:
        table.add(row["session"], noted_at(row), str(row.get("rule")), str(row.get("about")))
    return table
