"""Listing and settling approvals."""

import getpass
import os
from typing import Any, NoReturn

from hookkit.cli._console import Text, console, echo_json, fail, stop, table
from hookkit.gates import approvals
from hookkit.system import agents, files

STYLES = {approvals.OPEN: "bold yellow", approvals.APPROVED: "bold green", approvals.DENIED: "bold red"}


def show_list(*, everything: bool, as_json: bool) -> None:
    found = [each for each in _every() if everything or each["state"] == approvals.OPEN]
    if as_json:
        echo_json(found)
        return
    out = console()
    if not found:
        out.print("Nothing waits for an approval.", style="green")
        return
    rows = table()
    for name in ("id", "state", "by", "since", "what"):
        rows.add_column(name, overflow="fold", no_wrap=name == "id")
    for each in found:
        by = each["by"] or ", ".join(each["approvers"]) or "anybody"
        what = Text(each["about"]) + Text(f"\n{each['project']}", "dim")
        rows.add_row(each["id"], Text(each["state"], STYLES.get(each["state"], "")), by, each["opened"], what)
    out.print(rows)
    out.print(Text("Give one with: hookkit approve ID (or --deny)", "dim"))


def settle(id_: str, who: str, *, deny: bool, as_json: bool) -> None:
    wanted = next((each for each in _every() if each["id"] == id_), None)
    if wanted is None:
        fail(f"no approval {id_}. See: hookkit approve")
    settled = _settled(wanted, who, deny=deny)
    if as_json:
        echo_json(settled)
        return
    state = Text(settled["state"], STYLES[settled["state"]])
    about = f" by {settled['by']}: {settled['about']}"
    console().print(Text.assemble(settled["id"], " ", state, about), soft_wrap=True)


def _every() -> list[dict[str, Any]]:
    try:
        return approvals.every(dict(os.environ))
    except OSError as error:
        _unreadable(error)


def _settled(found: dict[str, Any], who: str, *, deny: bool) -> dict[str, Any]:
    """An agent must not approve its own work. This check is a fence; the policy is the wall."""
    if agents.agent(os.environ):
        fail("an agent runs this, and only a person can approve: run it in a terminal of your own")
    by = named(who or _user())
    allowed = [named(name) for name in found["approvers"]]
    if allowed and by not in allowed:
        fail(f"{found['id']} is for {' or '.join(allowed)}, not for {by}: say who you are with --as")
    state = approvals.DENIED if deny else approvals.APPROVED
    if found["state"] == state:
        fail(f"{found['id']} was {state} by {found['by']} at {found['settled']}")
    try:
        return approvals.settle(dict(os.environ), found, state, by)
    except OSError as error:
        _unreadable(error)


def _unreadable(error: OSError) -> NoReturn:
    stop(f"{error.filename or files.state_dir(dict(os.environ))}: {error.strerror or error}")


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        stop("this user has no name: say who you are with --as")


def named(name: str) -> str:
    """A bare name is the name of a person."""
    return name if ":" in name else f"human:{name}"
