"""Mentu's genesis.key (YAML): hooks become rules, permissions become actors.

The file comes with a checkout, so it counts as a project's file: it only makes things stricter until it is trusted.
"""

import re

from hookkit.policy.rules import TYPES, VERDICTS
from hookkit.settings import sources
from hookkit.settings.documents import yaml_text
from hookkit.settings.documents.finding import ERROR, Element, FileReport, Finding, WrittenRule, shown
from hookkit.settings.documents.kinds import DocumentChecker, text_of, wrong_regex
from hookkit.settings.formats import LIKELY, NO, by_name
from hookkit.settings.keys import STRICT
from hookkit.settings.mistakes import OWN, TOO_MUCH, UNTRUSTED, rules_excess, yaml_excess
from hookkit.settings.rule_rows import wrong_condition, wrong_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.documents.kinds import Fields
    from hookkit.settings.rule_rows import Wrong


LISTS: "Fields" = {**dict.fromkeys(VERDICTS, "texts"), "reason": "text"}
VERSION = "2.0"
VERSIONS = ("1", "1.0", "2", VERSION)  # older files have no hooks, or no version at all: all of them keep working
EVENTS = {"pre_tool_use": "PreToolUse", "post_tool_use": "PostToolUse", "stop": "Stop"}
AFTER = ("evidence_capture", "approval_gate", "command")  # types that still make sense after the call
OUTPUT = ("post_tool_use", "modify")  # changes the output
HOOK: "Fields" = {"matcher": "any text", "*type": "text", "config": "anything"}
REASON: "Fields" = {"reason": "text", "instead": "text", "unless": "texts", "actors": "texts"}
# Known fields of config.
CONFIG: "dict[str, Fields]" = {
    **dict.fromkeys(VERDICTS, REASON),
    "modify": {**REASON, "*field": "text", "replace": "text", "regex": "text", "*with": "any text"},
    "command": {**REASON, "*command": "text", "timeout": "positive"},
    "evidence_capture": {**REASON, "ledger": "flag", "kind": "text"},
    "approval_gate": {**REASON, "condition": "text", "approvers": "texts"},
    "genesis_enforcement": REASON,
}
OPEN = ("evidence_capture", "approval_gate", "genesis_enforcement")  # types whose config may have foreign fields
COPIED = ("reason", "instead", "unless", "actors", "field", "replace", "regex", "with", "timeout")


class GenesisFile(DocumentChecker):
    """A genesis.key, read once. `written` and `conditions` keep their places, for `validate`."""

    waits: "list[str]" = []  # noqa: RUF012 - never changed: the loader compares the rules instead

    def __init__(self, path: str, text: str, standing: str = OWN) -> None:
        super().__init__(path, text)
        self.standing = standing
        self.written: list[WrittenRule] = []
        self.conditions: list[Element] = []
        self.rules: list[dict[str, Any]] = []
        self.actors: dict[str, dict[str, Any]] = {}
        over = yaml_excess(text) if standing == UNTRUSTED else ""
        tree, self.found = yaml_text.read(path, text) if not over else (None, [])
        self.errors = len(self.found)
        if not over and not self.found:
            self.read(tree)
            over = rules_excess(self.written) if standing == UNTRUSTED else ""
        if over:
            self.rules, self.actors, self.found, self.errors = [], {}, [Finding(path, (1, 1), over, TOO_MUCH)], 1

    def read(self, tree: Element | None) -> None:
        top = self.table(_filled(tree) if tree is not None else None, "genesis.key")
        self.part = "section"
        self.misspelt(top, ("version", "hooks", "permissions"), "")
        self.version(top.get("version"))
        self.hooks(top.get("hooks"))
        self.permissions(top.get("permissions"))

    @property
    def findings(self) -> list[Finding]:
        """The errors; warnings are only for `validate`."""
        return [finding for finding in self.found if finding.severity == ERROR]

    @property
    def values(self) -> "dict[str, Any]":
        return {name: value for name, value in (("rules", self.rules), ("actors", self.actors)) if value}

    def version(self, element: Element | None) -> None:
        """YAML reads an unquoted version as a number: both spellings count. A file without a version is an old file."""
        self.part = ""
        if element is not None and str(element.plain()) not in VERSIONS:
            version = shown(str(element.plain())) if not isinstance(element.value, (dict, list)) else "something else"
            self.say(element.where, f"hookkit reads version {VERSION}, not {version}", f'write version: "{VERSION}"')

    def hooks(self, element: Element | None) -> None:
        self.part = "section"
        for name, rows in self.table(element, "hooks").items():
            if name not in EVENTS:
                self.unknown(name, rows, [*EVENTS], "hooks")
                continue
            for number, row in enumerate(self.rows(rows, f"hooks.{name}")):
                self.hook(name, row, f"hooks.{name}[{number}]")

    def hook(self, event: str, row: Element, label: str) -> None:
        """One row of hooks. A deny or ask rule with a right matcher counts without its wrong fields."""
        errors, count = self.errors, len(self.found)
        fields = self.fields(row, HOOK, label)
        kind = self.choice(fields.get("type"), TYPES, f"{label}: type")
        match = text_of(fields.get("matcher"))
        exceptions = _items((fields.get("config") or row).get("unless"))
        is_pattern = "matcher" in fields and self.pattern(kind, fields["matcher"], [], spares=bool(exceptions))
        right = [text_of(item) for item in exceptions if self.pattern("unless", item, [])]
        self.suits(event, kind, fields, label)
        config = self.config(kind, fields.get("config"), label, row.where) if kind else {}
        is_kept = self.errors == errors or (kind in STRICT and event == "pre_tool_use" and is_pattern and bool(match))
        if is_kept:
            config |= {"unless": right} if "unless" in config else {}
            self.rules.append(_rule(kind, match or "*", config, EVENTS[event]))
        for finding in self.found[count:]:
            finding.part = "field" if is_kept else "rule"

    def suits(self, event: str, kind: str, fields: dict[str, Element], label: str) -> None:
        if event == "stop" and "matcher" in fields:
            message = f"{label}: a matcher has no effect when the agent stops"
            self.warn(fields["matcher"].named, message, "remove the matcher")
        if not kind:
            return
        if event != "pre_tool_use" and kind not in AFTER and (event, kind) != OUTPUT:
            self.say(fields["type"].where, f"{label}: {kind} comes too late after the call", "move it to pre_tool_use")
        if kind in VERDICTS and not text_of(fields.get("matcher")):
            self.warn(
                fields["type"].where, f"{label}: without a matcher this is about every call", 'write matcher: "*"'
            )

    def config(self, kind: str, element: Element | None, label: str, at: tuple[int, int]) -> "dict[str, Any]":
        label, known = f"{label}: config", CONFIG[kind]
        if kind in OPEN:
            table = self.table(element, label)
            self.misspelt(table, [*known], f"{label}: ")
            element = Element({name: item for name, item in table.items() if name in known}, at)
            self.condition(self.fields(element, known, label).get("condition"))
            return {name: item.plain() for name, item in table.items()}
        right = self.fields(element, known, label, at)
        if kind == "modify" and self.standing != UNTRUSTED:
            self.modify(right, label, element.where if element is not None else at)
        return {name: item.plain() for name, item in right.items()}

    def modify(self, fields: dict[str, Element], label: str, at: tuple[int, int]) -> None:
        if ("replace" in fields) == ("regex" in fields):
            self.say(at, f"{label}: expected either replace or regex")
        if "regex" in fields and "with" in fields:
            mistake = wrong_regex(text_of(fields["regex"]), text_of(fields["with"]))
            if mistake:
                self.say(fields["regex"].where, f"{label}: regex: {mistake}")

    def condition(self, element: Element | None) -> None:
        if element is not None and self.is_right(element, wrong_condition(text_of(element))):
            self.conditions.append(element)

    def permissions(self, element: Element | None) -> None:
        self.part = "section"
        table = self.table(element, "permissions")
        self.misspelt(table, ("actors",), "permissions: ")
        for actor, lists in self.table(table.get("actors"), "permissions.actors").items():
            label = f"permissions.actors.{shown(actor)}"
            self.part = "pattern"
            self.fields(lists, LISTS, label)
            reason = text_of(lists.get("reason")).strip()
            if reason:
                self.actors.setdefault(actor, {})["reason"] = reason
            for verdict in VERDICTS:
                right = [text_of(item) for item in _items(lists.get(verdict)) if self.pattern(verdict, item, [actor])]
                if right:
                    self.actors.setdefault(actor, {})[verdict] = right

    def pattern(self, verdict: str, element: Element, actors: list[str], *, spares: bool = False) -> bool:
        if not self.is_right(element, wrong_pattern(text_of(element))):
            return False
        rule = WrittenRule(verdict, element, actors, self.path, self.lines)
        rule.spares = spares
        self.written.append(rule)
        return True

    def is_right(self, element: Element, wrong: "Wrong | None") -> bool:
        if wrong is not None:
            at, message, fix = wrong
            self.inside(element, at, message, fix)
        return wrong is None


def _rule(kind: str, match: str, config: "dict[str, Any]", event: str) -> "dict[str, Any]":
    row = {"type": kind, "match": match, **{name: config[name] for name in COPIED if name in config}}
    if kind == "command":
        row["run"] = config["command"]
    if kind in AFTER or (kind == "modify" and event != "PreToolUse"):
        config = {**config, "event": event}
    return {**row, "config": config} if config else row


def _items(element: Element | None) -> list[Element]:
    """The texts of a list, without its other values."""
    return [item for item in element.items() if isinstance(item.value, str)] if element is not None else []


def _filled(element: Element) -> Element:
    """The tree without empty fields: YAML reads them as null, a person means a missing field."""
    value = element.value
    if isinstance(value, dict):
        value = {name: _filled(item) for name, item in value.items() if item.value is not None}
    elif isinstance(value, list):
        value = [_filled(item) for item in value]
    return Element(value, element.where, element.named)


def claim(path: str, text: str) -> int:
    return by_name(path, "*genesis*.key") or (
        LIKELY if re.search(r"^(?:version|hooks|permissions):", text, re.MULTILINE) else NO
    )


def examine(path: str, text: str) -> FileReport:
    file = GenesisFile(path, text)
    facts = [remark for element in file.conditions for remark in sources.of_condition(path, element, file.lines)]
    return FileReport(path, [*file.found, *facts], file.written, file.values)
