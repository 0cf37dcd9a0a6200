"""Showing the reasons of an answer: the commands as a tree, the rules about each, and the verdict."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import typer
from rich.console import Group
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.tree import Tree

from hookkit import cases
from hookkit.approve import answer as approval
from hookkit.cli._console import STYLES, Console, Text, console, echo_json, first_lines, short, verdict
from hookkit.cli._event import hooks_json, play, reasons_of, typed, verdict_of
from hookkit.cli._here import Here, here
from hookkit.cli._near import verb
from hookkit.cli._why import DECIDES, NEARLY, UNCERTAIN, Branch, Said, Why, as_json, line_of
from hookkit.hooks import guard
from hookkit.model import combine
from hookkit.policy.judge import Judge
from hookkit.programs import columns
from hookkit.safeguards import permits
from hookkit.system.client_settings import default_mode

FEW = 3  # near misses of a command
LONGEST = 1000  # characters of a repeated line
BUILT_IN = "built in"
UNDECIDED = "No rule decides: the client follows its own rules."
ASKING, AUTO = "default", "auto"  # permission modes of the client
HOW = {DECIDES: "bold", UNCERTAIN: "yellow", NEARLY: "dim"}
EFFECTS = {kind: column for column, kind in columns.VERBS.items()}


class Explained:
    """A call and the answer of `hookkit run`, without the programs of the user's own.

    `whys` explains the policy's part for each input: as given, and as rewritten by a rule or by redirect.
    """

    def __init__(self, tool: str, args: str, actor: str, mode: str, *, everything: bool) -> None:
        self.place = here()
        self.mode = mode or default_mode(self.place.project, self.place.environ)
        if actor:
            self.place.environ["HOOKKIT_ACTOR"] = actor
        given = cases.input_of(tool, typed(args))
        fields = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given, "cwd": self.place.cwd}
        self.fields, self.actor = fields, actor
        self.played = self._played(self.mode or ASKING)
        self.wrong = guard.misshapen(self.played.event, self.place.settings)
        self.answer = combine([decision for _, decision in self.played.decisions])
        self.everything = everything
        self.whys = list(self._whys(Judge(self.place.settings.policy, self.place.environ)))

    def _played(self, mode: str) -> cases.Played:
        return play({**self.fields, "permission_mode": mode}, self.actor, programs=False)

    @property
    def in_auto(self) -> str:
        """The answer in auto mode, where a rewrite differs there and nothing says which mode applies."""
        if self.mode or self.answer.updated_input is None:
            return ""
        said = combine([decision for _, decision in self._played(AUTO).decisions])
        if said.updated_input == self.answer.updated_input:
            return ""
        return said.message or "the call stays as written"

    @property
    def unapproved(self) -> str:
        """Why `policy.approve` does not approve the call; empty where it is off, or a rule decides."""
        if self.answer.verdict or self.place.settings["policy.approve"] == "none":
            return ""
        why = self.whys[-1]
        return approval.approval(why.event, why.judge, self.place.settings).reason

    @property
    def stopped(self) -> list[dict[str, Any]]:
        """The same call as stopped in a session, newest first: a person can allow it once."""
        return permits.noted(self.played.event, self.place.environ) if self.answer.verdict in ("ask", "deny") else []

    def _whys(self, judge: Judge) -> Iterator[Why]:
        event = self.played.event
        inputs = [event.tool_input]
        for ran in self.played.ran:
            inputs += [ran.decision.updated_input] if ran.decision and ran.decision.updated_input is not None else []
        for number, given in enumerate(inputs):
            if given not in inputs[:number]:
                yield Why(judge, event.with_input(given), all_=self.everything)

    @property
    def title(self) -> str:
        return self.answer.verdict or ("rewrite" if self.answer.updated_input is not None else "lets it pass")


def explain(tool: str, args: str, actor: str, mode: str, *, everything: bool, in_json: bool) -> None:
    found = Explained(tool, args, actor, mode, everything=everything)
    _print_json(found) if in_json else _print(found)
    raise typer.Exit(1 if found.played.problems else 0)


def _print_json(found: Explained) -> None:
    answer = found.answer
    runs = found.whys[-1].call.subject if answer.updated_input is not None else None
    calls = [as_json(why, found.place) for why in found.whys]
    hooks = hooks_json(found.played)
    reason = answer.reason or found.unapproved
    stopped = [{"id": row["id"], "rule": row.get("rule")} for row in found.stopped]
    said = {"verdict": answer.verdict, "reason": reason, "runs": runs, "stopped": stopped, "mode": found.mode or ASKING}
    echo_json({**said, "hooks": hooks, "calls": calls})


def _print(found: Explained) -> None:
    out = console()
    if found.wrong:
        out.print(Text("The tool's schema denies it before any rule is asked:", "red"))
    for number, why in enumerate(found.whys):
        if number:
            out.print(Text(f"Changed by {_changer(found, why)}, and judged again:", "cyan"))
        _show(out, why, found.place, everything=found.everything)
    _conclude(out, found)


def _changer(found: Explained, why: Why) -> str:
    changed = [
        ran.hook for ran in found.played.ran if ran.decision and ran.decision.updated_input == why.event.tool_input
    ]
    return "a rule of type modify" if changed[:1] == ["guard"] else changed[0]


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
        effects.setdefault(verb(kind), []).append(place.path(path))
    for kind, object_, owner, _ in why.call.verbs():
        if owner is command:
            effects.setdefault(EFFECTS[kind], []).append(object_)
    parts += [Text(f"{effect} {', '.join(objects)}", "dim") for effect, objects in effects.items()]
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


def _conclude(out: Console, found: Explained) -> None:
    place, answer = found.place, found.answer
    why = max(found.whys, key=lambda why: why.verdict.verdict == answer.verdict)
    out.print(Text(_asked(why, place), "dim"))
    for rule in why.judge.due("command", why.event) if answer.verdict != "deny" else ():
        out.print(Text.assemble("Asked next, and not run here: ", (rule["run"], "cyan"), "  ", place.rule(rule)))
    for ran in found.played.ran:
        if ran.hook != "guard" and (ran.decision is not None or ran.problem is not None):
            first, *more = reasons_of(ran) or [Text()]
            out.print(Text.assemble((f"{ran.hook}  ", "dim"), verdict(verdict_of(ran)), "  ", first), soft_wrap=True)
            for part in more:
                out.print(Padding(part, (0, 0, 0, 2), expand=False))
    place.warn(out)
    lines = [Text(answer.reason if answer.verdict else UNDECIDED)]
    lines += [Text(found.unapproved, "dim")] if found.unapproved else []
    if answer.updated_input is not None:
        lines.append(Text.assemble(("runs  ", "dim"), (short(found.whys[-1].call.subject), "cyan")))
    if found.in_auto:
        lines.append(Text.assemble(("in auto mode  ", "dim"), found.in_auto))
    elif found.mode:
        lines.append(Text(f"in the client's mode {found.mode}", "dim"))
    if why.verdict.rule is not None and answer.verdict == why.verdict.verdict:
        lines.append(Text.assemble(("rule  ", "dim"), place.rule(why.verdict.rule)))
        name = str(why.verdict.rule.get("name", ""))
        if why.verdict.rule.get("source") == "base" and answer.verdict in ("ask", "deny") and name[:6] != "guard.":
            lines.append(Text.assemble(("to switch this rule off  ", "dim"), f"hookkit set policy.off +{name}"))
    for row in found.stopped[:1]:
        lines.append(Text.assemble(("stopped in a session; to allow it once  ", "dim"), f"hookkit allow {row['id']}"))
    style = STYLES.get(found.title, "dim")
    title = Text(found.title, style)
    out.print(Panel(Group(*lines), title=title, title_align="left", border_style=style, padding=(0, 1)))


def _asked(why: Why, place: Here) -> str:
    """Example: Checked 14 of 629 rules, all built in."""
    layers = Counter(place.layer(rule) for rule in why.rules)
    total = len(why.judge.policy["rules"])
    if not layers:
        return f"Checked none of {total} rules: no rule is about such a call."
    named = [(count, BUILT_IN if layer == "base" else f"from {layer}") for layer, count in layers.items()]
    which = f"all {named[0][1]}" if len(named) == 1 else ", ".join(f"{count} {origin}" for count, origin in named)
    return f"Checked {len(why.rules)} of {total} rules, {which}."
