"""A hook's handler in the client's settings: what each type takes, and where the client never runs it."""

import re

from hookkit.checking.claude import commands, permissions, wiring
from hookkit.checking.form import ANYTHING, FLAG, SECONDS, TABLE, TEXT, WORDS, Form, text_of
from hookkit.documents.finding import ERROR, Finding, shown
from hookkit.documents.node import Node

COMMON = {"*type": TEXT, "if": TEXT, "timeout": SECONDS, "statusMessage": TEXT, "once": FLAG}
TYPES = {
    "command": {**COMMON, "*command": TEXT, "args": WORDS, "shell": TEXT, "async": FLAG, "asyncRewake": FLAG,
                "onFailure": TEXT},
    "http": {**COMMON, "*url": TEXT, "headers": TABLE, "allowedEnvVars": WORDS, "onFailure": TEXT},
    "mcp_tool": {**COMMON, "*server": TEXT, "*tool": TEXT, "input": ANYTHING},
    "prompt": {**COMMON, "*prompt": TEXT, "model": TEXT, "continueOnBlock": FLAG},
    "agent": {**COMMON, "*prompt": TEXT, "model": TEXT, "continueOnBlock": FLAG},
}  # fmt: skip
CHOICES = {"shell": ("bash", "powershell"), "onFailure": ("continue", "block")}
WITH_IF = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied")
# Where a model can be asked; nobody says so of the switch of models.
WITH_PROMPT = (
    "PreToolUse PostToolUse PostToolUseFailure PostToolBatch UserPromptSubmit UserPromptExpansion Stop SubagentStop"
    " PermissionDenied TeammateIdle TaskCreated TaskCompleted PreModelSwitch PostModelSwitch"
).split()
WITHOUT_HTTP = ("SessionStart", "Setup")
DEAF_TO_FAILURE = ("Stop", "SubagentStop", "TaskCompleted", "TeammateIdle")
DECIDING = ("PreToolUse", "PermissionRequest")
LONG = 600


def examine(form: Form, event: str, node: Node, label: str) -> list[list[str]]:
    """Every complaint about one handler; answers with the calls of hookkit in it."""
    kind = form.choice(form.table(node, label).get("type"), [*TYPES], f"{label}: type")
    if not kind:
        if isinstance(node.value, dict):
            form.missing(node.value, ["type"], label, node.where)
        return []
    fields = form.fields(node, TYPES[kind], label)
    for name, options in CHOICES.items():
        form.choice(fields.get(name), options, f"{label}: {name}")
    _event(form, event, kind, node, label)
    _common(form, event, fields, label)
    if kind == "http":
        _http(form, fields, label)
    return _command(form, event, fields, label) if kind == "command" else []


def _event(form: Form, event: str, kind: str, node: Node, label: str) -> None:
    """Types that the event refuses."""
    where = node.value["type"].where
    if kind == "http" and event in WITHOUT_HTTP:
        form.say(where, f"{label}: the client skips http on {event}", "use command")
    if kind == "prompt" and event == "PermissionRequest":
        form.say(where, f"{label}: prompt has no effect on {event}", "use command")
    elif kind in ("prompt", "agent") and event not in WITH_PROMPT:
        form.say(where, f"{label}: the client refuses {kind} on {event}", "use command")


def _common(form: Form, event: str, fields: dict[str, Node], label: str) -> None:
    if "if" in fields:
        if event not in WITH_IF:
            said = f"{label}: with if it never runs on {event}"
            form.say(fields["if"].named, said, f"if is for {', '.join(WITH_IF)}")
        rule(form, fields["if"], "if")
    if "timeout" in fields and fields["timeout"].value > LONG:
        form.warn(fields["timeout"].where, f"{label}: timeout: {fields['timeout'].value} is in seconds", "not in ms")
    if "once" in fields:
        form.warn(fields["once"].named, f"{label}: once counts in a skill's own hooks alone", "leave it out")
    is_async = any(name in fields and fields[name].value for name in ("async", "asyncRewake"))
    if "onFailure" in fields and (is_async or event in DEAF_TO_FAILURE):
        where = "an async hook" if is_async else event
        form.warn(fields["onFailure"].named, f"{label}: onFailure has no effect on {where}", "leave it out")


def rule(form: Form, node: Node, verdict: str) -> None:
    for at, severity, said, fix in permissions.remarks(text_of(node), verdict):
        where = form.lines.inside(node, at)
        message = f"{shown(text_of(node))}: {said}"
        form.found.append(Finding(form.path, where, message, fix, severity=severity, caret=True))


def _http(form: Form, fields: dict[str, Node], label: str) -> None:
    url = fields.get("url")
    if url is not None and not re.match(r"https?://[^\s/]", text_of(url)):
        form.say(url.where, f"{label}: url: expected http:// or https://, not {shown(text_of(url))}")
    allowed = fields["allowedEnvVars"].plain() if "allowedEnvVars" in fields else []
    for node in fields["headers"].value.values() if "headers" in fields else ():
        for name in re.findall(r"\$\{?([A-Za-z_]\w*)", node.value):
            if name not in allowed:
                form.warn(node.where, f"{label}: headers: ${name} stays empty", f'add "{name}" to allowedEnvVars')


def _command(form: Form, event: str, fields: dict[str, Node], label: str) -> list[list[str]]:
    if "command" not in fields:
        return []
    command, arguments = fields["command"], fields.get("args")
    if arguments is not None and " " in text_of(command).strip():
        said = f"{label}: with args the command is one program, spaces and all"
        form.warn(command.where, said, "move the rest to args")
    if arguments is not None and "shell" in fields:
        form.warn(fields["shell"].named, f"{label}: with args there is no shell", "leave it out")
    words_of = arguments.plain() if arguments is not None else None
    for severity, said, fix in wiring.misspelt(commands.programs(text_of(command), words_of)):
        form.say(command.where, f"{label}: {said}", fix, severity)
    found = commands.calls(text_of(command), words_of)
    for words in found:
        for severity, said, fix in commands.remarks(event, words):
            form.say(command.where, f"{label}: {said}", fix, severity)
        if event in DECIDING and any(name in fields and fields[name].value for name in ("async", "asyncRewake")):
            form.say(command.where, f"{label}: an async hook decides nothing", "take async away", ERROR)
    return found
