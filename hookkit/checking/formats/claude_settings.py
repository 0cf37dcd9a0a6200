"""Claude Code's settings.json, settings.local.json and a plugin's hooks.json: what the client rejects or ignores."""

import re

from hookkit.checking.claude import commands, handlers, matchers, wiring
from hookkit.checking.form import ANY_TEXT, ANYTHING, FLAG, TEXT, WORDS, Form, text_of
from hookkit.checking.formats import LIKELY, NO, by_name
from hookkit.documents import json_text
from hookkit.documents.finding import ERROR, WARNING, Report, did_you_mean, shown, weigh
from hookkit.documents.node import Node
from hookkit.events import EVENTS
from hookkit.policy.pattern import glob

VERDICTS = ("deny", "ask", "allow")
MODES = ("default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions", "manual")
# The fields that are about hooks and permissions; all others are the client's business.
TOP = {
    "hooks": ANYTHING, "permissions": ANYTHING, "disableAllHooks": FLAG, "allowManagedHooksOnly": FLAG,
    "allowedHttpHookUrls": WORDS, "httpHookAllowedEnvVars": WORDS, "statusLine": ANYTHING, "fileSuggestion": ANYTHING,
}  # fmt: skip
PERMISSIONS = {**dict.fromkeys(VERDICTS, WORDS), "defaultMode": TEXT, "additionalDirectories": WORDS}
LINE = {"*type": TEXT, "*command": TEXT, "padding": ANYTHING, "refreshInterval": ANYTHING,
        "hideVimModeIndicator": FLAG}  # fmt: skip
GROUP = {"matcher": ANY_TEXT, "*hooks": ANYTHING}


def claim(path: str, text: str) -> int:
    return by_name(path, "*settings*.json", "hooks.json") or (
        LIKELY if text.lstrip("\ufeff \t\r\n").startswith("{") else NO
    )


def examine(path: str, text: str) -> Report:
    tree, unreadable = json_text.read(path, text)
    file = _Settings(path, text)
    if tree is not None:
        file.read(tree)
    return Report(path, [weigh(problem) for problem in unreadable] + file.found)


class _Settings(Form):
    strangers = WARNING  # the client ignores fields that it does not know

    def read(self, tree: Node) -> None:
        self.runs: list[tuple[str, Node]] = []  # events with `hookkit run`, and the handler
        top = self.table(tree, "settings")
        self.misspelt(top, [*TOP], "")
        right = self.fields(Node({name: top[name] for name in TOP if name in top}, tree.where), TOP, "settings")
        self.switches(right)
        self.permissions(right.get("permissions"))
        for name in ("statusLine", "fileSuggestion"):
            if name in right:
                self.choice(self.fields(right[name], LINE, name).get("type"), ("command",), f"{name}: type")
        urls = right["allowedHttpHookUrls"].plain() if "allowedHttpHookUrls" in right else None
        for event, groups in self.table(right.get("hooks"), "hooks").items():
            if event in EVENTS:
                self.event(event, groups, urls)
            else:
                fix = did_you_mean(event, [*EVENTS])
                self.say(groups.named, f"hooks: unknown event {shown(event)}: the client leaves it out", fix)
        for severity, said, fix in wiring.lonely([event for event, _ in self.runs]):
            self.say(self.runs[0][1].where, said, fix, severity)

    def switches(self, top: dict[str, Node]) -> None:
        if "disableAllHooks" in top and top["disableAllHooks"].value:
            self.warn(top["disableAllHooks"].named, "disableAllHooks: no hook runs while this is true")
        if "allowManagedHooksOnly" in top and "managed-settings" not in self.path:
            said = "allowManagedHooksOnly counts in managed settings alone"
            self.warn(top["allowManagedHooksOnly"].named, said, "leave it out")

    def event(self, event: str, groups: Node, urls: list[str] | None) -> None:
        wired: dict[str, Node] = {}
        for number, group in enumerate(self.rows(groups, f"hooks.{event}")):
            label = f"hooks.{event}[{number}]"
            fields = self.group(event, group, label)
            for place, node in enumerate(self.rows(fields.get("hooks"), f"{label}.hooks")):
                found = handlers.examine(self, event, node, f"{label}.hooks[{place}]")
                self.url(node, urls, f"{label}.hooks[{place}]")
                wired |= {words[0]: node for words in found if words and commands.is_hook(words[0])}
        self.runs += [(event, wired["run"])] if "run" in wired else []
        if len(wired) > 1:
            said = f"hooks.{event}: {' and '.join(f'hookkit {name}' for name in wired)} run side by side"
            self.warn([*wired.values()][-1].where, said, "hookkit run answers for all, once")

    def group(self, event: str, group: Node, label: str) -> dict[str, Node]:
        inner = [name for name in ("type", "command", "url", "prompt") if group.get(name) is not None]
        if inner and group.get("hooks") is None:
            said = f"{label}: a handler stands where a group of them belongs: the client leaves it out"
            self.say(group.where, said, 'write {"hooks": [{…}]}')
            return {}
        fields = self.fields(group, GROUP, label)
        if "matcher" in fields:
            for severity, said, fix in matchers.remarks(event, text_of(fields["matcher"])):
                self.say(fields["matcher"].where, f"{label}: matcher: {said}", fix, severity)
        return fields

    def url(self, node: Node, urls: list[str] | None, label: str) -> None:
        url = text_of(node.get("url"))
        if url and urls is not None and not any(glob(allowed, url) for allowed in urls):
            self.say(node.where, f"{label}: no allowedHttpHookUrls fits {shown(url)}, so it never runs")

    def permissions(self, node: Node | None) -> None:
        table = self.table(node, "permissions")
        self.misspelt(table, [*PERMISSIONS], "permissions: ")
        known = Node({name: table[name] for name in PERMISSIONS if name in table}, (1, 1))
        right = self.fields(known, PERMISSIONS, "permissions")
        self.choice(right.get("defaultMode"), MODES, "permissions: defaultMode")
        seen: dict[str, str] = {}
        for verdict in VERDICTS:
            for item in right[verdict].value if verdict in right else ():
                handlers.rule(self, item, verdict)
                self.twice(item, verdict, seen.setdefault(re.sub(r":\*\)$", " *)", item.value), verdict))

    def twice(self, node: Node, verdict: str, first: str) -> None:
        if first != verdict:
            said = f"permissions: {verdict} {shown(node.value)} never has an effect: {first} has it too, and wins"
            self.say(node.where, said, "take one of them away", ERROR)
