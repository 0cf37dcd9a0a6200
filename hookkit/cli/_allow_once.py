"""Listing stopped calls, and allowing one."""

import os
import time

from hookkit.cli._console import Text, console, echo_json, fail, report, short, stop, table, verdict
from hookkit.safeguards import permits
from hookkit.system import agents

AGENT = "an agent runs this, and only a person can allow a call: run it in a terminal of your own"


def give(id_: str, *, as_json: bool) -> None:
    environ = dict(os.environ)
    if agents.agent(environ):
        fail(AGENT)
    try:
        found = permits.give(id_, environ)
    except OSError as error:
        stop(error)
    if found is None:
        fail(f"no stopped call {id_}. See: hookkit allow-once")
    said = f"Allowed once, for {permits.MINUTES} minutes: {found['about']}"
    report(said, {"id": id_, "rule": found["rule"], "about": found["about"]}, as_json=as_json, style="green")


def show_list(*, as_json: bool) -> None:
    found = permits.every(dict(os.environ))
    now = time.time()
    if as_json:
        names = ("id", "verdict", "rule", "tool", "about", "cwd")
        echo_json([{**{name: row.get(name) for name in names}, "allowed": row["until"] > now} for row in found])
        return
    if not found:
        console().print("No stopped call can be allowed now.")
        return
    rows = table("id", "when", "verdict", "rule", "call")
    for row in found:
        when = time.strftime("%m-%d %H:%M", time.localtime(row.get("at", 0)))
        call = Text(short(f"{row.get('tool')} {row.get('about')}"))
        minutes = -(-(row["until"] - now) // 60)
        said = Text(f"allowed, {minutes:.0f} min", "green") if minutes > 0 else verdict(row.get("verdict"))
        rows.add_row(row["id"], when, said, str(row.get("rule") or ""), call)
    console().print(rows)
