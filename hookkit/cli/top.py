"""The page, small, in the terminal: the same data, drawn anew every second."""

import os
from typing import Annotated, Any

from hookkit.cli._command import Option
from hookkit.cli._console import STATUSES, STYLES, Output, is_terminal, plural, screen_size
from hookkit.cli._here import ago, when
from hookkit.cli._view import Table, Text, View
from hookkit.handlers.handler import at_rest
from hookkit.server import process, views

FAILED = "failed"  # an outcome that matters more than the verdict
AROUND = 15  # lines of the screen beside the calls
FEWEST = 5
LEAVE = "Ctrl-C ends it"
HOURS = 24
AGENTS = 6
HOOKS = 4


def command(
    *,
    once: Annotated[bool, Option("--once", help="Print it once and exit.")] = False,
    everything: Annotated[bool, Option("--all", help="Also events without a call, such as Stop.")] = False,
) -> Output:
    """Watch the hooks in the terminal: agents, what waits for you, times of the hooks, the latest calls.

    Needs no server; with one, its state is shown too. Ctrl-C ends it.

    Example: hookkit top
    """
    environ = dict(os.environ)
    state = facts(environ)
    live = None if once else lambda: [*_screen(facts(environ), everything=everything), Text(LEAVE, "dim")]
    return Output(state, lambda: _screen(state, everything=everything), live=live)


def facts(environ: dict[str, str]) -> dict[str, Any]:
    server = process.running(environ)
    return {
        "server": {"running": server is not None, "address": server.address if server else None},
        **views.fleet(environ),
        **views.waiting(environ),
        "resting": at_rest(environ),
        "hooks": views.numbers(environ, HOURS)["hooks"],
        **views.rows(environ, {}),
    }


def _screen(state: dict[str, Any], *, everything: bool) -> list[View]:
    agents, hooks = state["agents"][:AGENTS], state["hooks"][:HOOKS]
    room = screen_size()[1] - AROUND - len(agents) - len(hooks) if is_terminal() else 20
    parts: list[View] = [_head(state)]
    parts += [_agents(agents)] if agents else []
    parts += [_hooks(hooks)] if hooks else []
    rows = [row for row in state["rows"] if everything or row["tool"]]
    did = [row for row in state["rows"] if row["acted"]][: max(FEWEST, room // 2)]
    if did and not everything:
        rest = [row for row in rows if not row["acted"]][: max(FEWEST, room - len(did))]
        parts += [Text("What hookkit did", "bold"), _calls(did)]
        return [*parts, Text("Other calls", "bold"), _calls(rest)] if rest else parts
    return [*parts, _calls(rows[: max(FEWEST, room)])]


def _head(state: dict[str, Any]) -> Text:
    server = "server running" if state["server"]["running"] else "no server"
    waits, rests = len(state["approvals"]), len(state["resting"])
    parts = [
        plural(state["total"], "row"),
        server,
        *([f"{plural(rests, 'handler')} off after failures"] if rests else []),
    ]
    waiting = (f" · {waits} wait for an approval", "bold yellow") if waits else ""
    return Text.assemble(("hookkit  ", "bold"), (" · ".join(parts), "dim"), waiting)


def _agents(rows: list[dict[str, Any]]) -> View:
    shown = Table("AGENT", "STATUS", "SINCE", "NOTE")
    for row in rows:
        shown.add(row["id"], Text(row["status"], STATUSES[row["status"]]), ago(row["since"]), row["note"])
    return shown


def _hooks(rows: list[dict[str, Any]]) -> View:
    shown = Table("HOOK", "RUNS", "P50 MS", "P95 MS", "P99 MS")
    for row in rows:
        shown.add(row["hook"], f"{row['runs']:,}", *(f"{row[name]:.2f}" for name in ("p50", "p95", "p99")))
    return shown


def _calls(rows: list[dict[str, Any]]) -> View:
    if not rows:
        return Text("No calls yet. They appear here as agents work.", "dim")
    shown = Table("WHEN", "VERDICT", "WHAT", "ABOUT")
    for row in rows:
        state = "no result" if row["state"] == "unfinished" else row["state"] or ""
        word = state if state == FAILED else row["verdict"] or state
        about = str(row["subject"]).partition("\n")[0][:160]
        shown.add(
            when(row["at"], "%H:%M:%S"),
            Text(word, "bold red" if word == FAILED else STYLES.get(word, "dim")),
            row["tool"] or row["event"],
            about,
        )
    return shown
