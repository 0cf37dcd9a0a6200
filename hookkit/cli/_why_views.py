"""Showing why a call is judged as it is: the commands as a tree, the rules about each, and the verdict."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.tree import Tree

from hookkit import cases
from hookkit.cli._console import STYLES, Console, Text, console, echo_json, first_lines, short, verdict
from hookkit.cli._event import typed
from hookkit.cli._here import Here, here
from hookkit.cli._near import VERBS
from hookkit.cli._why import DECIDES, NEARLY, UNCERTAIN, Branch, Said, Why, as_json, line_of
from hookkit.dialects import claude
from hookkit.hooks import guard
from hookkit.model import Decision, Event
from hookkit.policy import modify
from hookkit.policy.judge import Judge

FEW = 3  # near misses of one command
LONGEST = 1000  # characters of a line that are repeated
BUILT_IN = "built in"
HOW = {DECIDES: "bold", UNCERTAIN: "yellow", NEARLY: "dim"}


def explain(tool: str, args: str, actor: str, *, everything: bool, in_json: bool) -> None:
    place = here()
    if actor:
        place.environ["HOOKKIT_ACTOR"] = actor
    judge = Judge(place.settings.policy, place.environ)
    fields = {"tool_name": tool, "tool_input": cases.input_of(tool, typed(args)), "cwd": place.cwd}
    event = claude.parse(fields, place.environ, "PreToolUse", place.cwd)
    whys = list(_whys(judge, event, everything=everything))
    wrong = guard.misshapen(event, place.settings)
    answer = Decision("deny", wrong) if wrong else judge.answer(event) or Decision()
    if in_json:
        echo_json({"verdict": answer.verdict, "reason": answer.reason, "calls": [as_json(why, place) for why in whys]})
        return
    out = console()
    if wrong:
        out.print(Text("The tool's schema denies it before any rule is asked:", "red"))
    for number, why in enumerate(whys):
        if number:
            out.print(Text("Changed by a rule of type modify, and judged again:", "cyan"))
        _show(out, why, place, everything=everything)
    _conclude(out, whys, answer, place)


def _whys(judge: Judge, event: Event, *, everything: bool) -> Iterator[Why]:
    """The call as given, then as a rule of type modify changes it."""
    first = Why(judge, event, all_=everything)
    yield first
    if first.verdict.verdict != "deny":
        changed = modify.apply(judge.policy, first.call, first.actor)
        if changed is not None:
            yield Why(judge, event.with_input(changed), all_=everything)


def _show(out: Console, why: Why, place: Here, *, everything: bool) -> None:
    subject = why.call.subject or json.dumps(why.call.tool_input, ensure_ascii=False)
    who = Text(f"  {why.actor}", "dim") if why.actor else Text()
    parts: list[Any] = [Text.assemble((f"{why.call.tool} ", "dim"), (first_lines(subject[:LONGEST], 5), "bold"), who)]
    parts += [Text(f"cannot tell: {doubt}", "yellow") for doubt in why.doubts]
    parts += _rules(why.said, place, everything=everything)
    tree = Tree(Group(*parts), guide_style="dim")
    for node in why.nodes:
        _grow(tree, node, why, place, everything=everything)
    if why.hidden:
        tree.add(Text(f"… {why.hidden} more commands", "dim"))
    out.print(tree)
    out.print()


def _grow(tree: Tree, node: Branch, why: Why, place: Here, *, above: Branch | None = None, everything: bool) -> None:
    command = node.command
    style = "bold" if command is why.verdict.command else ""
    is_fed = command.places and command.places[-1][1] and (above is None or command.places != above.command.places)
    line = Text(("| " if is_fed else "") + short(line_of(command)), style)
    if node.moved:
        line.append(f"  in {place.path(command.directory or '') or 'a directory that is computed'}", "dim")
    parts: list[Any] = [line]
    effects: dict[str, list[str]] = {}
    for kind, path in why.files(command):
        effects.setdefault(VERBS[kind], []).append(place.path(path))
    parts += [Text(f"{verb} {', '.join(paths)}", "dim") for verb, paths in effects.items()]
    parts += [Text(f"cannot tell: {command.doubt}", "yellow")] if command.doubt else []
    parts += [Text(node.missing, "yellow")] if node.missing else []
    parts += _rules(node.said, place, everything=everything)
    branch = tree.add(Group(*parts))
    for inner in node.nodes:
        _grow(branch, inner, why, place, above=node, everything=everything)


def _rules(said: list[Said], place: Here, *, everything: bool) -> list[Any]:
    """Each rule on a line of its own: its part in the verdict, its type, its pattern, its layer."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    nearly = [part for part in said if part.how == NEARLY]
    left = nearly[FEW:] if not everything else []
    for part in said:
        if part not in left:
            note = f": {part.note}" if part.note else ""
            row = Text.assemble(place.rule(part.rule), (note, HOW.get(part.how, "")))
            kind = Text(part.rule["type"], "dim") if part.how == NEARLY else verdict(part.rule["type"])
            grid.add_row(Text(part.how, HOW.get(part.how, "")), kind, row)
    if left:
        grid.add_row(Text(NEARLY, "dim"), "", Text(f"{len(left)} more (--all shows them)", "dim"))
    return [grid] if said else []


def _conclude(out: Console, whys: list[Why], answer: Decision, place: Here) -> None:
    why = max(whys, key=lambda why: why.verdict.verdict == answer.verdict)
    out.print(Text(_asked(why, place), "dim"))
    for rule in why.judge.due("command", why.event) if answer.verdict != "deny" else ():
        out.print(Text.assemble("Asked next, and not run here: ", (rule["run"], "cyan"), "  ", place.rule(rule)))
    place.warn(out)
    name = answer.verdict or "no opinion"
    lines = [Text(answer.reason if answer.verdict else "No rule decides: the client follows its own rules.")]
    if answer.updated_input is not None:
        lines.append(Text.assemble(("runs  ", "dim"), (short(whys[-1].call.subject), "cyan")))
    if why.verdict.rule is not None and answer.verdict:
        lines.append(Text.assemble(("rule  ", "dim"), place.rule(why.verdict.rule)))
    style = STYLES.get(name, "dim")
    out.print(Panel(Group(*lines), title=Text(name, style), title_align="left", border_style=style, padding=(0, 1)))


def _asked(why: Why, place: Here) -> str:
    """Such as: Checked 14 of 629 rules, all built in."""
    layers = Counter(place.layer(rule) for rule in why.rules)
    total = len(why.judge.policy["rules"])
    if not layers:
        return f"Checked none of {total} rules: no rule is about such a call."
    named = [(count, BUILT_IN if layer == "base" else f"from {layer}") for layer, count in layers.items()]
    which = f"all {named[0][1]}" if len(named) == 1 else ", ".join(f"{count} {origin}" for count, origin in named)
    return f"Checked {len(why.rules)} of {total} rules, {which}."
