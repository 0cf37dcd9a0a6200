from typing import Annotated

import typer

from hookkit.cli import _suggest
from hookkit.cli._options import Output, Printed
from hookkit.replay.mining import LEAST


def command(
    since: Annotated[str, typer.Option(metavar="TIME", help="Only after this: 12h, 30d, or a date.")] = "30d",
    least: Annotated[int, typer.Option(min=1, help="Approvals that a rule needs.")] = LEAST,
    apply: Annotated[bool, typer.Option("--apply", help="Show the diff, then write the rules.")] = False,  # noqa: FBT002
    to: Annotated[str, typer.Option(metavar="FILE", help="Where to write; by default your own hookkit.toml.")] = "",
    agent: Annotated[str, typer.Option(metavar="NAME", help="Write the agent's own rules: claude.")] = "",
    output: Printed = Output.table,
) -> None:
    """Suggest rules from the permission dialogs that you answered with yes.

    Each rule has the exact words of commands that you approved; only a path of
    a program that reads or tests may become a pattern. No rule covers a call
    that you refused, or that the shipped policy stops.

    Example: hookkit suggest --since 7d

    Example: hookkit suggest --apply

    Example: hookkit suggest --agent claude --apply
    """
    _suggest.suggest(since, least, to, agent, apply=apply, as_json=output is Output.json)
