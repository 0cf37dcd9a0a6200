from typing import Annotated

import typer

from hookkit.cli import _doctor, _wiring
from hookkit.cli._options import Output, Printed
from hookkit.cli._wiring import Names


def command(
    agent: Names = "",
    live: Annotated[bool, typer.Option("--live", help="Also run every wired command with a test event.")] = False,  # noqa: FBT002
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended, with a backup.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Say whether your agents really call hookkit, and what to do if not.

    Looks at the settings of every agent, the program they would start, trust, the policy, the ledger, and compares the
    tool calls in the agent's own transcripts with the ledger.

    Exits 1 if any problem is serious: then calls pass unchecked.

    Example: hookkit doctor --live
    """
    agents = _wiring.chosen(agent)
    _doctor.examine(agents, live=live, fix=fix, as_json=output is Output.json)
