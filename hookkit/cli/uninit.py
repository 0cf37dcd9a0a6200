from hookkit.cli import _wiring
from hookkit.cli._options import Output, Printed
from hookkit.cli._wiring import DryRun, Names, Scope, Yes


def command(
    agent: Names = "",
    scope: Scope = "all",
    dry_run: DryRun = False,  # noqa: FBT002
    yes: Yes = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Take hookkit out of the settings of your agents.

    A file that nobody else has changed gets back its very bytes, or is removed if `init` made it; from any other file
    only the entries of hookkit are removed.

    Exits 1 if an agent runs this: only a person can switch hookkit off.

    Example: hookkit uninit --dry-run
    """
    flags = _wiring.Flags(agent, scope, dry_run=dry_run, yes=yes, as_json=output is Output.json)
    _wiring.uninit(flags)
