"""A hook's handler in the client's settings: the fields of each type, and the events of each type."""

import re

from hookkit.checking.claude import commands, permissions, wiring
from hookkit.documents.checker import DocumentChecker, text_of
from hookkit.documents.element import Element
from hookkit.documents.finding import ERROR, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.documents.kinds import Fields

COMMON: "Fields" = {"*type": "text", "if": "text", "timeout": "seconds", "statusMessage": "text", "once": "flag"}
TYPES: "dict[str, Fields]" = {
    "command": {**COMMON, "*command": "text", "args": "texts", "shell": "text", "async": "flag", "asyncRewake": "flag",
                "onFailure": "text"},
    "http": {**COMMON, "*url": "text", "headers": "text table", "allowedEnvVars": "texts", "onFailure": "text"},
    "mcp_tool": {**COMMON, "*server": "text", "*tool": "text", "input": "anything"},
    "prompt": {**COMMON, "*prompt": "text", "model": "text", "continueOnBlock": "flag"},
    "agent": {**COMMON, "*prompt": "text", "model": "text", "continueOnBlock": "flag"},
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


def examine(file: DocumentChecker, event: str, element: Element, label: str) -> list[list[str]]:
    """Check one handler; returns the calls of hookkit in its command."""
    kind = file.choice(file.table(element, label).get("type"), [*TYPES], f"{label}: type")
    if not kind:
        if isinstance(element.value, dict):
            file.missing(element.value, ["type"], label, element.where)
        return []
    fields = file.fields(element, TYPES[kind], label)
    for name, options in CHOICES.items():
        file.choice(fields.get(name), options, f"{label}: {name}")
    _event(file, event, kind, element, label)
    _common(file, event, fields, label)
    if kind == "http":
        _http(file, fields, label)
    return _command(file, event, fields, label) if kind == "command" else []


def _event(file: DocumentChecker, event: str, kind: str, element: Element, label: str) -> None:
    """Types that the client refuses on this event."""
    where = element.value["type"].where
    if kind == "http" and event in WITHOUT_HTTP:
        file.say(where, f"{label}: the client skips http on {event}", "use command")
    if kind == "prompt" and event == "PermissionRequest":
        file.say(where, f"{label}: prompt has no effect on {event}", "use command")
    elif kind in ("prompt", "agent") and event not in WITH_PROMPT:
        file.say(where, f"{label}: the client refuses {kind} on {event}", "use command")


def _common(file: DocumentChecker, event: str, fields: dict[str, Element], label: str) -> None:
    if "if" in fields:
        if event not in WITH_IF:
            said = f"{label}: a handler with if never runs on {event}"
            file.say(fields["if"].named, said, f"if works on {', '.join(WITH_IF)}")
        rule(file, fields["if"], "if")
    if "timeout" in fields and fields["timeout"].value > LONG:
        file.warn(
            fields["timeout"].where, f"{label}: timeout: {fields['timeout'].value} is in seconds", "not in milliseconds"
        )
    if "once" in fields and not getattr(file, "once", False):
        file.warn(fields["once"].named, f"{label}: once works only in the hooks of a skill", "remove once")
    is_async = any(name in fields and fields[name].value for name in ("async", "asyncRewake"))
    if "onFailure" in fields and (is_async or event in DEAF_TO_FAILURE):
        where = "an async hook" if is_async else event
        file.warn(fields["onFailure"].named, f"{label}: onFailure has no effect on {where}", "remove onFailure")


def rule(file: DocumentChecker, element: Element, verdict: str) -> None:
    for at, severity, said, fix in permissions.remarks(text_of(element), verdict):
        file.inside(element, at, f"{shown(text_of(element))}: {said}", fix, severity)


def _http(file: DocumentChecker, fields: dict[str, Element], label: str) -> None:
    url = fields.get("url")
    if url is not None and not re.match(r"https?://[^\s/]", text_of(url)):
        file.say(url.where, f"{label}: url: expected http:// or https://, not {shown(text_of(url))}")
    allowed = fields["allowedEnvVars"].plain() if "allowedEnvVars" in fields else []
    for element in fields["headers"].value.values() if "headers" in fields else ():
        for name in re.findall(r"\$\{?([A-Za-z_]\w*)", element.value):
            if name not in allowed:
                file.warn(element.where, f"{label}: headers: ${name} stays empty", f'add "{name}" to allowedEnvVars')


def _command(file: DocumentChecker, event: str, fields: dict[str, Element], label: str) -> list[list[str]]:
    if "command" not in fields:
        return []
    command, arguments = fields["command"], fields.get("args")
    if arguments is not None and " " in text_of(command).strip():
        said = f"{label}: with args the whole command is the name of one program"
        file.warn(command.where, said, "move the other words to args")
    if arguments is not None and "shell" in fields:
        file.warn(fields["shell"].named, f"{label}: with args there is no shell", "remove shell")
    words_of = arguments.plain() if arguments is not None else None
    for severity, said, fix in wiring.misspelt(commands.programs(text_of(command), words_of)):
        file.say(command.where, f"{label}: {said}", fix, severity)
    found = commands.calls(text_of(command), words_of)
    for words in found:
        for severity, said, fix in commands.remarks(event, words):
            file.say(command.where, f"{label}: {said}", fix, severity)
        if event in DECIDING and any(name in fields and fields[name].value for name in ("async", "asyncRewake")):
            file.say(command.where, f"{label}: the client ignores the decision of an async hook", "remove async", ERROR)
    return found
