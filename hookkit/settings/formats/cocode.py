"""cocode's hooks.toml, or the same as JSON: parts that its loader would skip without a word. hookkit only checks it."""

import json
import os
import re

from hookkit.events import EVENTS as ALL_EVENTS
from hookkit.settings import hook_files
from hookkit.settings.documents import json_text, toml_text
from hookkit.settings.documents.finding import Defect, Element, FileReport, Finding, shown
from hookkit.settings.documents.kinds import DocumentChecker, text_of, wrong_regex
from hookkit.settings.documents.toml_text import TomlDocument
from hookkit.settings.formats import LIKELY, NO, SURE, by_name
from hookkit.settings.mistakes import OWN, TOO_MUCH, UNTRUSTED, SettingsCheck, text_excess, yaml_excess
from hookkit.settings.rule_rows import misspelt_tool
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.documents.kinds import Fields


MOST = 100  # findings for one file


class CocodeFile:
    """`values` for the loader, `findings` for the person, as in a TomlFile."""

    def __init__(self, path: str, text: str, standing: str = OWN) -> None:
        self.path = path
        self.values: dict[str, Any] = {}
        self.findings: list[Finding] = []
        self.waits: list[str] = []
        over = (text_excess(text) or yaml_excess(text)) if standing == UNTRUSTED else ""
        if over:
            self.findings = [Finding(path, (1, 1), over, TOO_MUCH)]
        elif path.endswith(".json"):
            self._json(text, standing)
        else:
            self._toml(text, standing)
        self.errors = len(self.findings)

    def _toml(self, text: str, standing: str) -> None:
        document = TomlDocument(self.path, text)
        if document.problem is not None:
            self.findings = [document.problem]
            return
        checked = self._check(hook_files.of_cocode(document.data), standing)
        self.findings = [document.finding(defect) for defect in checked[:MOST]]

    def _json(self, text: str, standing: str) -> None:
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            self.findings = [Finding(self.path, (1, 1), f"not JSON: {error}")]
            return
        hooks = hook_files.of_client(data if isinstance(data, dict) else {})
        self.findings = [Finding(self.path, (1, 1), defect.message) for defect in self._check(hooks, standing)[:MOST]]

    def _check(self, hooks: hook_files.Hooks, standing: str) -> list[Defect]:
        checked = SettingsCheck(hooks.data, os.path.dirname(self.path), standing)
        self.values, self.waits = checked.values, checked.waits
        return [*checked.defects, *(Defect((), item, part="field") for item in hooks.lost)]


EVENTS = (
    "PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit SessionStart SessionEnd Stop SubagentStart SubagentStop"
    " PreCompact Notification PermissionRequest"
).split()
WITH_TOOL = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest")
SCOPES = ("Policy", "Plugin", "Session", "Skill")
METHODS = ("Post", "Put")
OURS = r"^\s*\[\[\s*hooks\s*\]\]|^\s*(?:disable_all_hooks|allow_managed_hooks_only)\s*="
LONG = 600  # seconds, the default; a larger number is probably meant as milliseconds
SWITCHES: "Fields" = {"disable_all_hooks": "flag", "allow_managed_hooks_only": "flag"}
RUN: "Fields" = {
    "timeout": "positive",
    "once": "flag",
    "async": "flag",
    "async_timeout": "positive",
    "status_message": "text",
}
ASK: "Fields" = {"*prompt": "text", "model": "text", "timeout": "positive", "once": "flag"}
SHELL: "Fields" = {"*command": "words", "pass_context": "flag", "parse_result": "flag", **RUN}
HANDLERS: "dict[str, Fields]" = {
    "shell": SHELL,
    "command": SHELL,
    "prompt": ASK,
    "agent": ASK,
    "webhook": {
        "*url": "text",
        "method": "text",
        "headers": "text table",
        "timeout": "positive",
        "allowed_env": "texts",
    },
    "inline": {"callback": "anything", "function": "text"},
}
HOOK: "Fields" = {
    "*event": "text", "tool_matcher": "any text", "matcher": "any text", "name": "text", "once": "flag",
    "timeout_sec": "positive", "scope": "text", "if": "text", "mode": "text", "on_failure": "text",
    "batch": "flag", "async": "flag", "async_mode": "flag", "async_timeout": "positive", "status_message": "text",
    **dict.fromkeys(HANDLERS, "anything"),
}  # fmt: skip
# The same as JSON, with the names of Claude Code: an event has groups, a group is a handler or has several handlers.
JSON: "Fields" = {
    "disableAllHooks": "flag", "allowManagedHooksOnly": "flag", "hooks": "anything", "description": "text",
}  # fmt: skip
GROUP: "Fields" = {"matcher": "any text", "hooks": "anything"}
ENTRY: "Fields" = {
    "type": "text", "command": "text", "prompt": "text", "url": "text", "model": "text", "method": "text",
    "headers": "text table", "timeout": "positive", "once": "flag", "async": "flag", "asyncTimeout": "positive",
    "statusMessage": "text", "args": "texts",
}  # fmt: skip
NOT_RUST = r"(?<!\\)\(\?(?:[=!]|<[=!])|\\[1-9]"
NEEDS = {"command": "command", "shell": "command", "prompt": "prompt", "agent": "prompt", "webhook": "url"}


def claim(path: str, text: str) -> int:
    """Only cocode has rows of hooks in TOML. Its JSON looks like the client's, so the directory decides."""
    if re.search(r"(?:^|/)\.?cocode/", path) and by_name(path, "hooks.toml", "hooks.json", "settings.json"):
        return SURE
    return by_name(path, "hooks.toml") or (LIKELY if re.search(OURS, text, re.MULTILINE) else NO)


def examine(path: str, text: str) -> FileReport:
    is_json = text.lstrip("\ufeff \t\r\n").startswith("{")
    tree, unreadable = (json_text if is_json else toml_text).read(path, text)
    file = _Hooks(path, text)
    if tree is not None and is_json:
        file.json(tree)
    elif tree is not None:
        file.toml(tree)
    return FileReport(path, [*unreadable, *file.found])


def _wrong_rust(source: str) -> str:
    foreign = re.search(NOT_RUST, source)
    if foreign:
        return f"Rust has no look-around and no back references: {foreign.group()}"
    return wrong_regex(source)


class _Hooks(DocumentChecker):
    def toml(self, tree: Element) -> None:
        fields = self.fields(tree, {**SWITCHES, "hooks": "anything"}, "hooks.toml")
        for number, row in enumerate(self.rows(fields.get("hooks"), "hooks")):
            self.hook(row, f"hooks[{number}]")

    def hook(self, row: Element, label: str) -> None:
        fields = self.fields(row, HOOK, label)
        event = self.event(fields.get("event"), label)
        self.choice(fields.get("scope"), SCOPES, f"{label}: scope")
        for name in ("tool_matcher", "matcher"):
            if name in fields:
                self.matcher(event, fields[name], f"{label}: {name}")
        self.seconds(fields.get("timeout_sec"), f"{label}: timeout_sec")
        present = [name for name in HANDLERS if name in fields]
        if isinstance(row.value, dict) and len(present) != 1:
            message = f"{label}: expected one handler, not {' and '.join(present) or 'none'}: the hook is skipped"
            self.say(row.where, message, f"one of {', '.join(HANDLERS)}, as [hooks.shell]")
        for name in present:
            self.handler(name, fields[name], label)

    def event(self, element: Element | None, label: str) -> str:
        """Cocode knows twelve events; hookkit, which reads the same file, knows all of them."""
        if element is not None and text_of(element) in ALL_EVENTS and text_of(element) not in EVENTS:
            self.warn(
                element.where, f"{label}: event: cocode has no {text_of(element)}, so only hookkit runs this hook"
            )
            return text_of(element)
        return self.choice(element, EVENTS, f"{label}: event")

    def handler(self, kind: str, element: Element, label: str) -> None:
        label = f"{label}: {kind}"
        fields = self.fields(element, HANDLERS[kind], label)
        if kind == "inline" and "function" not in fields:
            self.say(element.named, f"{label} is a function of a program and does not work in a file", "use shell")
        self.seconds(fields.get("timeout"), f"{label}: timeout")
        self.webhook(fields, label)

    def webhook(self, fields: dict[str, Element], label: str) -> None:
        self.choice(fields.get("method"), METHODS, f"{label}: method")
        self.address(fields.get("url"), f"{label}: url")

    def seconds(self, element: Element | None, label: str) -> None:
        if element is not None and element.value > LONG:
            self.warn(
                element.where,
                f"{label}: {element.value} seconds is over ten minutes",
                "write seconds, not milliseconds",
            )

    def matcher(self, event: str, element: Element, label: str) -> None:
        """The text of a matcher decides its kind; a matcher of an unintended kind matches nothing."""
        source = text_of(element)
        if event and event not in WITH_TOOL and source:
            self.warn(element.where, f"{label}: {event} has no tool to match", "remove the matcher")
            return
        if "|" in source:
            for part in source.split("|"):
                self.name(part, element, label)
        elif source.startswith("^") or ".*" in source:
            wrong = _wrong_rust(source)
            if wrong:
                self.say(element.where, f"{label}: the matcher matches nothing: {wrong}")
        elif source and not source.endswith("*"):
            self.name(source, element, label)

    def name(self, name: str, element: Element, label: str) -> None:
        meant = misspelt_tool(name.strip()) if name == name.strip() else name.strip()
        if re.search(r"[\^*$().\[\]]", name):
            message = f"{label}: {shown(name)} counts as a plain name here, and no tool has this name"
            self.say(element.where, message, "begin a regular expression with ^ and use no |; put a star at the end")
        elif meant or not name:
            message = f"{label}: no tool has the name {shown(name)!r}"
            self.say(element.where, message, f"did you mean {meant}?" if meant else "")

    def json(self, tree: Element) -> None:
        fields = self.fields(tree, JSON, "hooks")
        for event, groups in self.table(fields.get("hooks"), "hooks").items():
            if event not in EVENTS:
                self.say(groups.named, f"hooks: unknown event {shown(event)}", did_you_mean(event, EVENTS))
                continue
            for number, group in enumerate(self.rows(groups, f"hooks.{event}")):
                self.group(event, group, f"hooks.{event}[{number}]")

    def group(self, event: str, group: Element, label: str) -> None:
        fields = self.fields(group, {**GROUP, **ENTRY}, label)
        if "matcher" in fields:
            self.matcher(event, fields["matcher"], f"{label}: matcher")
        if "hooks" not in fields:
            self.entry(fields, group, label)
        for number, element in enumerate(self.rows(fields.get("hooks"), f"{label}.hooks")):
            self.entry(self.fields(element, ENTRY, f"{label}.hooks[{number}]"), element, f"{label}.hooks[{number}]")

    def entry(self, fields: dict[str, Element], element: Element, label: str) -> None:
        if not isinstance(element.value, dict):
            return
        kind = self.choice(fields.get("type", Element("command", element.where)), [*NEEDS], f"{label}: type")
        if kind and NEEDS[kind] not in element.value:
            self.say(element.where, f"{label}: missing {NEEDS[kind]}")
        self.seconds(fields.get("timeout"), f"{label}: timeout")
        self.webhook(fields, label)
