"""Mentu's genesis.key: hooks become rules, the permissions of actors become actors. YAML, version 2.0.

It comes with a checkout, so it is a layer like the project's own hookkit.toml: until it is trusted it only tightens.
"""

import re

from hookkit.checking import conditions
from hookkit.checking.form import ANY_TEXT, ANYTHING, COUNT, FLAG, TEXT, WORDS, Form, text_of
from hookkit.checking.formats import LIKELY, NO, by_name
from hookkit.checking.patterns import mended
from hookkit.checking.regexes import wrong_python
from hookkit.documents import yaml_text
from hookkit.documents.finding import Finding, Report, Rule, shown, weigh
from hookkit.documents.node import Node
from hookkit.errors import PatternError
from hookkit.policy.pattern import parse
from hookkit.policy.rules import TYPES, VERDICTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.documents.finding import Problem

VERSION = "2.0"
EVENTS = {"pre_tool_use": "PreToolUse", "post_tool_use": "PostToolUse", "stop": "Stop"}
AFTER = ("evidence_capture", "approval_gate", "command")  # what still makes sense once the tool has run
HOOK = {"matcher": ANY_TEXT, "*type": TEXT, "config": ANYTHING}
REASON = {"reason": TEXT, "instead": TEXT, "unless": WORDS, "actors": WORDS}
# What may stand in config. The last three keep fields that we do not know: they are for whoever acts on them.
CONFIG = {
    **dict.fromkeys(VERDICTS, REASON),
    "modify": {**REASON, "*field": TEXT, "replace": TEXT, "regex": TEXT, "*with": ANY_TEXT},
    "command": {**REASON, "*command": TEXT, "timeout": COUNT},
    "evidence_capture": {**REASON, "ledger": FLAG, "kind": TEXT},
    "approval_gate": {**REASON, "condition": TEXT, "approvers": WORDS},
    "genesis_enforcement": REASON,
}
OPEN = ("evidence_capture", "approval_gate", "genesis_enforcement")
COPIED = ("reason", "instead", "unless", "actors", "field", "replace", "regex", "with", "timeout")


def claim(path: str, text: str) -> int:
    return by_name(path, "*genesis*.key") or (
        LIKELY if re.search(r"^(?:version|hooks|permissions):", text, re.MULTILINE) else NO
    )


def check(path: str, text: str) -> "tuple[dict[str, Any], list[Problem]]":
    """The file as settings, and every mistake in it at once: what mistakes.check is for hookkit.toml."""
    file = _Genesis(path, text)
    return file.values, [*file.unreadable, *file.errors]


def examine(path: str, text: str) -> Report:
    file = _Genesis(path, text)
    return Report(path, [weigh(problem) for problem in file.unreadable] + file.found, file.placed, file.values)


class _Genesis(Form):
    def __init__(self, path: str, text: str) -> None:
        super().__init__(path, text)
        self.placed: list[Rule] = []
        self.rules: list[dict[str, Any]] = []
        self.actors: dict[str, dict[str, list[str]]] = {}
        node, self.unreadable = yaml_text.read(path, text)
        if not self.unreadable:
            top = self.table(_filled(node) if node is not None else None, "genesis.key")
            self.misspelt(top, ("version", "hooks", "permissions"), "")
            self.version(top.get("version"))
            self.hooks(top.get("hooks"))
            self.permissions(top.get("permissions"))

    @property
    def values(self) -> "dict[str, Any]":
        return {name: value for name, value in (("rules", self.rules), ("actors", self.actors)) if value}

    def version(self, node: Node | None) -> None:
        """Unquoted it is a number to YAML, and means the same to us."""
        if node is None:
            self.say((1, 1), "missing version", f'write version: "{VERSION}"')
        elif str(node.plain()) != VERSION:
            said = shown(str(node.plain())) if not isinstance(node.value, (dict, list)) else "something else"
            self.say(node.where, f"hookkit reads version {VERSION}, not {said}", f'write version: "{VERSION}"')

    def hooks(self, node: Node | None) -> None:
        for name, rows in self.table(node, "hooks").items():
            if name not in EVENTS:
                self.unknown(name, rows, [*EVENTS], "hooks")
                continue
            for number, row in enumerate(self.rows(rows, f"hooks.{name}")):
                self.hook(name, row, f"hooks.{name}[{number}]")

    def hook(self, event: str, row: Node, label: str) -> None:
        before = len(self.errors)
        fields = self.fields(row, HOOK, label)
        kind = self.choice(fields.get("type"), TYPES, f"{label}: type")
        match = text_of(fields.get("matcher"))
        exceptions = _items((fields.get("config") or row).get("unless"))
        if "matcher" in fields:
            self.pattern(kind, fields["matcher"], [], spares=bool(exceptions))
        for item in exceptions:
            self.pattern("unless", item, [])
        self.suits(event, kind, fields, label)
        config = self.config(kind, fields.get("config"), label, row.where) if kind else {}
        if len(self.errors) == before:
            self.rules.append(_rule(kind, match or "*", config, EVENTS[event]))

    def suits(self, event: str, kind: str, fields: dict[str, Node], label: str) -> None:
        if event == "stop" and "matcher" in fields:
            self.warn(fields["matcher"].named, f"{label}: nothing is matched when the agent stops", "leave it out")
        if not kind:
            return
        if event != "pre_tool_use" and kind not in AFTER:
            self.say(fields["type"].where, f"{label}: {kind} comes too late here", "move it to pre_tool_use")
        if kind in VERDICTS and not text_of(fields.get("matcher")):
            self.warn(fields["type"].where, f"{label}: without a matcher it is about every call", 'write matcher: "*"')

    def config(self, kind: str, node: Node | None, label: str, at: tuple[int, int]) -> "dict[str, Any]":
        label, known = f"{label}: config", CONFIG[kind]
        if kind in OPEN:
            table = self.table(node, label)
            self.misspelt(table, [*known], f"{label}: ")
            node = Node({name: item for name, item in table.items() if name in known}, at)
            right = self.fields(node, known, label)
            if kind == "approval_gate" and "condition" in right:
                self.found += conditions.remarks(self.path, right["condition"], self.lines)
            return {name: item.plain() for name, item in table.items()}
        right = self.fields(node, known, label, at)
        if kind == "modify":
            self.modify(right, label, node.where if node is not None else at)
        return {name: item.plain() for name, item in right.items()}

    def modify(self, fields: dict[str, Node], label: str, at: tuple[int, int]) -> None:
        if ("replace" in fields) == ("regex" in fields):
            self.say(at, f"{label}: expected either replace or regex")
        if "regex" in fields and "with" in fields:
            wrong = wrong_python(text_of(fields["regex"]), text_of(fields["with"]))
            if wrong:
                self.say(fields["regex"].where, f"{label}: regex: {wrong}")

    def permissions(self, node: Node | None) -> None:
        table = self.table(node, "permissions")
        self.misspelt(table, ("actors",), "permissions: ")
        for actor, lists in self.table(table.get("actors"), "permissions.actors").items():
            label = f"permissions.actors.{shown(actor)}"
            right = self.fields(lists, dict.fromkeys(VERDICTS, WORDS), label)
            for verdict in VERDICTS:
                before = len(self.errors)
                for item in _items(lists.get(verdict)):
                    self.pattern(verdict, item, [actor])
                if len(self.errors) == before and verdict in right:
                    self.actors.setdefault(actor, {})[verdict] = right[verdict].plain()

    def pattern(self, verdict: str, node: Node, actors: list[str], *, spares: bool = False) -> None:
        source = text_of(node)
        try:
            parse(source)
        except PatternError as error:
            where = self.lines.inside(node, error.at)
            self.found.append(Finding(self.path, where, f"{error}: {shown(source)}", mended(error), caret=True))
        else:
            rule = Rule(verdict, node, actors, self.path, self.lines)
            rule.spares = spares
            self.placed.append(rule)


def _rule(kind: str, match: str, config: "dict[str, Any]", event: str) -> "dict[str, Any]":
    row = {"type": kind, "match": match, **{name: config[name] for name in COPIED if name in config}}
    if kind == "command":
        row["run"] = config["command"]
    if kind in AFTER:
        config = {**config, "event": event}
    return {**row, "config": config} if config else row


def _items(node: Node | None) -> list[Node]:
    """The texts of a list, whatever else is in it."""
    items = node.value if node is not None and isinstance(node.value, list) else []
    return [item for item in items if isinstance(item.value, str)]


def _filled(node: Node) -> Node:
    """Without the fields that were left empty: to YAML they are there, to a person they are not."""
    if isinstance(node.value, dict):
        kept = {name: _filled(item) for name, item in node.value.items() if item.value is not None}
        return Node(kept, node.where, node.named)
    return (
        Node([_filled(item) for item in node.value], node.where, node.named) if isinstance(node.value, list) else node
    )
