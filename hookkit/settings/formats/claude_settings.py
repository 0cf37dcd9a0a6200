"""Claude Code's settings.json and a plugin's hooks.json: parts that the client rejects or ignores."""

import re

from hookkit.events import EVENTS
from hookkit.programs.words import glob
from hookkit.settings.checks.claude import handlers, permissions
from hookkit.settings.documents import json_text
from hookkit.settings.documents.finding import ERROR, WARNING, Element, FileReport, Finding, shown
from hookkit.settings.documents.kinds import DocumentChecker, text_of
from hookkit.settings.formats import LIKELY, NO, by_name
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.documents.kinds import Fields

WRONG_VALUE = re.compile(r"hooks\.PreToolUse\[\d+\]\.hooks\[\d+\]: \w+: expected ")
VERDICTS = ("deny", "ask", "allow")
LISTS: "Fields" = dict.fromkeys(VERDICTS, "texts")
MODES = ("default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions", "manual")
# The fields about hooks and permissions; hookkit does not check other fields.
TOP: "Fields" = {
    "hooks": "anything", "permissions": "anything", "disableAllHooks": "flag", "allowManagedHooksOnly": "flag",
    "allowedHttpHookUrls": "texts", "httpHookAllowedEnvVars": "texts", "statusLine": "anything",
    "fileSuggestion": "anything",
}  # fmt: skip
PERMISSIONS: "Fields" = {**LISTS, "defaultMode": "text", "additionalDirectories": "texts"}
LINE: "Fields" = {"*type": "text", "*command": "text", "padding": "anything", "refreshInterval": "anything",
        "hideVimModeIndicator": "flag"}  # fmt: skip
GROUP: "Fields" = {"matcher": "any text", "*hooks": "anything"}


def claim(path: str, text: str) -> int:
    return by_name(path, "*settings*.json", "hooks.json") or (
        LIKELY if text.lstrip("\ufeff \t\r\n").startswith("{") else NO
    )


def examine(path: str, text: str) -> FileReport:
    tree, unreadable = json_text.read(path, text)
    file = _Settings(path, text)
    if tree is not None:
        file.read(tree)
    return FileReport(path, [*unreadable, *file.found])


class _Settings(DocumentChecker):
    unknown_fields = WARNING  # the client ignores them

    def read(self, tree: Element) -> None:
        self.runs: list[tuple[str, Element]] = []  # events with `hookkit run`, and the handler
        top = self.table(tree, "settings")
        self.misspelt(top, [*TOP], "")
        right = self.fields(Element({name: top[name] for name in TOP if name in top}, tree.where), TOP, "settings")
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
                self.say(groups.named, f"hooks: unknown event {shown(event)}: the client ignores it", fix)
        for severity, message, fix in handlers.lonely([event for event, _ in self.runs]):
            self.say(self.runs[0][1].where, message, fix, severity)

    def switches(self, top: dict[str, Element]) -> None:
        if "disableAllHooks" in top and top["disableAllHooks"].value:
            self.warn(top["disableAllHooks"].named, "disableAllHooks: true switches every hook off")
        if "allowManagedHooksOnly" in top and "managed-settings" not in self.path:
            message = "allowManagedHooksOnly works only in managed settings"
            self.warn(top["allowManagedHooksOnly"].named, message, "remove it")

    def event(self, event: str, groups: Element, urls: list[str] | None) -> None:
        wired: dict[str, Element] = {}
        for number, group in enumerate(self.rows(groups, f"hooks.{event}")):
            label = f"hooks.{event}[{number}]"
            fields = self.group(event, group, label)
            for place, element in enumerate(self.rows(fields.get("hooks"), f"{label}.hooks")):
                calls = handlers.examine(self, event, element, f"{label}.hooks[{place}]")
                self.url(element, urls, f"{label}.hooks[{place}]")
                wired |= {words[0]: element for words in calls if words and handlers.is_hook(words[0])}
        self.runs += [(event, wired["run"])] if "run" in wired else []
        if len(wired) > 1:
            message = f"hooks.{event}: {' and '.join(f'hookkit {name}' for name in wired)} both run"
            self.warn([*wired.values()][-1].where, message, "hookkit run does the work of both in one process")

    def group(self, event: str, group: Element, label: str) -> dict[str, Element]:
        inner = [name for name in ("type", "command", "url", "prompt") if group.get(name) is not None]
        if inner and group.get("hooks") is None:
            message = f"{label}: expected a group of handlers, not a handler: the client ignores it"
            self.say(group.where, message, 'write {"hooks": [{…}]}')
            return {}
        fields = self.fields(group, GROUP, label)
        if "matcher" in fields:
            for severity, message, fix in permissions.matcher_remarks(event, text_of(fields["matcher"])):
                self.say(fields["matcher"].where, f"{label}: matcher: {message}", fix, severity)
        return fields

    def url(self, element: Element, urls: list[str] | None, label: str) -> None:
        url = text_of(element.get("url"))
        if url and urls is not None and not any(glob(allowed, url) for allowed in urls):
            self.say(element.where, f"{label}: no allowedHttpHookUrls fits {shown(url)}, so the handler never runs")

    def permissions(self, element: Element | None) -> None:
        table = self.table(element, "permissions")
        self.misspelt(table, [*PERMISSIONS], "permissions: ")
        known = Element({name: table[name] for name in PERMISSIONS if name in table}, (1, 1))
        right = self.fields(known, PERMISSIONS, "permissions")
        self.choice(right.get("defaultMode"), MODES, "permissions: defaultMode")
        seen: dict[str, str] = {}
        for verdict in VERDICTS:
            for item in right[verdict].value if verdict in right else ():
                handlers.rule(self, item, verdict)
                self.twice(item, verdict, seen.setdefault(re.sub(r":\*\)$", " *)", item.value), verdict))

    def twice(self, element: Element, verdict: str, first: str) -> None:
        if first != verdict:
            message = f"permissions: {verdict} {shown(element.value)} has no effect: {first} has the same rule and wins"
            self.say(element.where, message, "remove one of them", ERROR)


def skips_file(finding: Finding) -> bool:
    """Whether Claude Code skips the whole file: one wrong value in a PreToolUse handler is enough."""
    return finding.severity == ERROR and WRONG_VALUE.search(finding.message) is not None
