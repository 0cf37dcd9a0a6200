from typing import Annotated

import typer

from hookkit.cli import _approval, _wiring
from hookkit.cli._options import Output, Printed
from hookkit.cli._wiring import DryRun, Names, Scope, Yes


def command(  # noqa: PLR0913, PLR0917 - one flag each
    agent: Names = "",
    scope: Scope = "user",
    hooks: Annotated[str, typer.Option(metavar="NAMES", help="Only these hooks, such as guard,redirect.")] = "",
    fail_closed: Annotated[  # noqa: FBT002
        bool, typer.Option("--fail-closed", help="Refuse tool calls if hookkit fails or is gone.")
    ] = False,
    warm: Annotated[  # noqa: FBT002
        bool, typer.Option("--warm", help="Ask the warm server first: hookkit serve --start --on-demand.")
    ] = False,
    approve: Annotated[
        str, typer.Option(metavar="<none|reads|work>", help="Approve calls without a question; the first init asks.")
    ] = "",
    dry_run: DryRun = False,  # noqa: FBT002
    yes: Yes = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Add hookkit to the settings of your agents: shows a summary, asks, keeps a backup.

    Answer d to see the diff. Running it again changes nothing, or brings an older entry up to date. `hookkit uninit`
    takes it back.

    Exits 1 if no agent is here, 2 if a settings file cannot be read.

    Example: hookkit init --scope project --dry-run
    """
    _approval.check(approve)
    flags = _wiring.Flags(agent, scope, dry_run=dry_run, yes=yes, as_json=output is Output.json)
    _wiring.init(flags, hooks, fail_closed=fail_closed, warm=warm)
    _approval.settle(flags, approve)
