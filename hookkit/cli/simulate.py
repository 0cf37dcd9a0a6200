import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from hookkit import cases
from hookkit.errors import ConfigError
from hookkit.failures import describe


def command(
    paths: Annotated[list[str], typer.Argument(metavar="FILE…", help="JSONL files of rows.")],
    explain: Annotated[bool, typer.Option("--explain", help="Show each answer and why.")] = False,  # noqa: FBT002
) -> None:
    """Play events through the hooks and compare the replies with what the rows expect.

    A row: {"id": "…", "hook": "redirect", "files": {…}, "event": {…}, "reply": {…} or null}. Without a reply the
    answer is only shown. Exits 1 if one differs, 2 if a file cannot be read.

    Example: hookkit simulate tests/hooks.jsonl --explain
    """
    console = Console(highlight=False)
    try:
        rows = [row for path in paths for row in cases.load(path)]
    except ConfigError as error:
        Console(stderr=True, highlight=False, soft_wrap=True).print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None
    outcomes = [outcome for row in rows for outcome in cases.play(row)]
    for outcome in outcomes if explain else ():
        _explain(console, outcome)
    failed = [outcome for outcome in outcomes if not outcome.passed]
    for outcome in failed:
        _diff(console, outcome)
    checked = [outcome for outcome in outcomes if outcome.expected is not cases.MISSING]
    style = "red" if failed else "green"
    console.print(f"{len(outcomes)} played, {len(checked)} checked, {len(failed)} failed", style=style)
    raise typer.Exit(1 if failed else 0)


def _explain(console: Console, outcome: cases.Outcome) -> None:
    """One event as a short story: what came, what hookkit answered, and why."""
    mark, style = ("✓", "green") if outcome.passed else ("✗", "red")
    console.print(
        Text(f"{mark} {outcome.id}", style=f"bold {style}"), Text(f"{outcome.hook} on {outcome.event.name}", "dim")
    )
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", min_width=10)
    asked = (
        outcome.event.command or outcome.event.prompt or outcome.event.text("source") or outcome.event.text("trigger")
    )
    if asked:
        grid.add_row("  agent", Text(_head(asked)))
    for name, said in _said(outcome.reply) or [("answer", Text("nothing: the agent goes on", "dim"))]:
        grid.add_row(f"  {name}", said)
    for name, decision in outcome.decisions:
        if decision.reason:
            grid.add_row("  why", Text(decision.reason if outcome.hook == name else f"{name}: {decision.reason}"))
    for problem in outcome.problems:
        grid.add_row("  problem", Text(describe(problem), "red"))
    console.print(grid)
    console.print()


def _said(reply: Any) -> list[tuple[str, Text]]:
    """The parts of a reply that a person looks for."""
    if not isinstance(reply, dict):
        return [("to model", Text(_head(reply)))] if reply else []
    own = reply.get("hookSpecificOutput", {})
    parts = [
        ("verdict", own.get("permissionDecision") or reply.get("decision")),
        ("runs", own["updatedInput"].get("command", str(own["updatedInput"])) if "updatedInput" in own else None),
        ("to person", reply.get("systemMessage")),
        ("to model", own.get("additionalContext")),
    ]
    styles = {"runs": "cyan", "verdict": "bold"}
    return [(name, Text(_head(str(value)), styles.get(name, ""))) for name, value in parts if value]


def _head(text: str, lines: int = 3) -> str:
    """The first lines; a tour is no place for whole documents."""
    kept = [line for line in text.strip().splitlines() if line.strip()]
    return "\n".join(kept[:lines]) + (f"\n… {len(kept) - lines} more lines" if len(kept) > lines else "")


def _diff(console: Console, outcome: cases.Outcome) -> None:
    console.print(f"✗ {outcome.id}", style="bold red", markup=False)
    for name, value in (("expected", outcome.expected), ("got", outcome.reply)):
        console.print(f"  {name}", style="dim")
        console.print(
            Syntax(json.dumps(value, indent=2, ensure_ascii=False), "json", background_color="default", word_wrap=True)
        )
