"""The page, small, in the terminal: the same data, drawn anew every second."""

import os
import time
from typing import Any

from rich.console import Group
from rich.live import Live

from hookkit.cli._agents import STYLES as STATUSES
from hookkit.cli._console import STYLES, Text, console, echo_json, stop, table
from hookkit.cli._ledger_rows import when
from hookkit.cli._work import add, ago
from hookkit.daemon import process, views
from hookkit.errors import HookkitError

EVERY = 1.0  # seconds
FAILED = "failed"  # an outcome that matters more than the verdict
AROUND = 12  # lines of the screen beside the calls
FEWEST = 5
HOURS = 24
AGENTS = 6
HOOKS = 4


def show(*, once: bool, everything: bool, as_json: bool) -> None:
    environ = dict(os.environ)
    try:
        if as_json:
            echo_json(facts(environ))
        elif once or not console().is_terminal:
            console().print(_screen(facts(environ), everything=everything))
        else:
            _live(environ, everything=everything)
    except (OSError, HookkitError) as error:
        stop(error)


def facts(environ: dict[str, str]) -> dict[str, Any]:
    found = process.running(environ)
    return {
        "server": {"running": found is not None, "address": found.address if found else None},
        **views.fleet(environ),
        **views.waiting(environ),
        **views.resting(environ),
        "hooks": views.numbers(environ, HOURS)["hooks"],
        **views.rows(environ, {}),
    }


def _live(environ: dict[str, str], *, everything: bool) -> None:
    with Live(
        _screen(facts(environ), everything=everything), console=console(), screen=True, auto_refresh=False
    ) as live:
        try:
            while True:
                time.sleep(EVERY)
                live.update(_screen(facts(environ), everything=everything), refresh=True)
        except KeyboardInterrupt:
            return


def _screen(found: dict[str, Any], *, everything: bool) -> Group:
    agents, hooks = found["agents"][:AGENTS], found["hooks"][:HOOKS]
    room = console().height - AROUND - len(agents) - len(hooks) if console().is_terminal else 20
    parts: list[Any] = [_head(found)]
    parts += [_agents(agents)] if agents else []
    parts += [_hooks(hooks)] if hooks else []
    rows = [row for row in found["rows"] if everything or row["tool"]]
    return Group(*parts, _calls(rows[: max(FEWEST, room)]))


def _head(found: dict[str, Any]) -> Text:
    server = "server running" if found["server"]["running"] else "no server"
    waits, rests = len(found["approvals"]), len(found["resting"])
    parts = [f"{found['total']:,} rows", server, *([f"{rests} handlers at rest"] if rests else [])]
    waiting = (f" · {waits} wait for an approval", "bold yellow") if waits else ""
    return Text.assemble(("hookkit  ", "bold"), (" · ".join(parts), "dim"), waiting)


def _agents(rows: list[dict[str, Any]]) -> Any:
    shown = table("AGENT", "STATUS", "SINCE", "NOTE")
    for row in rows:
        add(shown, row["id"], Text(row["status"], STATUSES[row["status"]]), ago(row["since"]), row["note"])
    return shown


def _hooks(rows: list[dict[str, Any]]) -> Any:
    shown = table("HOOK", "RUNS", "P50 MS", "P95 MS", "P99 MS")
    for row in rows:
        add(shown, row["hook"], f"{row['runs']:,}", *(f"{row[name]:.2f}" for name in ("p50", "p95", "p99")))
    return shown


def _calls(rows: list[dict[str, Any]]) -> Any:
    if not rows:
        return Text("No calls yet. They appear here as agents work.", "dim")
    shown = table("WHEN", "VERDICT", "WHAT", "ABOUT")
    for row in rows:
        word = row["state"] if row["state"] == FAILED else row["verdict"] or row["state"] or ""
        about = str(row["subject"]).partition("\n")[0][:160]
        add(
            shown,
            when(row["at"], "%H:%M:%S"),
            Text(word, "bold red" if word == FAILED else STYLES.get(word, "dim")),
            row["tool"] or row["event"],
            about,
        )
    return shown
