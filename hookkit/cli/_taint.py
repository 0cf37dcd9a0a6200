"""Sessions that have read a secret."""

import os
import time

from hookkit.cli._console import Text, console, echo_json, fail, report, stop, table
from hookkit.safeguards import taint
from hookkit.system import agents

AGENT = "an agent runs this, and only a person can clear a session: run it in a terminal of your own"


def show(session: str, *, clear: bool, as_json: bool) -> None:
    environ = dict(os.environ)
    if clear:
        if agents.agent(environ):
            fail(AGENT)
        try:
            count = taint.clear(environ, session)
        except OSError as error:
            stop(error)
        if session and not count:
            fail(f"no session {session} has read a secret")
        report(f"Cleared {count} session{'s' * (count != 1)}.", {"cleared": count}, as_json=as_json, style="green")
        return
    found = [row for row in taint.every(environ) if row["session"].startswith(session)]
    if session and not found:
        fail(f"no session {session} has read a secret")
    if as_json:
        echo_json(found)
    elif not found:
        console().print("No session has read a secret.", style="green")
    else:
        rows = table("session", "when", "rule", "read by")
        for row in found:
            when = time.strftime("%m-%d %H:%M", time.localtime(row.get("at", 0)))
            rows.add_row(row["session"], when, str(row.get("rule")), Text(str(row.get("about"))))
        console().print(rows)
