"""One list of all that waits for the person: stopped calls, and approvals of gates."""

import os

from hookkit.cli import _allow_once, _approve
from hookkit.cli._console import echo_json, fail
from hookkit.gates import approvals
from hookkit.safeguards import permits


def run(id_: str, who: str, *, deny: bool, as_json: bool) -> None:
    environ = dict(os.environ)
    if not id_:
        _show(environ, as_json=as_json)
    elif any(row["id"] == id_ for row in _approvals(environ)):
        _approve.settle(id_, who, deny=deny, as_json=as_json)
    elif deny:
        fail(f"no approval {id_} waits. See: hookkit allow")
    else:
        _allow_once.give(id_, as_json=as_json)


def _show(environ: dict[str, str], *, as_json: bool) -> None:
    waiting = [row for row in _approvals(environ) if row["state"] == approvals.OPEN]
    if as_json:
        echo_json({"approvals": waiting, "stopped": permits.every(environ)})
        return
    if waiting:
        _approve.show_list(everything=False, as_json=False)
    _allow_once.show_list(as_json=False)


def _approvals(environ: dict[str, str]) -> list[dict[str, str]]:
    try:
        return approvals.every(environ)
    except OSError:
        return []
