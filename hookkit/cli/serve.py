from typing import Annotated

import typer

from hookkit.cli import _serve
from hookkit.cli._options import Output, Printed


def command(  # noqa: PLR0913, PLR0917 - one option each
    start: Annotated[bool, typer.Option("--start", help="Start the server in the background.")] = False,  # noqa: FBT002
    stop: Annotated[bool, typer.Option("--stop", help="Stop the server, after the requests at work.")] = False,  # noqa: FBT002
    restart: Annotated[bool, typer.Option("--restart", help="Stop the server and start it again.")] = False,  # noqa: FBT002
    status: Annotated[bool, typer.Option("--status", help="Say whether the server is running.")] = False,  # noqa: FBT002
    idle: Annotated[str, typer.Option(metavar="TIME", help="End after this time without a request: 30m, 2h, 0.")] = "0",
    port: Annotated[
        int, typer.Option(metavar="N", help="The port; by default the one of last time.", min=0, max=65535)
    ] = 0,
    on_demand: Annotated[
        bool | None, typer.Option("--on-demand/--no-on-demand", help="Whether hookkit-hook starts a missing server.")
    ] = None,
    install_service: Annotated[  # noqa: FBT002
        bool, typer.Option("--install-service", help="Write a service of your own, for systemd or launchd.")
    ] = False,
    output: Printed = Output.table,
) -> None:
    """Answer hooks from one warm process: in the foreground, or with --start in the background.

    Wire `hookkit-hook run` in place of `hookkit run`. Without a server, it runs the cold command: nothing is lost.

    Example: hookkit serve --start --idle 30m

    Example: hookkit serve --status
    """
    flags = {"start": start, "stop": stop, "restart": restart, "status": status, "install_service": install_service}
    _serve.act(flags, idle=idle, port=port, on_demand=on_demand, as_json=output is Output.json)
