"""The reasons of a verdict: the commands of a call as a tree, each with the rules that match, or almost match.

All results are the engine's own: the verdict and its trace from a single run, and the matcher asked about each command.
"""

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

from hookkit.cli._here import Workspace
from hookkit.model import Decision, Event
from hookkit.policy.call import Call
from hookkit.policy.index import beside, has_files
from hookkit.policy.judge import Judge, Verdict, candidates, decide
from hookkit.policy.match import NO, UNSURE, YES, Result, is_spared, matches
from hookkit.policy.pattern import SUBJECTS, Pattern, parse
from hookkit.policy.rules import VERDICTS, is_for
from hookkit.programs.effects import DELETE, WRITE
from hookkit.programs.words import ALL, is_option, split
from hookkit.shell.commands import Command
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.rules import Rule


ANY_WORD = "**"  # as a word of its own: any single word


class Near(NamedTuple):
    """`is_far`: only the program is the same; a rule about another sub-command of git says little."""

    note: str
    is_far: bool = False


def verb(effect: str) -> str:
    """Example: Read becomes reads."""
    return "changes the rights of" if effect == "Rights" else f"{effect.lower()}s"


def only(call: Call, command: Command) -> Call:
    """The same call with a single command, for an answer of the engine about this command alone."""
    one = copy.copy(call)
    one.commands, one.touches, one.hides, one.reaches = [command], None, None, None
    one.acts = None
    return one


def near(rule: "Rule", call: Call, command: Command | None) -> Near | None:
    """The condition that keeps a rule from matching this command, the only one of the call; None: the whole call."""
    pattern = parse(rule["match"])
    if command is None:
        return _other_tool(pattern, call)
    if not pattern.has_tool(call.tool):
        return _other_effect(pattern, call, command)
    if not pattern.stages or pattern.argument is None:
        return None
    parts = [part.strip() for part in pattern.argument.split("|")]
    if len(parts) > 1:
        return _other_stage(parts, call)
    return _other_words(parts[0], call, command, wide=rule["type"] != "allow")


def _other_words(argument: str, call: Call, command: Command, *, wide: bool) -> Near | None:
    argument = argument[:-2] + " *" if argument.endswith(":*") else argument
    words = split(argument)
    operands = call.parsed(command).operands
    if words and words[0].rpartition("/")[2] == operands[0]:
        for near, relaxed in _relaxed(words, operands):
            if _is_about(relaxed, call, wide=wide):
                return near
    return None


def _relaxed(words: list[str], operands: list[str]) -> Iterator[tuple[Near, list[str]]]:
    """The pattern with one condition less, the most likely mistake of a person first."""
    for place, word in enumerate(words):
        if is_option(word):
            letters = word[1:] if word[:2] != "--" else ""
            for letter in letters if len(letters) > 1 else ():
                rest = "-" + letters.replace(letter, "")
                yield Near(f"it has no -{letter}"), [*words[:place], rest, *words[place + 1 :]]
            yield Near(f"it has no {word}"), [*words[:place], *words[place + 1 :]]
    yield Near("it says more, and the pattern does not end in ' *'"), [*words, ALL]
    plain = [place for place, word in enumerate(words) if not is_option(word)]
    for count, place in enumerate(plain):
        word, before, after = words[place], words[:place], words[place + 1 :]
        if count and word != ALL:
            is_fixed = ALL not in before and count < len(operands)
            reason = f"it says {operands[count]}, not {word}" if is_fixed else f"no word of it matches {word}"
            yield Near(reason, count == 1), [*before, ANY_WORD, *after]
            yield Near(f"it has no {word}", count == 1), [*before, *after]


def _is_about(words: list[str], call: Call, *, wide: bool) -> bool:
    text = " ".join(f'"{word}"' if " " in word else word for word in words)
    return matches(parse(f"{call.tool}({text})"), call, wide=wide).yes == YES


def _other_stage(parts: list[str], call: Call) -> Near | None:
    """A pipeline with a program of the pattern, but without the program before or after."""
    mine = next((part for part in parts if part != ALL and _is_about(split(part), call, wide=True)), None)
    others = " and ".join(part for part in parts if part != mine)
    return Near(f"no {others} in its pipeline", is_far=True) if mine else None


def _other_effect(pattern: Pattern, call: Call, command: Command) -> Near | None:
    """The right file, with another effect on the file."""
    if pattern.argument is None or not pattern.touches:
        return None
    argument = pattern.argument
    kinds = [
        kind for kind, path in call.files(command) if call.place.matches(argument, path, command.directory, wide=True)
    ]
    verbs = " and ".join(dict.fromkeys(map(verb, kinds)))
    return Near(f"it is about {'|'.join(pattern.tools)}, and this {verbs} the file") if kinds else None


def _other_tool(pattern: Pattern, call: Call) -> Near | None:
    """The right argument, for a tool of the same kind."""
    kinds = {SUBJECTS.get(tool, ("", ""))[1] for tool in pattern.tools}
    if pattern.argument is None or pattern.field or pattern.has_tool(call.tool) or call.kind not in kinds - {""}:
        return None
    is_match = matches(parse(f"{call.tool}({pattern.argument})"), call).yes == YES
    return Near(f"it is about {'|'.join(pattern.tools)}, not {call.tool}") if is_match else None


PATIENCE = 10**9
MOST = 200  # commands of a line that a person may want to see
SPECIAL = set(" \t\n'\";|&<>()$`\\#!")

DECIDES, MATCHES, UNCERTAIN, NEARLY = "decides", "matches", "unsure", "nearly"


class RuleNote(NamedTuple):
    """The part of a rule in the verdict on a command."""

    how: str
    rule: "Rule"
    why: str = ""


class Branch:
    """A command, and below the commands that it runs."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.notes: list[RuleNote] = []
        self.moved = False  # runs in another directory than the command before
        self.missing = ""
        self.nodes: list[Branch] = []


class Why:
    """An input, judged once. `notes` are about the whole call; `hidden` counts the commands that are left out."""

    def __init__(self, judge: Judge, event: Event, *, all_: bool = False) -> None:
        self.event = event
        self.judge = judge
        self.actor = judge.actor(event)
        self.call = judge.call(event)
        self.verdict: Verdict = decide(judge.policy, self.call, self.actor)
        self.call.budget.steps = self.call.budget.characters = PATIENCE  # a person asked for every detail
        self.all = all_
        self.rules = [*candidates(judge.policy, self.call, self.actor)]
        candidate_ids = set(map(id, self.rules))
        self.others = [rule for rule in self._beside() if id(rule) not in candidate_ids]
        self.foreign = self._foreign()
        self._traced = {(id(rule), id(result.command)): result for rule, result in self.verdict.trace}
        self._whole: dict[int, Result] = {}  # the result of the matcher for the whole call, by rule
        self._single: dict[int, Call] = {}  # the call with one command alone, by command
        self.notes: list[RuleNote] = list(self._notes(None))
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
        rows = [(kind, path) for kind, path in touched if kind != WRITE or path not in deleted]
        named = [(kind, " → ".join(self.call.place.names(path, command.directory))) for kind, path in rows]
        return [(kind, names.replace(UNKNOWN, "…")) for kind, names in named]

    def _only(self, command: Command) -> Call:
        """Made once for each command: hundreds of rules ask about the same effects."""
        if id(command) not in self._single:
            self._single[id(command)] = only(self.call, command)
        return self._single[id(command)]

    def _tree(self) -> list[Branch]:
        """A command stands below its wrapper: the scanner sees the wrapper first."""
        roots: list[Branch] = []
        path: list[Branch] = []
        directory: str | None = self.event.cwd
        for command in self._listed():
            node = Branch(command)
            node.moved, directory = command.directory != directory, command.directory
            node.notes = list(self._notes(command))
            node.missing = self._missing(command)
            while path and len(path[-1].command.via) >= len(command.via):
                path.pop()
            (path[-1].nodes if path else roots).append(node)
            path.append(node)
        return roots

    def _listed(self) -> list[Command]:
        commands = self.call.commands
        self.hidden = max(len(commands) - MOST, 0)
        late = self.verdict.command is not None and self.verdict.command not in commands[:MOST]
        return [*commands[:MOST], *([self.verdict.command] if late and self.verdict.command else [])]

    def _notes(self, command: Command | None) -> Iterator[RuleNote]:
        """The rules about a command, or about the whole call if `command` is None."""
        matched = set()
        rest = []
        for rule in self.rules:
            note = self._note(rule, command)
            if note is not None:
                matched.add(parse(rule["match"]).argument)
                yield note
            else:
                rest.append(rule)
        for rule in self.foreign:
            if self._is_about(rule, command):
                yield RuleNote(NEARLY, rule, "another actor's")
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

    def _note(self, rule: "Rule", command: Command | None) -> RuleNote | None:
        traced = self._traced.get((id(rule), id(command)), Result(NO))
        if traced.yes == YES and self._decides(rule, command):
            return RuleNote(DECIDES, rule)
        if traced.yes == UNSURE and command is not None and traced.why != command.doubt:
            return RuleNote(UNCERTAIN, rule, traced.why)
        if not self._is_about(rule, command):
            return None
        exception = self._exception(rule, command)
        return RuleNote(NEARLY, rule, exception) if exception else RuleNote(MATCHES, rule)

    def _exception(self, rule: "Rule", command: Command | None) -> str:
        """The pattern in `unless` that keeps a matching rule from applying."""
        pattern = parse(rule["match"])
        exceptions = rule.get("unless") or []
        call = self._only(command) if command is not None and len(pattern.stages) <= 1 else self.call
        for patterns in (*([text] for text in exceptions), exceptions):
            result = matches(pattern, call, unless=patterns)
            if result.yes != YES or (result.command is None and is_spared(patterns, call, None)):
                return f"its exception {' or '.join(patterns)} applies"
        return ""

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
            return matches(pattern, self._only(command), wide=wide).yes == YES
        if command is None and self.call.shell is not None and (pattern.stages or not pattern.has_tool(self.call.tool)):
            return False  # a rule about commands or files is asked for each command
        if id(rule) not in self._whole:
            self._whole[id(rule)] = matches(pattern, self.call, wide=wide)
        result = self._whole[id(rule)]
        return result.yes == YES and result.command is command

    def _foreign(self) -> "list[Rule]":
        """Rules of other actors that could match the call."""
        rules = self.judge.policy["rules"]
        actors = {actor for rule in rules if not is_for(rule, self.actor) for actor in rule["actors"]}
        candidate_rules = [rule for actor in sorted(actors) for rule in candidates(self.judge.policy, self.call, actor)]
        return list({id(rule): rule for rule in candidate_rules if not is_for(rule, self.actor)}.values())

    def _nearly(self, rules: "list[Rule]", command: Command | None) -> Iterator[RuleNote]:
        call = self.call if command is None else self._only(command)
        for rule in rules:
            if rule["type"] in VERDICTS and is_for(rule, self.actor):
                close = near(rule, call, command)
                if close is not None and (self.all or not close.is_far or rule.get("source") != "base"):
                    yield RuleNote(NEARLY, rule, close.note)

    def _missing(self, command: Command) -> str:
        """If some commands of the line are allowed, name the others: they keep the line from being allowed."""
        allowed = [
            result.command for rule, result in self.verdict.trace if rule["type"] == "allow" and result.yes == YES
        ]
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


def as_json(why: Why, workspace: Workspace) -> dict[str, Any]:
    verdict, decision = why.verdict, why.decision
    return {
        "tool": why.call.tool,
        "input": why.call.tool_input,
        "actor": why.actor,
        "verdict": verdict.verdict,
        "reason": decision.reason,
        "unsure": verdict.unsure or None,
        "rule": workspace.rule_row(verdict.rule) if verdict.rule else None,
        "command": line_of(verdict.command) if verdict.command else None,
        "doubts": why.doubts,
        "rules": [_note_json(part, workspace) for part in why.notes],
        "commands": [_node_json(node, why, workspace) for node in why.nodes],
    }


def _node_json(node: Branch, why: Why, workspace: Workspace) -> dict[str, Any]:
    command = node.command
    return {
        "command": line_of(command),
        "via": list(command.via),
        "directory": command.directory,
        "doubt": command.doubt or None,
        "files": [{"effect": kind, "path": path} for kind, path in why.files(command)],
        "rules": [_note_json(part, workspace) for part in node.notes],
        "commands": [_node_json(inner, why, workspace) for inner in node.nodes],
    }


def _note_json(note: RuleNote, workspace: Workspace) -> dict[str, Any]:
    return {"how": note.how, "note": note.why or None, **workspace.rule_row(note.rule)}
