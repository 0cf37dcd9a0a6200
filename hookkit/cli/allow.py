"""All that waits for the person: approvals of gates, stopped calls, sessions that have read a secret."""

import os
import time
from typing import Annotated, Any

from hookkit.cli._command import Argument, Option
from hookkit.cli._console import Output, fail, only_a_person, short, verdict
from hookkit.cli._view import Table, Text, View, Wide
from hookkit.cli.taint import noted_at, taint_table
from hookkit.errors import HookkitError
from hookkit.verdicts import permits, taint
from hookkit.work.gates import approvals

STYLES = {approvals.OPEN: "bold yellow", approvals.APPROVED: "bold green", approvals.DENIED: "bold red"}

Rows = list[dict[str, Any]]


def command(  # noqa: PLR0913 - one option each
    id_: Annotated[str, Argument(metavar="ID", help="The id in the message; without one, a list.")] = "",
    *,
    deny: Annotated[bool, Option("--deny", help="Refuse an approval that a gate waits for.")] = False,
    who: Annotated[str, Option("--as", metavar="NAME", help="Who you are, for an approval: human:rashid.")] = "",
    key: Annotated[str, Option("--key", metavar="FILE", help="The SSH key that proves the name of --as.")] = "",
    everything: Annotated[bool, Option("--all", help="List settled approvals too.")] = False,
    only_approvals: Annotated[bool, Option("--approvals", help="Only approvals.")] = False,
    only_stopped: Annotated[bool, Option("--stopped", help="Only stopped calls.")] = False,
    fleet: Annotated[bool, Option("--fleet", help="Requests at your fleet's hub, which approvers answer.")] = False,
) -> Output:
    """Show what waits for you, or allow it: a stopped call once, or an approval that a gate waits for.

    A stopped call may run once within ten minutes. A session that has read a secret is asked about each call that sends
    data (setting taint.mode), until you run: hookkit taint --clear

    An approval has the name of your login. Another name needs a proof: your SSH key, which
    `hookkit trust --signer NAME --key FILE.pub` has put among the signers.

    Exits 1 if there is no such id, if another person has to approve, or if an agent runs this.

    Example: hookkit allow 45e4d347

    Example: hookkit approve --fleet 17
    """
    environ = dict(os.environ)
    if fleet:
        return _at_hub(id_, deny=deny, everything=everything)
    if not id_ and only_stopped:
        return _stopped(environ)
    if not id_ and (only_approvals or everything):
        return _approvals(environ, everything=everything)
    if not id_:
        return _everything(environ)
    if only_approvals or (not only_stopped and any(row["id"] == id_ for row in approvals.every(environ))):
        return _settle(environ, id_, who, key, deny=deny)
    return fail(f"no approval {id_} waits. See: hookkit allow") if deny else _permit(environ, id_)


def _at_hub(id_: str, *, deny: bool, everything: bool) -> Output:
    from hookkit.cli import _fleet  # late: httpx is for those who read a fleet

    if not id_:
        return _fleet.approvals(everything=everything)
    only_a_person("approve")
    return _fleet.answer(id_, deny=deny)


def _everything(environ: dict[str, str]) -> Output:
    open_ = [row for row in approvals.every(environ) if row["state"] == approvals.OPEN]
    stopped, tainted = permits.every(environ), taint.every(environ)
    value = {"approvals": open_, "stopped": stopped, "tainted": tainted}
    if not (open_ or stopped or tainted):
        return Output(value, "Nothing waits for you. Calls that hookkit stops appear here.", style="green")
    parts: list[View] = []
    for title, rows, table in (
        ("Approvals: hookkit allow ID, or --deny", open_, _approvals_table),
        ("Stopped calls: hookkit allow ID lets one run once", stopped, _stopped_table),
        ("Sessions that have read a secret: hookkit taint --clear", tainted, taint_table),
    ):
        parts += [*([""] if parts else []), Text(title, "bold"), table(rows)] if rows else []
    return Output(value, parts)


# -- stopped calls ---------------------------------------------------------------------------------------------------


def _permit(environ: dict[str, str], id_: str) -> Output:
    only_a_person("allow a call")
    try:
        permit = permits.give(id_, environ)
    except HookkitError as error:
        fail(error)
    if permit is None:
        fail(f"no stopped call {id_}. See: hookkit allow")
    text = f"Allowed once, for {permits.MINUTES} minutes: {permit['call']}"
    return Output({"id": id_, "rule": permit["rule"], "about": permit["call"]}, text, style="green")


def _stopped(environ: dict[str, str]) -> Output:
    rows, now = permits.every(environ), time.time()
    names = ("id", "verdict", "rule", "tool", "about", "cwd")
    value = [{**{name: row.get(name) for name in names}, "allowed": row["until"] > now} for row in rows]
    return Output(value, _stopped_table(rows) if rows else "No stopped call can be allowed now.")


def _stopped_table(rows: Rows) -> Table:
    table, now = Table("id", "when", "verdict", "rule", "call", whole=("id", "when"), extra=("when",)), time.time()
    for row in rows:
        minutes = -(-(row["until"] - now) // 60)
        state = Text(f"allowed, {minutes:.0f} min", "green") if minutes > 0 else verdict(row.get("verdict"))
        call = short(f"{row.get('tool')} {row.get('about')}")
        table.add(row["id"], noted_at(row), state, str(row.get("rule") or ""), call)
    return table


# -- approvals -------------------------------------------------------------------------------------------------------


def _approvals(environ: dict[str, str], *, everything: bool) -> Output:
    rows = [row for row in approvals.every(environ) if everything or row["state"] == approvals.OPEN]
    if not rows:
        return Output(rows, "Nothing waits for an approval.", style="green")
    return Output(rows, [_approvals_table(rows), Text("Give one with: hookkit allow ID (or --deny)", "dim")])


def _approvals_table(rows: Rows) -> Table:
    table = Table("id", "state", "by", "since", "what", whole=("id",), extra=("since",))
    for row in rows:
        by = f"{row['by']} ({row['proof']})" if row["by"] else ", ".join(row["approvers"]) or "anybody"
        call = f"\n{row['call']}" if row["call"] else ""
        what = Text.assemble(row["about"], call, (f"\n{row['project']}", "dim"))
        table.add(row["id"], Text(row["state"], STYLES.get(row["state"], "")), by, row["opened"], what)
    return table


def _settle(environ: dict[str, str], id_: str, who: str, key: str, *, deny: bool) -> Output:
    wanted = next((row for row in approvals.every(environ) if row["id"] == id_), None)
    if wanted is None:
        fail(f"no approval {id_}. See: hookkit allow")
    settled = _settled(environ, wanted, who, key, deny=deny)
    state = (settled["state"], STYLES[settled["state"]])
    call = f"\n{settled['call']}" if settled["call"] else ""
    by = f" by {settled['by']} ({settled['proof']}): {settled['about']}"
    return Output(settled, Wide(Text.assemble(id_, " ", state, by, call)))


def _settled(environ: dict[str, str], wanted: dict[str, Any], who: str, key: str, *, deny: bool) -> dict[str, Any]:
    only_a_person("approve")
    by = approvals.named(who) if who else approvals.login()
    allowed = [approvals.named(name) for name in wanted["approvers"]]
    if allowed and by not in allowed:
        fail(f"{wanted['id']} is for {' or '.join(allowed)}, not for {by}: say who you are with --as")
    state = approvals.DENIED if deny else approvals.APPROVED
    if wanted["state"] == state:
        fail(f"{wanted['id']} was {state} by {wanted['by']} at {wanted['settled']}")
    try:
        proof = approvals.prove(wanted, state, who, key, environ)
        if wanted.get("request") and not deny and not proof.signature:
            fail(f"{wanted['id']} is answered at your company's hub; here, only the key of a listed approver counts")
        return approvals.settle(environ, wanted, state, proof)
    except HookkitError as error:
        fail(error)
