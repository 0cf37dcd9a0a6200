"""Running, starting and stopping the warm server."""

import os
import sys
from typing import Any

from hookkit.cli._console import fail, report, say, stop
from hookkit.daemon import door, process
from hookkit.errors import HookkitError

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
Flags = dict[str, bool]


def act(flags: Flags, *, idle: str, port: int, on_demand: bool | None, as_json: bool) -> None:
    chosen = [name for name, given in flags.items() if given]
    if len(chosen) > 1:
        stop(f"give one of {', '.join('--' + name.replace('_', '-') for name in chosen)}")
    words = ["--idle", idle, *(["--port", str(port)] if port else [])]
    seconds = _seconds(idle)
    try:
        if on_demand is not None:
            process.set_on_demand(dict(os.environ), process.ON if on_demand else process.OFF)
        if chosen:
            _DO[chosen[0]](words, as_json=as_json)
        elif on_demand is None:
            _serve(seconds, port, words)
        else:
            _status(words, as_json=as_json)
    except (OSError, HookkitError) as error:
        fail(error)


def _seconds(text: str) -> float:
    number, unit = (text[:-1], text[-1:]) if text[-1:] in UNITS else (text, "s")
    try:
        value = float(number) * UNITS[unit]
    except ValueError:
        stop(f"--idle {text}: not a time; expected 90s, 30m, 2h or 0")
    if not 0 <= value < 10**9:
        stop(f"--idle {text}: not a time; expected 90s, 30m, 2h or 0")
    return value


def _serve(seconds: float, port: int, words: list[str]) -> None:
    """In the foreground. After an upgrade the process becomes the new server and keeps its id."""
    from hookkit.daemon import code, server

    say("hookkit serves hooks on 127.0.0.1; Ctrl-C ends it.")
    outdated = server.run(dict(os.environ), idle=seconds, port=port)
    if outdated:
        server.wait_until_stable()
        command = [*code.launcher(), "serve", *words]
        sys.stdout.flush()
        os.execv(command[0], command)  # noqa: S606 - our own launcher


def _start(words: list[str], *, as_json: bool) -> None:
    environ = dict(os.environ)
    try:
        found, is_new = process.start(environ, words)
    except HookkitError:
        if process.on_demand(environ) == process.ON:
            process.set_on_demand(environ, process.FAILED)
        raise
    said = "Started" if is_new else "Already running"
    report(f"{said}: process {found.pid}, {found.address}", _facts(found), as_json=as_json)


def _stop(_: list[str], *, as_json: bool) -> None:
    if not process.stop(dict(os.environ)):
        fail("no server is running")
    report("Stopped.", {"running": False}, as_json=as_json)


def _restart(words: list[str], *, as_json: bool) -> None:
    process.stop(dict(os.environ))
    _start(words, as_json=as_json)


def _status(_: list[str], *, as_json: bool) -> None:
    environ = dict(os.environ)
    found = process.running(environ)
    demand = process.on_demand(environ)
    if found is None:
        report(f"Not running. On demand: {demand}.", {"running": False, "on_demand": demand}, as_json=as_json)
        raise SystemExit(1)
    report(f"Running: process {found.pid}, {found.address}. On demand: {demand}.",
           {**_facts(found), "on_demand": demand}, as_json=as_json)  # fmt: skip


def _facts(found: door.Door) -> dict[str, Any]:
    return {"running": True, "pid": found.pid, "port": found.port}


def _install(_: list[str], *, as_json: bool) -> None:
    from hookkit.daemon import services

    path, then = services.install(dict(os.environ))
    report(f"Wrote {path}. Now run: {then}", {"path": path, "then": then}, as_json=as_json)


_DO = {"start": _start, "stop": _stop, "restart": _restart, "status": _status, "install_service": _install}
