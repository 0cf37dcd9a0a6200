"""Claude Code's settings.json, a plugin's hooks.json, a SKILL.md: parts that the client rejects or ignores."""

import re

from hookkit.events import EVENTS
from hookkit.programs.words import glob
from hookkit.settings.checks import client
from hookkit.settings.documents import json_text
from hookkit.settings.documents.finding import ERROR, WARNING, Element, FileReport, Finding, shown
from hookkit.settings.documents.kinds import DocumentChecker, text_of
from hookkit.settings.formats import LIKELY, NO, by_name
from hookkit.settings.hook_files import frontmatter
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.documents.kinds import Fields

WRONG_VALUE = re.compile(r"hooks\.PreToolUse\[\d+\]\.hooks\[\d+\]: \w+: expected ")
VERDICTS = ("deny", "ask", "allow")
MODES = ("default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions", "manual")
# The fields about hooks and permissions; hookkit does not check other fields.
TOP: "Fields" = {
    "hooks": "anything", "permissions": "anything", "disableAllHooks": "flag", "allowManagedHooksOnly": "flag",
    "allowedHttpHookUrls": "texts", "httpHookAllowedEnvVars": "texts", "statusLine": "anything",
    "fileSuggestion": "anything",
}  # fmt: skip
PERMISSIONS: "Fields" = {
    **dict.fromkeys(VERDICTS, "texts"), "defaultMode": "text", "additionalDirectories": "texts",
}  # fmt: skip
LINE: "Fields" = {"*type": "text", "*command": "text", "padding": "anything", "refreshInterval": "anything",
        "hideVimModeIndicator": "flag"}  # fmt: skip
GROUP: "Fields" = {"matcher": "any text", "*hooks": "anything"}
# The fields of a handler, by its type.
COMMON: "Fields" = {"*type": "text", "if": "text", "timeout": "seconds", "statusMessage": "text", "once": "flag"}
ASK: "Fields" = {**COMMON, "*prompt": "text", "model": "text", "continueOnBlock": "flag"}
TYPES: "dict[str, Fields]" = {
    "command": {**COMMON, "*command": "text", "args": "texts", "shell": "text", "async": "flag", "asyncRewake": "flag",
                "onFailure": "text"},
    "http": {**COMMON, "*url": "text", "headers": "text table", "allowedEnvVars": "texts", "onFailure": "text"},
    "mcp_tool": {**COMMON, "*server": "text", "*tool": "text", "input": "anything"},
    "prompt": ASK,
    "agent": ASK,
}  # fmt: skip
CHOICES = {"shell": ("bash", "powershell"), "onFailure": ("continue", "block")}
WITH_IF = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied")
# Events with prompt and agent handlers; the client's documents do not mention the two about the model.
WITH_PROMPT = (
    "PreToolUse PostToolUse PostToolUseFailure PostToolBatch UserPromptSubmit UserPromptExpansion Stop SubagentStop"
    " PermissionDenied TeammateIdle TaskCreated TaskCompleted PreModelSwitch PostModelSwitch"
).split()
WITHOUT_HTTP = ("SessionStart", "Setup")
DEAF_TO_FAILURE = ("Stop", "SubagentStop", "TaskCompleted", "TeammateIdle")
DECIDING = ("PreToolUse", "PermissionRequest")
LONG = 600


def claim(path: str, text: str) -> int:
    is_likely = _has_frontmatter(path, text) or text.lstrip("\ufeff \t\r\n").startswith("{")
    return by_name(path, "*settings*.json", "hooks.json", "SKILL.md") or (LIKELY if is_likely else NO)


def _has_frontmatter(path: str, text: str) -> bool:
    return path.endswith(".md") and re.match(r"\ufeff?---\s*\n", text) is not None


def examine(path: str, text: str) -> FileReport:
    file: _Skill | _Settings
    if by_name(path, "SKILL.md") or _has_frontmatter(path, text):
        from hookkit.settings.documents import yaml_text  # late: PyYAML is slow to load

        file, (tree, unreadable) = _Skill(path, text), yaml_text.read(path, frontmatter(text))
    else:
        file, (tree, unreadable) = _Settings(path, text), json_text.read(path, text)
    if tree is not None:
        file.read(tree)
    return FileReport(path, [*unreadable, *file.found])


class _Hooks(DocumentChecker):
    """The groups of handlers of each event."""

    unknown_fields = WARNING  # the client ignores them
    has_once = False  # whether the client honours `once`

    def events(self, element: Element | None) -> None:
        for event, groups in self.table(element, "hooks").items():
            if event in EVENTS:
                self.event(event, groups)
            else:
                fix = did_you_mean(event, [*EVENTS])
                self.say(groups.named, f"hooks: unknown event {shown(event)}: the client ignores it", fix)

    def event(self, event: str, groups: Element) -> dict[str, Element]:
        """The hooks of hookkit that the event calls, each with the last handler that does."""
        wired: dict[str, Element] = {}
        for number, group in enumerate(self.rows(groups, f"hooks.{event}")):
            label = f"hooks.{event}[{number}]"
            handlers = self.group(event, group, label).get("hooks")
            for place, element in enumerate(self.rows(handlers, f"{label}.hooks")):
                calls = self.handler(event, element, f"{label}.hooks[{place}]")
                wired |= {words[0]: element for words in calls if words and client.is_hook(words[0])}
        return wired

    def group(self, event: str, group: Element, label: str) -> dict[str, Element]:
        fields = self.fields(group, GROUP, label)
        if "matcher" in fields:
            for severity, message, fix in client.matcher_remarks(event, text_of(fields["matcher"])):
                self.say(fields["matcher"].where, f"{label}: matcher: {message}", fix, severity)
        return fields

    def handler(self, event: str, element: Element, label: str) -> list[list[str]]:
        """Check one handler; returns the calls of hookkit in its command."""
        kind = self.choice(self.table(element, label).get("type"), [*TYPES], f"{label}: type")
        if not kind:
            if isinstance(element.value, dict):
                self.missing(element.value, ["type"], label, element.where)
            return []
        fields = self.fields(element, TYPES[kind], label)
        for name, options in CHOICES.items():
            self.choice(fields.get(name), options, f"{label}: {name}")
        self.kind(event, kind, element.value["type"], label)
        self.common(event, fields, label)
        if kind == "http":
            self.http(fields, label)
        return self.command(event, fields, label) if kind == "command" else []

    def kind(self, event: str, kind: str, element: Element, label: str) -> None:
        """Types that the client refuses on this event."""
        if kind == "http" and event in WITHOUT_HTTP:
            self.say(element.where, f"{label}: the client skips http on {event}", "use command")
        if kind == "prompt" and event == "PermissionRequest":
            self.say(element.where, f"{label}: prompt has no effect on {event}", "use command")
        elif kind in ("prompt", "agent") and event not in WITH_PROMPT:
            self.say(element.where, f"{label}: the client refuses {kind} on {event}", "use command")

    def common(self, event: str, fields: dict[str, Element], label: str) -> None:
        if "if" in fields:
            if event not in WITH_IF:
                message = f"{label}: a handler with if never runs on {event}"
                self.say(fields["if"].named, message, f"if works on {', '.join(WITH_IF)}")
            self.rule(fields["if"], "if")
        if "timeout" in fields and fields["timeout"].value > LONG:
            message = f"{label}: timeout: {fields['timeout'].value} is in seconds"
            self.warn(fields["timeout"].where, message, "not in milliseconds")
        if "once" in fields and not self.has_once:
            self.warn(fields["once"].named, f"{label}: once works only in the hooks of a skill", "remove once")
        if "onFailure" in fields and (_is_async(fields) or event in DEAF_TO_FAILURE):
            where = "an async hook" if _is_async(fields) else event
            self.warn(fields["onFailure"].named, f"{label}: onFailure has no effect on {where}", "remove onFailure")

    def rule(self, element: Element, verdict: str) -> None:
        for at, severity, message, fix in client.rule_remarks(text_of(element), verdict):
            self.inside(element, at, f"{shown(text_of(element))}: {message}", fix, severity)

    def http(self, fields: dict[str, Element], label: str) -> None:
        self.address(fields.get("url"), f"{label}: url")
        allowed = fields["allowedEnvVars"].plain() if "allowedEnvVars" in fields else []
        for element in fields["headers"].value.values() if "headers" in fields else ():
            for name in re.findall(r"\$\{?([A-Za-z_]\w*)", element.value):
                if name not in allowed:
                    message = f"{label}: headers: ${name} stays empty"
                    self.warn(element.where, message, f'add "{name}" to allowedEnvVars')

    def command(self, event: str, fields: dict[str, Element], label: str) -> list[list[str]]:
        if "command" not in fields:
            return []
        command, arguments = fields["command"], fields.get("args")
        if arguments is not None and " " in text_of(command).strip():
            message = f"{label}: with args the whole command is the name of one program"
            self.warn(command.where, message, "move the other words to args")
        if arguments is not None and "shell" in fields:
            self.warn(fields["shell"].named, f"{label}: with args there is no shell", "remove shell")
        words = arguments.plain() if arguments is not None else None
        calls = client.calls(text_of(command), words)
        remarks = [*client.misspelt(client.programs(text_of(command), words))]
        for call in calls:
            remarks += client.call_remarks(event, call)
            if event in DECIDING and _is_async(fields):
                remarks.append((ERROR, "the client ignores the decision of an async hook", "remove async"))
        for severity, message, fix in remarks:
            self.say(command.where, f"{label}: {message}", fix, severity)
        return calls


def _is_async(fields: dict[str, Element]) -> bool:
    return any(name in fields and fields[name].value for name in ("async", "asyncRewake"))


class _Skill(_Hooks):
    """The hooks in the frontmatter, which Claude Code registers when the skill runs."""

    has_once = True

    def read(self, tree: Element) -> None:
        self.events(self.table(tree, "frontmatter").get("hooks"))


class _Settings(_Hooks):
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
        self.urls = right["allowedHttpHookUrls"].plain() if "allowedHttpHookUrls" in right else None
        self.events(right.get("hooks"))
        for severity, message, fix in client.lonely([event for event, _ in self.runs]):
            self.say(self.runs[0][1].where, message, fix, severity)

    def switches(self, top: dict[str, Element]) -> None:
        if "disableAllHooks" in top and top["disableAllHooks"].value:
            self.warn(top["disableAllHooks"].named, "disableAllHooks: true switches every hook off")
        if "allowManagedHooksOnly" in top and "managed-settings" not in self.path:
            message = "allowManagedHooksOnly works only in managed settings"
            self.warn(top["allowManagedHooksOnly"].named, message, "remove it")

    def event(self, event: str, groups: Element) -> dict[str, Element]:
        wired = super().event(event, groups)
        self.runs += [(event, wired["run"])] if "run" in wired else []
        if len(wired) > 1:
            message = f"hooks.{event}: {' and '.join(f'hookkit {name}' for name in wired)} both run"
            self.warn([*wired.values()][-1].where, message, "hookkit run does the work of both in one process")
        return wired

    def group(self, event: str, group: Element, label: str) -> dict[str, Element]:
        inner = [name for name in ("type", "command", "url", "prompt") if group.get(name) is not None]
        if inner and group.get("hooks") is None:
            message = f"{label}: expected a group of handlers, not a handler: the client ignores it"
            self.say(group.where, message, 'write {"hooks": [{…}]}')
            return {}
        return super().group(event, group, label)

    def handler(self, event: str, element: Element, label: str) -> list[list[str]]:
        calls = super().handler(event, element, label)
        url = text_of(element.get("url"))
        if url and self.urls is not None and not any(glob(allowed, url) for allowed in self.urls):
            self.say(element.where, f"{label}: no allowedHttpHookUrls fits {shown(url)}, so the handler never runs")
        return calls

    def permissions(self, element: Element | None) -> None:
        table = self.table(element, "permissions")
        self.misspelt(table, [*PERMISSIONS], "permissions: ")
        known = Element({name: table[name] for name in PERMISSIONS if name in table}, (1, 1))
        right = self.fields(known, PERMISSIONS, "permissions")
        self.choice(right.get("defaultMode"), MODES, "permissions: defaultMode")
        seen: dict[str, str] = {}
        for verdict in VERDICTS:
            for item in right[verdict].value if verdict in right else ():
                self.rule(item, verdict)
                self.twice(item, verdict, seen.setdefault(re.sub(r":\*\)$", " *)", item.value), verdict))

    def twice(self, element: Element, verdict: str, first: str) -> None:
        if first != verdict:
            message = f"permissions: {verdict} {shown(element.value)} has no effect: {first} has the same rule and wins"
            self.say(element.where, message, "remove one of them", ERROR)


def skips_file(finding: Finding) -> bool:
    """Whether Claude Code skips the whole file: one wrong value in a PreToolUse handler is enough."""
    return finding.severity == ERROR and WRONG_VALUE.search(finding.message) is not None
