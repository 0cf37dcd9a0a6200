"""The reasons of a verdict: the commands of a call as a tree, each with the rules about it.

All results come from the engine itself: the verdict and its trace from a single run, and the matcher asked about each
command.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from hookkit.cli import _near
from hookkit.cli._here import Here
from hookkit.model import Decision, Event
from hookkit.policy.decide import Verdict, candidates, decide
from hookkit.policy.index import beside, has_files
from hookkit.policy.judge import Judge
from hookkit.policy.match import NO, UNSURE, YES, Result, matches
from hookkit.policy.pattern import parse
from hookkit.policy.rules import VERDICTS, is_for
from hookkit.programs.effects import DELETE, WRITE
from hookkit.shell.commands import Command
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.types import Rule

PATIENCE = 10**9
MOST = 200  # commands of a line that a person may want to see
SPECIAL = set(" \t\n'\";|&<>()$`\\#!")

DECIDES, MATCHES, UNCERTAIN, NEARLY = "decides", "matches", "unsure", "nearly"


class Said(NamedTuple):
    """The part of a rule in the verdict on a command."""

    how: str
    rule: "Rule"
    note: str = ""


class Branch:
    """A command, and below the commands that it runs."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.said: list[Said] = []
        self.moved = False  # runs in another directory than the command before
        self.missing = ""
        self.nodes: list[Branch] = []


class Why:
    """An input, judged once. `said` is about the whole call; `hidden` counts the commands that are left out."""

    def __init__(self, judge: Judge, event: Event, *, all_: bool = False) -> None:
        self.event = event
        self.judge = judge
        self.actor = judge.actor(event)
        self.call = judge.call(event)
        self.verdict: Verdict = decide(judge.policy, self.call, self.actor)
        self.call.budget.steps = self.call.budget.characters = PATIENCE  # a person asked for every detail
        self.all = all_
        self.rules = candidates(judge.policy, self.call, self.actor)
        self.others = [rule for rule in self._beside() if rule not in self.rules]
        self.foreign = self._foreign()
        self._traced = {(id(rule), id(found.command)): found for rule, found in self.verdict.trace}
        self._whole: dict[int, Result] = {}  # the result of the matcher for the whole call, by rule
        self.said: list[Said] = list(self._of(None))
        self.doubts = list(self.call.shell.doubts) if self.call.shell else []
        self.has_file_rules = has_files(judge.policy["index"])
        self.hidden = 0
        self.nodes = self._tree()

    @property
    def decision(self) -> Decision:
        return self.judge.reply(self.verdict, self.event) or Decision()

    def files(self, command: Command) -> list[tuple[str, str]]:
        """The effects of a command on files, if rules about files exist; a deletion is not listed as a write too."""
        touched = self.call.files(command) if self.has_file_rules else []
        deleted = {path for kind, path in touched if kind == DELETE}
        kept = [(kind, path) for kind, path in touched if kind != WRITE or path not in deleted]
        named = [(kind, " → ".join(self.call.place.names(path, command.directory))) for kind, path in kept]
        return [(kind, names.replace(UNKNOWN, "…")) for kind, names in named]

    def _tree(self) -> list[Branch]:
        """A command stands below its wrapper: the scanner sees the wrapper first."""
        roots: list[Branch] = []
        path: list[Branch] = []
        directory: str | None = self.event.cwd
        for command in self._shown():
            node = Branch(command)
            node.moved, directory = command.directory != directory, command.directory
            node.said = list(self._of(command))
            node.missing = self._missing(command)
            while path and len(path[-1].command.via) >= len(command.via):
                path.pop()
            (path[-1].nodes if path else roots).append(node)
            path.append(node)
        return roots

    def _shown(self) -> list[Command]:
        commands = self.call.commands
        self.hidden = max(len(commands) - MOST, 0)
        late = self.verdict.command is not None and self.verdict.command not in commands[:MOST]
        return [*commands[:MOST], *([self.verdict.command] if late and self.verdict.command else [])]

    def _of(self, command: Command | None) -> Iterator[Said]:
        """The rules about a command, or about the whole call if `command` is None."""
        matched = set()
        rest = []
        for rule in self.rules:
            said = self._said(rule, command)
            if said is not None:
                matched.add(parse(rule["match"]).argument)
                yield said
            else:
                rest.append(rule)
        for rule in self.foreign:
            if self._is_about(rule, command):
                yield Said(NEARLY, rule, "another actor's")
        if command is not None or self.call.shell is None:
            pool = [*rest, *self.others] if self.call.shell else self.others
            yield from self._nearly(
                [rule for rule in pool if parse(rule.get("match", "*")).argument not in matched], command
            )

    def _beside(self) -> "list[Rule]":
        """Candidates for near misses."""
        policy = self.judge.policy
        if self.call.shell is None:
            return list(policy["rules"])
        return [policy["rules"][number] for number in beside(policy["index"], self.call)]

    def _said(self, rule: "Rule", command: Command | None) -> Said | None:
        traced = self._traced.get((id(rule), id(command)), Result(NO))
        if traced.yes == YES and self._decides(rule, command):
            return Said(DECIDES, rule)
        if traced.yes == UNSURE and command is not None and traced.why != command.doubt:
            return Said(UNCERTAIN, rule, traced.why)
        return Said(MATCHES, rule) if self._is_about(rule, command) else None

    def _decides(self, rule: "Rule", command: Command | None) -> bool:
        """A single deny or ask decides; an allow needs a rule for every command, and these rules decide together."""
        if self.verdict.verdict == "allow":
            return bool(rule["type"] == "allow")
        return not self.verdict.unsure and rule is self.verdict.rule and command is self.verdict.command

    def _is_about(self, rule: "Rule", command: Command | None) -> bool:
        """A rule about pipelines needs the whole line; its result is kept."""
        pattern = parse(rule["match"])
        wide = rule["type"] != "allow"
        if command is not None and len(pattern.stages) <= 1:
            return matches(pattern, _near.only(self.call, command), wide=wide).yes == YES
        if command is None and self.call.shell is not None and (pattern.stages or not pattern.has_tool(self.call.tool)):
            return False  # a rule about commands or files is asked for each command
        if id(rule) not in self._whole:
            self._whole[id(rule)] = matches(pattern, self.call, wide=wide)
        found = self._whole[id(rule)]
        return found.yes == YES and found.command is command

    def _foreign(self) -> "list[Rule]":
        """Rules of other actors that could match the call."""
        rules = self.judge.policy["rules"]
        actors = {actor for rule in rules if not is_for(rule, self.actor) for actor in rule["actors"]}
        found = [rule for actor in sorted(actors) for rule in candidates(self.judge.policy, self.call, actor)]
        return list({id(rule): rule for rule in found if not is_for(rule, self.actor)}.values())

    def _nearly(self, rules: "list[Rule]", command: Command | None) -> Iterator[Said]:
        for rule in rules:
            if rule["type"] in VERDICTS and is_for(rule, self.actor):
                found = _near.near(rule, self.call, command)
                if found is not None and (self.all or not found.is_far or rule.get("source") != "base"):
                    yield Said(NEARLY, rule, found.note)

    def _missing(self, command: Command) -> str:
        """If some commands of the line are allowed, name the others: they keep the line from being allowed."""
        allowed = [found.command for rule, found in self.verdict.trace if rule["type"] == "allow" and found.yes == YES]
        is_open = allowed and self.verdict.verdict != "allow" and not command.transparent
        return "no rule allows it" if is_open and command not in allowed else ""


def line_of(command: Command) -> str:
    """The command as a person would type it: words with blanks are quoted, unknown parts are …"""
    return " ".join(_quoted(word.replace(UNKNOWN, "…")) for word in command.words)


def _quoted(word: str) -> str:
    if word and not SPECIAL & set(word):
        return word
    quote = '"' if "'" in word and not set('"$`\\') & set(word) else "'"
    return quote + (word if quote == '"' else word.replace("'", "'\\''")) + quote


# -- for programs ----------------------------------------------------------------------------------------------------


def as_json(why: Why, here: Here) -> dict[str, Any]:
    verdict, said = why.verdict, why.decision
    return {
        "tool": why.call.tool,
        "input": why.call.tool_input,
        "actor": why.actor,
        "verdict": verdict.verdict,
        "reason": said.reason,
        "unsure": verdict.unsure or None,
        "rule": here.rule_row(verdict.rule) if verdict.rule else None,
        "command": line_of(verdict.command) if verdict.command else None,
        "doubts": why.doubts,
        "rules": [_said_json(part, here) for part in why.said],
        "commands": [_node_json(node, why, here) for node in why.nodes],
    }


def _node_json(node: Branch, why: Why, here: Here) -> dict[str, Any]:
    command = node.command
    return {
        "command": line_of(command),
        "via": list(command.via),
        "directory": command.directory,
        "doubt": command.doubt or None,
        "files": [{"effect": kind, "path": path} for kind, path in why.files(command)],
        "rules": [_said_json(part, here) for part in node.said],
        "commands": [_node_json(inner, why, here) for inner in node.nodes],
    }


def _said_json(said: Said, here: Here) -> dict[str, Any]:
    return {"how": said.how, "note": said.note or None, **here.rule_row(said.rule)}
