"""cocode's hooks: hooks.toml, and the same as JSON. Only checked: what its own loader would skip without a word."""

import re

from hookkit.checking import tools
from hookkit.checking.form import ANY_TEXT, ANYTHING, COUNT, FLAG, TABLE, TEXT, WORDS, Form, text_of
from hookkit.checking.formats import LIKELY, NO, SURE, by_name
from hookkit.checking.regexes import wrong_rust
from hookkit.documents import json_text, toml_text
from hookkit.documents.finding import Report, did_you_mean, shown, weigh
from hookkit.documents.node import Node

EVENTS = (
    "PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit SessionStart SessionEnd Stop SubagentStart SubagentStop"
    " PreCompact Notification PermissionRequest"
).split()
WITH_TOOL = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest")
SCOPES = ("Policy", "Plugin", "Session", "Skill")
METHODS = ("Post", "Put")
OURS = r"^\s*\[\[\s*hooks\s*\]\]|^\s*(?:disable_all_hooks|allow_managed_hooks_only)\s*="
LONG = 600  # seconds, the default; a larger number is more likely milliseconds
SWITCHES = {"disable_all_hooks": FLAG, "allow_managed_hooks_only": FLAG}
RUN = {"timeout": COUNT, "once": FLAG, "async": FLAG, "async_timeout": COUNT, "status_message": TEXT}
ASK = {"*prompt": TEXT, "model": TEXT, "timeout": COUNT, "once": FLAG}
SHELL = {"*command": TEXT, "pass_context": FLAG, "parse_result": FLAG, **RUN}
HANDLERS = {
    "shell": SHELL,
    "command": SHELL,
    "prompt": ASK,
    "agent": ASK,
    "webhook": {"*url": TEXT, "method": TEXT, "headers": TABLE, "timeout": COUNT},
    "inline": {"callback": ANYTHING},
}
HOOK = {
    "*event": TEXT, "tool_matcher": ANY_TEXT, "matcher": ANY_TEXT, "name": TEXT, "once": FLAG, "timeout_sec": COUNT,
    "scope": TEXT, "async": FLAG, "async_mode": FLAG, "async_timeout": COUNT, **dict.fromkeys(HANDLERS, ANYTHING),
}  # fmt: skip
# The same as JSON, with the client's names: an event has groups, a group is a handler or has several.
GROUP = {"matcher": ANY_TEXT, "hooks": ANYTHING}
ENTRY = {
    "type": TEXT, "command": TEXT, "prompt": TEXT, "url": TEXT, "model": TEXT, "method": TEXT, "headers": TABLE,
    "timeout": COUNT, "once": FLAG, "async": FLAG, "asyncTimeout": COUNT, "statusMessage": TEXT, "args": WORDS,
}  # fmt: skip
NEEDS = {"command": "command", "shell": "command", "prompt": "prompt", "agent": "prompt", "webhook": "url"}


def claim(path: str, text: str) -> int:
    """Rows of hooks in TOML are nobody else's; its JSON has the client's names, so there the directory tells."""
    if re.search(r"(?:^|/)\.?cocode/", path) and by_name(path, "hooks.toml", "hooks.json", "settings.json"):
        return SURE
    return by_name(path, "hooks.toml") or (LIKELY if re.search(OURS, text, re.MULTILINE) else NO)


def examine(path: str, text: str) -> Report:
    is_json = text.lstrip("\ufeff \t\r\n").startswith("{")
    tree, unreadable = (json_text if is_json else toml_text).read(path, text)
    file = _Hooks(path, text)
    if tree is not None and is_json:
        file.json(tree)
    elif tree is not None:
        file.toml(tree)
    return Report(path, [weigh(problem) for problem in unreadable] + file.found)


class _Hooks(Form):
    def toml(self, tree: Node) -> None:
        fields = self.fields(tree, {**SWITCHES, "hooks": ANYTHING}, "hooks.toml")
        for number, row in enumerate(self.rows(fields.get("hooks"), "hooks")):
            self.hook(row, f"hooks[{number}]")

    def hook(self, row: Node, label: str) -> None:
        fields = self.fields(row, HOOK, label)
        event = self.choice(fields.get("event"), EVENTS, f"{label}: event")
        self.choice(fields.get("scope"), SCOPES, f"{label}: scope")
        for name in ("tool_matcher", "matcher"):
            if name in fields:
                self.matcher(event, fields[name], f"{label}: {name}")
        self.seconds(fields.get("timeout_sec"), f"{label}: timeout_sec")
        present = [name for name in HANDLERS if name in fields]
        if isinstance(row.value, dict) and len(present) != 1:
            said = f"{label}: expected one handler, not {' and '.join(present) or 'none'}: the hook is skipped"
            self.say(row.where, said, f"one of {', '.join(HANDLERS)}, as [hooks.shell]")
        for name in present:
            self.handler(name, fields[name], label)

    def handler(self, kind: str, node: Node, label: str) -> None:
        label = f"{label}: {kind}"
        fields = self.fields(node, HANDLERS[kind], label)
        if kind == "inline":
            self.say(node.named, f"{label} is a function of a program and cannot stand in a file", "use shell")
        self.seconds(fields.get("timeout"), f"{label}: timeout")
        self.webhook(fields, label)

    def webhook(self, fields: dict[str, Node], label: str) -> None:
        self.choice(fields.get("method"), METHODS, f"{label}: method")
        url = fields.get("url")
        if url is not None and not re.match(r"https?://[^\s/]", text_of(url)):
            self.say(url.where, f"{label}: url: expected http:// or https://, not {shown(text_of(url))}")

    def seconds(self, node: Node | None, label: str) -> None:
        if node is not None and node.value > LONG:
            self.warn(node.where, f"{label}: {node.value} seconds is over ten minutes", "it is in seconds")

    def matcher(self, event: str, node: Node, label: str) -> None:
        """The kind of a matcher follows from its text, and a kind that was not meant matches nothing."""
        source = text_of(node)
        if event and event not in WITH_TOOL and source:
            self.warn(node.where, f"{label}: {event} has no tool to match", "leave it out")
            return
        if "|" in source:
            for part in source.split("|"):
                self.name(part, node, label)
        elif source.startswith("^") or ".*" in source:
            wrong = wrong_rust(source)
            if wrong:
                self.say(node.where, f"{label}: it matches nothing: {wrong}")
        elif source and not source.endswith("*"):
            self.name(source, node, label)

    def name(self, name: str, node: Node, label: str) -> None:
        meant = tools.misspelt(name.strip()) if name == name.strip() else name.strip()
        if re.search(r"[\^*$().\[\]]", name):
            said = f"{label}: {shown(name)} is taken by its letters here, and no tool is called that"
            self.say(node.where, said, "a regular expression begins with ^ and has no |; a star stands at the end")
        elif meant or not name:
            said = f"{label}: no tool is called {shown(name)!r}"
            self.say(node.where, said, f"did you mean {meant}?" if meant else "")

    def json(self, tree: Node) -> None:
        kinds = {"disableAllHooks": FLAG, "allowManagedHooksOnly": FLAG, "hooks": ANYTHING, "description": TEXT}
        fields = self.fields(tree, kinds, "hooks")
        for event, groups in self.table(fields.get("hooks"), "hooks").items():
            if event not in EVENTS:
                self.say(groups.named, f"hooks: unknown event {shown(event)}", did_you_mean(event, EVENTS))
                continue
            for number, group in enumerate(self.rows(groups, f"hooks.{event}")):
                self.group(event, group, f"hooks.{event}[{number}]")

    def group(self, event: str, group: Node, label: str) -> None:
        fields = self.fields(group, {**GROUP, **ENTRY}, label)
        if "matcher" in fields:
            self.matcher(event, fields["matcher"], f"{label}: matcher")
        if "hooks" not in fields:
            self.entry(fields, group, label)
        for number, node in enumerate(self.rows(fields.get("hooks"), f"{label}.hooks")):
            self.entry(self.fields(node, ENTRY, f"{label}.hooks[{number}]"), node, f"{label}.hooks[{number}]")

    def entry(self, fields: dict[str, Node], node: Node, label: str) -> None:
        if not isinstance(node.value, dict):
            return
        kind = self.choice(fields.get("type", Node("command", node.where)), [*NEEDS], f"{label}: type")
        if kind and NEEDS[kind] not in node.value:
            self.say(node.where, f"{label}: missing {NEEDS[kind]}")
        self.seconds(fields.get("timeout"), f"{label}: timeout")
        self.webhook(fields, label)
