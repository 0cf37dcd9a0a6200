"""Running, starting and stopping the background server."""

import os
import sys
from typing import Annotated, Any

from hookkit.cli._command import Option
from hookkit.cli._console import Output, fail, say, stop
from hookkit.cli._here import UNITS
from hookkit.errors import HookkitError
from hookkit.server import process

DEMAND = {
    process.ON: "It starts by itself when an agent needs it.",
    process.OFF: "It does not start by itself (hookkit init --warm changes that).",
}


def command(  # noqa: PLR0913 - one option each
    *,
    start: Annotated[bool, Option("--start", help="Start the server in the background.")] = False,
    stop_: Annotated[bool, Option("--stop", help="Stop the server, after the requests at work.")] = False,
    restart: Annotated[bool, Option("--restart", help="Stop the server and start it again.")] = False,
    status: Annotated[bool, Option("--status", help="Say whether the server is running.")] = False,
    idle: Annotated[str, Option(metavar="TIME", help="End after this time without a request: 30m, 2h, 0.")] = "0",
    port: Annotated[
        int, Option(metavar="N", help="The port; by default the one of last time.", least=0, most=65535)
    ] = 0,
    on_demand: Annotated[
        bool | None, Option("--on-demand/--no-on-demand", help="Whether hookkit-hook starts a missing server.")
    ] = None,
    install_service: Annotated[
        bool, Option("--install-service", help="Write a service of your own, for systemd or launchd.")
    ] = False,
    hub: Annotated[
        str, Option(metavar="URL", help="Be a fleet's hub, over this database: postgresql://… See docs/fleet.md.")
    ] = "",
    listen: Annotated[str, Option(metavar="HOST", help="With --hub: the address to listen on.")] = "127.0.0.1",
    keep: Annotated[int, Option(metavar="DAYS", least=0, help="With --hub: drop rows after these days.")] = 0,
) -> Output | None:
    """Answer hooks from one process that stays: in the foreground, or with --start in the background.

    Connect `hookkit-hook run` in place of `hookkit run`. Without a server, it runs the usual command: nothing is lost.

    Example: hookkit serve --start --idle 30m

    Example: hookkit serve --status

    Example: hookkit serve --hub postgresql:///hookkit --port 8787 --keep 90
    """
    if hub:
        _be_hub(hub, host=listen, port=port, keep=keep)
        return None
    flags = {"start": start, "stop": stop_, "restart": restart, "status": status, "install-service": install_service}
    given = [name for name, is_given in flags.items() if is_given]
    if len(given) > 1:
        stop(f"give one of {', '.join('--' + name for name in given)}")
    words = ["--idle", idle, *(["--port", str(port)] if port else [])]
    seconds = _seconds(idle)
    try:
        if on_demand is not None:
            process.set_on_demand(dict(os.environ), process.ON if on_demand else process.OFF)
        if not given and on_demand is None:
            _serve(seconds, port, words)
            return None
        return _DO[given[0] if given else "status"](words)
    except (OSError, HookkitError) as error:
        fail(error)


def _be_hub(dsn: str, *, host: str, port: int, keep: int) -> None:
    """In the foreground, until it is ended."""
    from hookkit.server.fleet.hub import server

    options = server.HubOptions(dsn, host=host, port=port or server.PORT, keep=keep)
    server.run(options, dict(os.environ), say)


def _seconds(text: str) -> float:
    number, unit = (text[:-1], text[-1:]) if text[-1:] in ("s", "m", "h", "d") else (text, "s")
    try:
        value = float(number) * UNITS[unit]
    except ValueError:
        stop(f"--idle {text}: not a time; expected 90s, 30m, 2h or 0")
    if not 0 <= value < 10**9:
        stop(f"--idle {text}: not a time; expected 90s, 30m, 2h or 0")
    return value


def _serve(seconds: float, port: int, words: list[str]) -> None:
    """In the foreground. After an upgrade the process becomes the new server and keeps its id."""
    from hookkit.server import code, serving

    say("hookkit serves hooks on 127.0.0.1; Ctrl-C ends it.")
    outdated = serving.run(dict(os.environ), idle=seconds, port=port)
    if outdated and serving.wait_until_stable():
        command = [*code.launcher(), "serve", *words]
        sys.stdout.flush()
        os.execv(command[0], command)  # noqa: S606 - our own launcher


def _start(words: list[str]) -> Output:
    server, is_new = process.start(dict(os.environ), words)
    state = "Started" if is_new else "Already running"
    return Output(_facts(server), f"{state}: process {server.pid}, {server.address}")


def _stop(_: list[str]) -> Output:
    if not process.stop(dict(os.environ)):
        fail("no server is running")
    return Output({"running": False}, "Stopped.")


def _restart(words: list[str]) -> Output:
    process.stop(dict(os.environ))
    return _start(words)


def _status(_: list[str]) -> Output:
    environ = dict(os.environ)
    server, demand = process.running(environ), process.on_demand(environ)
    by_itself = DEMAND.get(demand, "It could not be started, and does not start by itself any more.")
    if server is None:
        return Output({"running": False, "on_demand": demand}, f"Not running. {by_itself}", 1)
    text = f"Running: process {server.pid}, {server.address}. {by_itself}"
    return Output({**_facts(server), "on_demand": demand}, text)


def _facts(server: process.Door) -> dict[str, Any]:
    return {"running": True, "pid": server.pid, "port": server.port}


def _install(_: list[str]) -> Output:
    from hookkit.server import services

    path, then = services.install(dict(os.environ))
    return Output({"path": path, "then": then}, f"Wrote {path}. Now run: {then}")


_DO = {"start": _start, "stop": _stop, "restart": _restart, "status": _status, "install-service": _install}
