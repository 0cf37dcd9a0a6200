"""Explaining the answer to a call: the commands as a tree, the rules that match each, and the verdict."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

from hookkit.cli._call import (
    Actor,
    arrange,
    call_from,
    check_tools,
    hooks_json,
    play_call,
    reasons_of,
    typed,
    verdict_of,
)
from hookkit.cli._command import Argument, Option
from hookkit.cli._console import STYLES, Output, first_lines, short, stop, verdict
from hookkit.cli._here import BUILT_IN, Workspace
from hookkit.cli._view import Line, Outline, Panel, Table, Text, View
from hookkit.cli._why import DECIDES, MATCHES, NEARLY, UNCERTAIN, Branch, RuleNote, Why, as_json, line_of, verb
from hookkit.hooks import guard
from hookkit.model import combine
from hookkit.play.player import Played
from hookkit.play.rows import input_of
from hookkit.policy.judge import Judge
from hookkit.programs import catalogue
from hookkit.settings import pause
from hookkit.system.agents import default_mode
from hookkit.verdicts import approve, permits

__all__ = ["arrange", "command"]
FEW = 3  # near misses of a command
LONGEST = 1000  # characters of a repeated line
UNDECIDED = "No rule decides: the client follows its own rules."
ASKING, AUTO = "default", "auto"  # permission modes of the client
HOW = {DECIDES: "bold", UNCERTAIN: "yellow", NEARLY: "dim"}
EFFECTS = {kind: column for column, kind in catalogue.VERBS.items()}
WORDS = {DECIDES: "decides", MATCHES: "matches", UNCERTAIN: "unsure", NEARLY: "almost"}


def command(
    words: Annotated[
        list[str] | None,
        Argument(metavar="COMMAND", help="A command line, quoted or not; or a tool and its argument."),
    ] = None,
    *,
    tool: Annotated[str, Option(metavar="NAME", help="The tool of the call; by default Bash.")] = "",
    actor: Actor = "",
    mode: Annotated[
        str, Option(metavar="<default|auto|plan|…>", help="The client's permission mode; else from its settings.")
    ] = "",
    everything: Annotated[bool, Option("--all", help="Show every near miss.")] = False,
) -> Output:
    """Explain the answer of `hookkit run` to a call: its commands, the rules that match each, and the deciding rule.

    A rule that almost matched is shown with the failed condition. No command and no program of yours is run.

    Options stand before the command line. Exits 0, 1 if a hook fails, 2 if the settings cannot be read.

    Example: hookkit why "cd build && sudo sh -c 'rm -rf *'"

    Example: hookkit why --actor agent:executor git push --force

    Example: hookkit why Read .env
    """
    if not words and not tool:
        stop('give a command line, or a tool and its argument. Example: hookkit why "git push --force"')
    check_tools(tool)
    _check_mode(mode)
    tool, args = call_from(words or [], tool)
    explained = Explained(tool, args, actor, mode, everything=everything)
    return Output(lambda: _as_json(explained), lambda: _view(explained), 1 if explained.played.problems else 0)


def _check_mode(mode: str) -> None:
    if mode:
        from hookkit.settings.formats.claude_settings import MODES  # late: few name a mode

        if mode not in MODES:
            stop(f"--mode takes {', '.join(MODES)}, not {mode!r}")


class Explained:
    """A call and the answer of `hookkit run`, without the programs of the user's own.

    `whys` explains the policy's part for each input: as given, and as rewritten by a rule or by redirect.
    """

    def __init__(self, tool: str, args: str, actor: str, mode: str, *, everything: bool) -> None:
        self.workspace = Workspace()
        self.mode = mode or default_mode(self.workspace.project, self.workspace.environ)
        if actor:
            self.workspace.environ["HOOKKIT_ACTOR"] = actor
        given = input_of(tool, typed(args))
        fields = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given, "cwd": self.workspace.cwd}
        self.fields, self.actor = fields, actor
        self.played = self._played(self.mode or ASKING)
        self.wrong = guard.misshapen(self.played.event, self.workspace.settings)
        self.answer = combine([decision for _, decision in self.played.decisions])
        self.everything = everything
        self.whys = list(self._whys(Judge(self.workspace.settings.policy, self.workspace.environ)))

    def _played(self, mode: str) -> Played:
        return play_call({**self.fields, "permission_mode": mode}, self.actor, programs=False)

    @property
    def in_auto(self) -> str:
        """The answer in auto mode, where a rewrite differs there and nothing says which mode applies."""
        if self.mode or self.answer.updated_input is None:
            return ""
        automatic = combine([decision for _, decision in self._played(AUTO).decisions])
        if automatic.updated_input == self.answer.updated_input:
            return ""
        return automatic.message or "the call stays as written"

    @property
    def unapproved(self) -> str:
        """Why `policy.approve` does not approve the call; empty where it is off, or a rule decides."""
        if self.answer.verdict or self.workspace.settings["policy.approve"] == "none":
            return ""
        why = self.whys[-1]
        return approve.approval(why.event, why.judge, self.workspace.settings).reason

    @property
    def stopped(self) -> list[dict[str, Any]]:
        """The same call as stopped in a session, newest first: a person can allow it once."""
        return (
            permits.noted(self.played.event, self.workspace.environ) if self.answer.verdict in ("ask", "deny") else []
        )

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


def _as_json(explained: Explained) -> dict[str, Any]:
    answer = explained.answer
    runs = explained.whys[-1].call.subject if answer.updated_input is not None else None
    calls = [as_json(why, explained.workspace) for why in explained.whys]
    hooks = hooks_json(explained.played)
    reason = answer.reason or explained.unapproved
    stopped = [{"id": row["id"], "rule": row.get("rule")} for row in explained.stopped]
    answered = {
        "verdict": answer.verdict, "reason": reason, "runs": runs, "stopped": stopped, "mode": explained.mode or ASKING,
    }  # fmt: skip
    return {**answered, "hooks": hooks, "calls": calls}


def _view(explained: Explained) -> list[View]:
    parts: list[View] = []
    if explained.wrong:
        parts.append(Text("The tool's schema denies it before any rule is checked:", "red"))
    for number, why in enumerate(explained.whys):
        if number:
            parts.append(Text(f"Changed by {_changer(explained, why)}, and judged again:", "cyan"))
        parts += [_tree(why, explained.workspace, everything=explained.everything), ""]
    return [*parts, *_conclusion(explained)]


def _changer(explained: Explained, why: Why) -> str:
    changed = [
        ran.hook for ran in explained.played.ran if ran.decision and ran.decision.updated_input == why.event.tool_input
    ]
    return "a rule of type modify" if changed[:1] == ["guard"] else changed[0]


def _tree(why: Why, workspace: Workspace, *, everything: bool) -> Outline:
    subject = why.call.subject or json.dumps(why.call.tool_input, ensure_ascii=False)
    who = (f"  {why.actor}", "dim") if why.actor else ""
    parts: list[View] = [Text.assemble((f"{why.call.tool} ", "dim"), (first_lines(subject[:LONGEST], 5), "bold"), who)]
    parts += [Text(f"cannot analyse: {doubt}", "yellow") for doubt in why.doubts]
    parts += _rules(why.notes, workspace, everything=everything)
    tree = Outline(parts)
    for node in why.nodes:
        _grow(tree, node, why, workspace, everything=everything)
    if why.hidden:
        tree.add(Text(f"… {why.hidden} more commands", "dim"))
    return tree


def _grow(
    tree: Outline, node: Branch, why: Why, workspace: Workspace, *, above: Branch | None = None, everything: bool
) -> None:
    command = node.command
    style = "bold" if command is why.verdict.command else ""
    is_fed = command.places and command.places[-1][1] and (above is None or command.places != above.command.places)
    line = Text(("| " if is_fed else "") + short(line_of(command)), style)
    if node.moved:
        line.append(f"  in {workspace.path(command.directory or '') or 'a directory that is computed'}", "dim")
    parts: list[View] = [line]
    effects: dict[str, list[str]] = {}
    for kind, path in why.files(command):
        effects.setdefault(verb(kind), []).append(workspace.path(path))
    for kind, object_, owner, _ in why.call.verbs():
        if owner is command:
            effects.setdefault(EFFECTS[kind], []).append(object_)
    parts += [Text(f"{effect} {', '.join(objects)}", "dim") for effect, objects in effects.items()]
    parts += [Text(f"cannot analyse: {command.doubt}", "yellow")] if command.doubt else []
    parts += [Text(node.missing, "yellow")] if node.missing else []
    parts += _rules(node.notes, workspace, everything=everything)
    branch = tree.add(parts)
    for inner in node.nodes:
        _grow(branch, inner, why, workspace, above=node, everything=everything)


def _rules(notes: list[RuleNote], workspace: Workspace, *, everything: bool) -> list[View]:
    """Each rule on a line of its own: its part in the verdict, its type, its pattern, its layer."""
    grid = Table("", " ", "  ", whole=("", " "), gap=1)
    almost = [note for note in notes if note.how == NEARLY]
    left = almost[FEW:] if not everything else []
    for note in notes:
        if note not in left:
            why = f": {note.why}" if note.why else ""
            row = Text.assemble(workspace.rule(note.rule), (why, HOW.get(note.how, "")))
            kind = Text(note.rule["type"], "dim") if note.how == NEARLY else verdict(note.rule["type"])
            grid.add(Text(WORDS[note.how], HOW.get(note.how, "")), kind, row)
    if left:
        grid.add(Text(WORDS[NEARLY], "dim"), "", Text(f"{len(left)} more (--all shows them)", "dim"))
    return [grid] if notes else []


def _conclusion(explained: Explained) -> list[View]:
    workspace, answer = explained.workspace, explained.answer
    why = max(explained.whys, key=lambda why: why.verdict.verdict == answer.verdict)
    parts: list[View] = [Text(_checked_rules(why, workspace), "dim")]
    due = why.judge.due("command", why.event) if answer.verdict != "deny" else ()
    asked = "Asked next, and not run here: "
    parts += [Text.assemble(asked, (rule["run"], "cyan"), "  ", workspace.rule(rule)) for rule in due]
    for ran in explained.played.ran:
        if ran.hook != "guard" and (ran.decision is not None or ran.problem is not None):
            first, *more = reasons_of(ran) or [Text()]
            parts.append(Line(Text(f"{ran.hook}  ", "dim"), Text.assemble(verdict(verdict_of(ran)), "  ", first)))
            parts += [Line(Text("    "), part) for part in more]
    style = STYLES.get(explained.title, "dim")
    until = pause.until(workspace.environ, time.time())
    paused = [Text(pause.message(until), "yellow")] if until else []
    return [*parts, *workspace.warnings(), *paused, Panel(_answer(explained, why), explained.title, style)]


def _answer(explained: Explained, why: Why) -> list[View]:
    """The lines in the frame: the reason, what runs, the rule, and the ways out."""
    workspace, answer = explained.workspace, explained.answer
    lines: list[View] = [Text(answer.reason if answer.verdict else UNDECIDED)]
    lines += [Text(explained.unapproved, "dim")] if explained.unapproved else []
    if answer.updated_input is not None:
        lines.append(Text.assemble(("runs  ", "dim"), (short(explained.whys[-1].call.subject), "cyan")))
    if explained.in_auto:
        lines.append(Text.assemble(("in auto mode  ", "dim"), explained.in_auto))
    elif explained.mode:
        lines.append(Text(f"in the client's mode {explained.mode}", "dim"))
    if why.verdict.rule is not None and answer.verdict == why.verdict.verdict:
        lines.append(Text.assemble(("rule  ", "dim"), workspace.rule(why.verdict.rule)))
        name = str(why.verdict.rule.get("name", ""))
        if why.verdict.rule.get("source") == "base" and answer.verdict in ("ask", "deny") and name[:6] != "guard.":
            lines.append(Text.assemble(("to switch this rule off  ", "dim"), f"hookkit set policy.off +{name}"))
    for row in explained.stopped[:1]:
        lines.append(Text.assemble(("stopped in a session; to allow it once  ", "dim"), f"hookkit allow {row['id']}"))
    return lines


def _checked_rules(why: Why, workspace: Workspace) -> str:
    """Example: Checked 14 of 629 rules, all built in."""
    layers = Counter(workspace.layer(rule) for rule in why.rules)
    total = len(why.judge.policy["rules"])
    if not layers:
        return f"Checked none of {total} rules: no rule matches such a call."
    named = [(count, BUILT_IN if layer == "base" else f"from {layer}") for layer, count in layers.items()]
    which = f"all {named[0][1]}" if len(named) == 1 else ", ".join(f"{count} {origin}" for count, origin in named)
    return f"Checked {len(why.rules)} of {total} rules, {which}."
