import json
from collections import Counter
from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Any

import typer
from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from hookkit import cases
from hookkit.cli._near import VERBS
from hookkit.cli._output import STYLES, Here, console, echo_json, given, head, short, stop, verdict
from hookkit.cli._why import DECIDES, NEARLY, UNCERTAIN, Node, Said, Why, as_json, line_of
from hookkit.dialects import claude
from hookkit.errors import ConfigError
from hookkit.hooks import guard, redirect
from hookkit.model import Answer, Decision, Event, combine
from hookkit.policy import modify
from hookkit.policy.judge import Judge

FEW = 3  # near misses of one command
LONGEST = 1000  # characters of a line that are repeated
HOW = {DECIDES: "bold", UNCERTAIN: "yellow", NEARLY: "dim"}


class Output(str, Enum):
    table = "table"
    json = "json"


def command(
    args: Annotated[str, typer.Argument(metavar="COMMAND", help="A command line; for other tools their argument.")],
    tool: Annotated[str, typer.Option(help="The tool that is called.")] = "Bash",
    actor: Annotated[str, typer.Option(help="Who calls, as in agent:executor.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="Show every near miss.")] = False,  # noqa: FBT002
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print.")] = Output.table,
) -> None:
    """Explain what the policy says of a call: every command in it, the rules about each, and the one that decides.

    A rule that nearly matched is shown with the one condition that failed. Nothing is run.

    Exits 0, or 2 if the settings cannot be read.

    Example: hookkit why "cd build && sudo sh -c 'rm -rf *'"
    """
    try:
        here = Here()
    except ConfigError as error:
        stop(error)
    if actor:
        here.environ["HOOKKIT_ACTOR"] = actor
    judge = Judge(here.settings.policy, here.environ)
    fields = {"tool_name": tool, "tool_input": cases.input_of(tool, given(args)), "cwd": here.cwd}
    event = claude.parse(fields, here.environ, "PreToolUse", here.cwd)
    whys = list(_whys(judge, event, everything=everything))
    wrong = guard.misshapen(event, here.settings)
    answer = Decision("deny", wrong) if wrong else judge.answer(event) or Decision()
    policy = len(whys)
    answer = _redirected(event, here, answer, whys, everything=everything)
    if output is Output.json:
        calls = [as_json(why, here) for why in whys]
        runs = {"runs": whys[-1].call.subject, "message": answer.message} if len(whys) > policy else {}
        echo_json({"verdict": answer.verdict, "reason": answer.reason, **runs, "calls": calls})
        return
    out = console()
    if wrong:
        out.print(Text("The tool's schema denies it before any rule is asked:", "red"))
    for number, why in enumerate(whys):
        if number:
            by = "a rule of type modify" if number < policy else "redirect"
            out.print(Text(f"Changed by {by}, and judged again:", "cyan"))
        _show(out, why, here, everything=everything)
    _conclude(out, whys, answer, here)


def _whys(judge: Judge, event: Event, *, everything: bool) -> Iterator[Why]:
    """The call as it is, and as a rule would change it."""
    first = Why(judge, event, all_=everything)
    yield first
    if first.verdict.verdict != "deny":
        changed = modify.apply(judge.policy, first.call, first.actor)
        if changed is not None:
            yield Why(judge, event.with_input(changed), all_=everything)


def _redirected(event: Event, here: Here, answer: Decision, whys: list[Why], *, everything: bool) -> Decision:
    """The answer of `hookkit run`, with redirect: the line as written and as rewritten, each judged."""
    event.answers = [Answer("guard", answer, None, 0.0)]
    said = redirect.run(event, here.settings)
    if said is None or answer.updated_input is not None:
        return answer
    decisions = [answer, said]
    if said.updated_input is not None:
        whys.append(Why(whys[0].judge, event.with_input(said.updated_input), all_=everything))
        judged = whys[0].judge.answer(whys[-1].event) or Decision()
        judged.judged = said.updated_input
        decisions.append(judged)
    both = combine(decisions)
    both.message = both.message.replace("hookkit ran ", "hookkit would run ").replace(
        "hookkit did not", "hookkit would not"
    )
    return both


def _show(out: Console, why: Why, here: Here, *, everything: bool) -> None:
    subject = why.call.subject or json.dumps(why.call.tool_input, ensure_ascii=False)
    who = Text(f"  {why.actor}", "dim") if why.actor else Text()
    parts: list[Any] = [Text.assemble((f"{why.call.tool} ", "dim"), (head(subject[:LONGEST], 5), "bold"), who)]
    parts += [Text(f"cannot tell: {doubt}", "yellow") for doubt in why.doubts]
    parts += _rules(why.said, here, everything=everything)
    tree = Tree(Group(*parts), guide_style="dim")
    for node in why.nodes:
        _grow(tree, node, why, here, everything=everything)
    if why.hidden:
        tree.add(Text(f"… {why.hidden} more commands", "dim"))
    out.print(tree)
    out.print()


def _grow(tree: Tree, node: Node, why: Why, here: Here, *, above: Node | None = None, everything: bool) -> None:
    command = node.command
    style = "bold" if command is why.verdict.command else ""
    is_fed = command.places and command.places[-1][1] and (above is None or command.places != above.command.places)
    line = Text(("| " if is_fed else "") + short(line_of(command)), style)
    if node.moved:
        line.append(f"  in {here.path(command.directory or '') or 'a directory that is computed'}", "dim")
    parts: list[Any] = [line]
    effects: dict[str, list[str]] = {}
    for kind, path in why.files(command):
        effects.setdefault(VERBS[kind], []).append(here.path(path))
    parts += [Text(f"{verb} {', '.join(paths)}", "dim") for verb, paths in effects.items()]
    parts += [Text(f"cannot tell: {command.doubt}", "yellow")] if command.doubt else []
    parts += [Text(node.missing, "yellow")] if node.missing else []
    parts += _rules(node.said, here, everything=everything)
    branch = tree.add(Group(*parts))
    for inner in node.nodes:
        _grow(branch, inner, why, here, above=node, everything=everything)


def _rules(said: list[Said], here: Here, *, everything: bool) -> list[Any]:
    """Each rule on its line: what it has to do with the command, its verdict, its pattern, its layer."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    nearly = [part for part in said if part.how == NEARLY]
    left = nearly[FEW:] if not everything else []
    for part in said:
        if part not in left:
            note = f": {part.note}" if part.note else ""
            row = Text.assemble(here.rule(part.rule), (note, HOW.get(part.how, "")))
            kind = Text(part.rule["type"], "dim") if part.how == NEARLY else verdict(part.rule["type"])
            grid.add_row(Text(part.how, HOW.get(part.how, "")), kind, row)
    if left:
        grid.add_row(Text(NEARLY, "dim"), "", Text(f"{len(left)} more (--all shows them)", "dim"))
    return [grid] if said else []


def _conclude(out: Console, whys: list[Why], answer: Decision, here: Here) -> None:
    why = max(whys, key=lambda why: why.verdict.verdict == answer.verdict)
    layers = Counter(here.layer(rule) for rule in why.rules)
    asked = ", ".join(f"{count} {layer}" for layer, count in layers.items()) or "none"
    out.print(Text(f"Rules that were asked, of {len(why.judge.policy['rules'])}: {asked}.", "dim"))
    for rule in why.judge.due("command", why.event) if answer.verdict != "deny" else ():
        out.print(Text.assemble("Asked next, and not run here: ", (rule["run"], "cyan"), "  ", here.rule(rule)))
    here.warn(out)
    name = answer.verdict or "no opinion"
    lines = [Text(answer.reason if answer.verdict else "No rule decides, so the client's own rules do.")]
    lines += [Text(answer.message)] if answer.message else []
    if answer.updated_input is not None:
        lines.append(Text.assemble(("runs  ", "dim"), (short(whys[-1].call.subject), "cyan")))
    if why.verdict.rule is not None and answer.verdict:
        lines.append(Text.assemble(("rule  ", "dim"), here.rule(why.verdict.rule)))
    style = STYLES.get(name, "dim")
    out.print(Panel(Group(*lines), title=Text(name, style), title_align="left", border_style=style, padding=(0, 1)))
