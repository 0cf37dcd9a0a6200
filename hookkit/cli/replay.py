from typing import Annotated

import typer

from hookkit.cli import _replay
from hookkit.cli._options import Output, PrintedForReview


def command(
    transcripts: Annotated[
        list[str] | None, typer.Argument(metavar="TRANSCRIPT", help="Files or directories; without, all of yours.")
    ] = None,
    since: Annotated[str, typer.Option(metavar="TIME", help="Only after this: 12h, 30d, or a date.")] = "30d",
    policy: Annotated[str, typer.Option(metavar="FILE", help="Try this hookkit.toml, not the one in force.")] = "",
    against: Annotated[str, typer.Option(metavar="FILE", help="Compare with this hookkit.toml.")] = "",
    project: Annotated[str, typer.Option(metavar="DIR", help="Only calls in this directory.")] = "",
    fail_on: Annotated[
        str, typer.Option("--fail-on", metavar="CHANGE", help="Exit 1 on newly-denied or newly-asked calls.")
    ] = "",
    output: PrintedForReview = Output.table,
) -> None:
    """Put the tool calls of your past sessions through a policy.

    Reads the transcripts of Claude Code, Codex, Gemini, Copilot and Qwen, sub-agents
    included, and the ledger. Shows what would be denied, asked, approved and
    rewritten, by rule; with --against, only what changes between two policies.

    Nothing is run, and nothing is written. Programs of your own rules are not
    asked.

    Example: hookkit replay --since 7d

    Example: hookkit replay --policy new.toml --against hookkit.toml --fail-on newly-denied -o markdown
    """
    _replay.replay(transcripts or [], since, policy, against, project, fail_on, output)
