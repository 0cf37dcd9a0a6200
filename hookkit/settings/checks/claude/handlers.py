"""A hook's handler in the client's settings: the fields of each type, the events of each type.

Which hookkit commands a line calls is read here, too.
"""

import re
from difflib import SequenceMatcher

from hookkit import registry
from hookkit.events import EVENTS
from hookkit.settings.checks.claude import permissions
from hookkit.settings.documents.finding import ERROR, WARNING, Element, shown
from hookkit.settings.documents.kinds import DocumentChecker, text_of
from hookkit.shell.resolve import Resolution
from hookkit.system.suggestions import closest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.settings.documents.kinds import Fields

    Remark = tuple[str, str, str]  # severity, message, fix


OPTIONS = ("--on-error", "--actor", "--agent", "--hooks", "--limit")
FLAGS = ("--later",)  # options without a value
INTERPRETER = re.compile(r"(^|/)python[\d.]*$")  # before the path of a script
PROGRAMS = ("hookkit", "hookkit-hook")  # the command, and the shim of the warm server
LAUNCHER = "/hookkit/hook"  # the end of the launcher script's path
ON_ERROR = ("open", "ask", "deny")


def calls(command: str, arguments: list[str] | None) -> list[list[str]]:
    """The words after each `hookkit` in the command, also under a wrapper such as env."""
    lines = (script(words) for words in programs(command, arguments))
    return [words[1:] for words in lines if words and is_program(words[0])]


def script(words: list[str]) -> list[str]:
    """The words without Python in front and its options: `python -IS /bin/hookkit run` runs hookkit."""
    if not words or not INTERPRETER.search(words[0]):
        return words
    return words[2:] if words[1:2] in (["-E"], ["-ES"], ["-I"], ["-IS"]) else words[1:]


def is_program(name: str) -> bool:
    return name.rpartition("/")[2] in PROGRAMS or name.endswith(LAUNCHER)


def programs(command: str, arguments: list[str] | None) -> list[list[str]]:
    """The words of every program that the command would run."""
    if arguments is not None:
        return [[command, *arguments]]
    return [simple.words for simple in Resolution(command, directory="/", home="/").commands]


def is_hook(name: str) -> bool:
    return name == "run" or registry.exists("hooks", name)


def remarks(event: str, words: list[str]) -> "Iterator[Remark]":
    hooks = ["run", *registry.names("hooks")]
    name = words[0] if words else ""
    if name not in hooks:
        yield _stranger(name, hooks)
        return
    if name != "run" and event not in registry.find("hooks", name).EVENTS:
        answers = ", ".join(registry.find("hooks", name).EVENTS)
        yield ERROR, f"hookkit {name} never answers {event}", f"it answers {answers}"
    elif name == "redirect":
        message = "hookkit redirect alone approves a project's own commands, also in a project that you do not trust"
        yield WARNING, message, 'wire hookkit run, or set redirect.allow = "trusted"'
    yield from _options(words[1:])


def _stranger(name: str, hooks: list[str]) -> "Remark":
    people = [other.replace("_", "-") for other in registry.names("cli")]
    if name in people:
        return ERROR, f"hookkit {name} is a command for people: it answers no event", "did you mean hookkit run?"
    close = closest(name, hooks)
    message = f"there is no hookkit {shown(name)}" if name else "hookkit without a command answers no event"
    return ERROR, message, f"did you mean hookkit {close or 'run'}?"


def _options(words: list[str]) -> "Iterator[Remark]":
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if word in FLAGS:
            continue
        if name not in OPTIONS:
            close = closest(name, OPTIONS)
            yield WARNING, f"hookkit has no option {shown(name)}", f"did you mean {close}?" if close else ""
            if close and not equals:
                next(rest, "")
            continue
        value = value if equals else next(rest, "")
        if name == "--on-error" and value not in ON_ERROR:
            yield ERROR, f"--on-error takes {', '.join(ON_ERROR)}, not {shown(value)!r}", ""


NAME = "hookkit"
CLOSE = 0.75
EVERY = ("custom", "track", "record")  # these hooks answer every event
EXPECTED = [name for name, row in EVENTS.items() if set(row.hooks) - set(EVERY)]


def misspelt(acts: list[list[str]]) -> "Iterator[Remark]":
    """A program with nearly our name, and a hook as its first word: the client finds no such program, and goes on."""
    for words in acts:
        name = words[0].rpartition("/")[2]
        is_ours = len(words) > 1 and is_hook(words[1])
        if is_ours and not is_program(name) and SequenceMatcher(None, name.lower(), NAME).ratio() >= CLOSE:
            yield ERROR, f"there is no program {shown(name)}", f"did you mean {NAME} {words[1]}?"


def lonely(events: "list[str]") -> "Iterator[Remark]":
    """`events` are the events with `hookkit run`; a single one leaves most of hookkit without a call."""
    if len(set(events)) == 1 and events[0] in EXPECTED:
        missing = ", ".join(name for name in EXPECTED if name != events[0])
        message = f"hookkit run is wired on {events[0]} only, and would also answer {missing}"
        yield WARNING, message, "run: hookkit init"


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
            message = f"{label}: a handler with if never runs on {event}"
            file.say(fields["if"].named, message, f"if works on {', '.join(WITH_IF)}")
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
    for at, severity, message, fix in permissions.remarks(text_of(element), verdict):
        file.inside(element, at, f"{shown(text_of(element))}: {message}", fix, severity)


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
        message = f"{label}: with args the whole command is the name of one program"
        file.warn(command.where, message, "move the other words to args")
    if arguments is not None and "shell" in fields:
        file.warn(fields["shell"].named, f"{label}: with args there is no shell", "remove shell")
    words_of = arguments.plain() if arguments is not None else None
    for severity, message, fix in misspelt(programs(text_of(command), words_of)):
        file.say(command.where, f"{label}: {message}", fix, severity)
    hook_calls = calls(text_of(command), words_of)
    for words in hook_calls:
        for severity, message, fix in remarks(event, words):
            file.say(command.where, f"{label}: {message}", fix, severity)
        if event in DECIDING and any(name in fields and fields[name].value for name in ("async", "asyncRewake")):
            file.say(command.where, f"{label}: the client ignores the decision of an async hook", "remove async", ERROR)
    return hook_calls
