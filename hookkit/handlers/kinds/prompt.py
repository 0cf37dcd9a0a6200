"""A question to a language model about the event: to `claude -p`, the Messages API, or an OpenAI-compatible server.

Every provider returns the text of the model's answer, {"ok": true} or {"ok": false, "reason": "…"}. A verdict is
looked for in any text around it: the rest of an object whose start was given, a whole object, an object in a fence.
"""

import time

from hookkit.errors import EventError, HandlerError
from hookkit.handlers import replies
from hookkit.handlers.handler import INSIDE, HandlerCall
from hookkit.handlers.kinds import webhook
from hookkit.handlers.replies import Reply
from hookkit.system import jsons
from hookkit.system.masking import mask
from hookkit.system.user_programs import ProgramResult, UserProgram

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


SYSTEM = 'Return only valid JSON: {"ok": true} or {"ok": false, "reason": "..."}'
AGENT = (
    "You are a verification agent. Analyze the operation and return JSON: "
    '{"ok": true} or {"ok": false, "reason": "..."}'
)
PREFIX = "{"  # the start of the assistant's answer: the model can only go on with JSON
SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["ok"],
    "additionalProperties": False,
}
TURNS = 50
TOOLS = "Read,Grep,Glob"

BASES = {"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com/v1"}
KEYS = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
MODELS = {"anthropic": "claude-haiku-4-5", "openai": "gpt-4.1-mini"}
TOKENS = 1024
VERSION = "2023-06-01"
EXPECTED = 'expected {"ok": true} or {"ok": false, "reason": "…"}'
REFUSED = 400  # newer models refuse a request that starts their answer
VERDICTS = ("ok", "nudge", "pass")  # a field of these makes an object a verdict
HISTORY = "The end of the conversation so far:\n{text}\n\n"
CHARACTERS = 8_000  # of the conversation
LONGEST = 100_000  # characters of an answer
MOST_OBJECTS = 200
LONGEST_ERROR = 300  # characters of a server's own message


def provider(call: HandlerCall) -> str:
    return str(call.settings.values.get("llm.provider", "claude"))


def question(call: HandlerCall) -> str:
    """The handler's prompt with the event in place of $ARGUMENTS, or after the prompt."""
    text: str = call.handler.body["prompt"]
    event = call.json().decode()
    asked = text.replace("$ARGUMENTS", event) if "$ARGUMENTS" in text else f"{text}\n\n{event}"
    return _history(call) + asked


def _history(call: HandlerCall) -> str:
    """The recent conversation, for a prompt handler: an agent handler can look for itself."""
    most = int(call.settings.values.get("llm.history", CHARACTERS))
    if call.handler.kind != "prompt" or not most:
        return ""
    from hookkit.agents.transcripts import reader

    text = reader.recent(call.event.text("transcript_path"), most)
    return HISTORY.format(text=text) if text else ""


# -- claude -p ---------------------------------------------------------------------------------------------------------


def program(call: HandlerCall, *, agent: bool = False) -> tuple[UserProgram, bytes] | None:
    """`claude -p` with hooks off, so that it cannot call hookkit again; an agent gets tools that only read."""
    if provider(call) != "claude":
        return None
    words = [
        str(call.settings.values.get("llm.command", "claude")), "-p", "--output-format", "json", "--json-schema",
        jsons.dumps(SCHEMA), "--settings", '{"disableAllHooks":true}', "--strict-mcp-config",
        "--no-session-persistence", "--tools", TOOLS if agent else "",
    ]  # fmt: skip
    words += ["--max-turns", str(TURNS), "--allowedTools", TOOLS, "--append-system-prompt", AGENT] if agent else []
    words += ["--system-prompt", SYSTEM] if not agent else []
    name = model(call, "")
    words += ["--model", name] if name else []
    text = "exec " + " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    environ = {**call.environ, INSIDE: "1"}
    return UserProgram(text, call.event.cwd, environ, call.handler.seconds), question(call).encode("utf-8", "replace")


def finish(_: HandlerCall, result: ProgramResult) -> Reply:
    from hookkit.handlers.kinds import command

    checked = ProgramResult(1 if result.code == command.DENIED else result.code, b"", result.stderr, result.problem)
    command.reply(checked, "", parse=False)  # raises for a failure; an exit code of claude is no verdict
    try:
        value = jsons.loads(result.stdout)
    except EventError as error:
        raise HandlerError(f"the answer of claude is {error}") from None
    if not isinstance(value, dict) or value.get("is_error"):
        answer = value.get("result") if isinstance(value, dict) else ""
        raise HandlerError(f"claude failed: {str(answer)[:200]}")
    output = value.get("structured_output")
    return verdict(output if isinstance(output, dict) else str(value.get("result", "")))


# -- over HTTP ---------------------------------------------------------------------------------------------------------


def run(call: HandlerCall) -> Reply:
    """One question to a server."""
    name = provider(call)
    if name == "anthropic":
        return verdict(_anthropic(call))
    schema = {"type": "json_schema", "json_schema": {"name": "verdict", "schema": SCHEMA}}
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question(call)}]
    body = {"model": model(call, name), "messages": messages, "response_format": schema}
    return verdict(_first(post(call, name, "/chat/completions", body), "choices", "message", "content"))


def _anthropic(call: HandlerCall) -> str:
    """The answer, with its start where the model was given one; a model that refuses this is asked again without."""
    end = time.monotonic() + call.handler.seconds
    asked = [{"role": "user", "content": question(call)}]
    body: dict[str, Any] = {"model": model(call, "anthropic"), "max_tokens": TOKENS, "system": SYSTEM}
    body["messages"] = [*asked, {"role": "assistant", "content": PREFIX}]
    try:
        return PREFIX + _first(post(call, "anthropic", "/v1/messages", body), "content", "text")
    except RefusedError:
        body["messages"] = asked
        left = max(0.1, end - time.monotonic())
        return _first(post(call, "anthropic", "/v1/messages", body, left), "content", "text")


class RefusedError(HandlerError):
    """The server calls the request itself wrong."""


def post(
    call: HandlerCall, name: str, path: str, body: "dict[str, Any]", seconds: "float | None" = None
) -> "dict[str, Any]":
    values, environ = call.settings.values, call.settings.environ
    base = str(values.get("llm.base_url", "")) or BASES[name]
    key = environ.get(str(values.get("llm.key_env", "")) or KEYS[name], "")
    headers = {"content-type": "application/json"}
    if name == "anthropic":
        headers |= {"x-api-key": key, "anthropic-version": VERSION}
    elif key:
        headers["authorization"] = f"Bearer {key}"
    url, content = base.rstrip("/") + path, jsons.dumps(body).encode()
    status, raw = webhook.exchange("POST", url, headers, content, seconds or call.handler.seconds)
    if status not in webhook.OK:
        kind = RefusedError if status == REFUSED else HandlerError
        raise kind(f"the model's server answered {status}{_error(raw)}")
    try:
        value = jsons.loads(raw)
    except EventError as error:
        raise HandlerError(f"the answer of the model's server is {error}") from None
    return value if isinstance(value, dict) else {}


def _error(raw: bytes) -> str:
    """The server's own message, such as ": model not found"."""
    text = raw.decode("utf-8", "replace")
    try:
        value = jsons.loads(raw)
    except EventError:
        value = None
    inner = value.get("error", value.get("message")) if isinstance(value, dict) else None
    inner = inner.get("message") if isinstance(inner, dict) else inner
    message = " ".join((inner if isinstance(inner, str) else text).split())
    return f": {mask(message)[:LONGEST_ERROR]}" if message else ""


def model(call: HandlerCall, name: str) -> str:
    return str(call.handler.body.get("model") or call.settings.values.get("llm.model") or MODELS.get(name, ""))


def _first(value: "Any", rows: str, *path: str) -> str:
    try:
        text = value[rows][0]
        for name in path:
            text = text[name]
    except (LookupError, TypeError):
        raise HandlerError(f"the answer of the model's server has no {rows}") from None
    return str(text)


def verdict(answer: "str | dict[str, Any]") -> Reply:
    """The strictest verdict in the answer: a model may repeat words of the event, and thereby another verdict."""
    values = [answer] if isinstance(answer, dict) else _objects(answer)
    values = [value for value in values if any(name in value for name in VERDICTS)]
    if not values:
        raise HandlerError(f"the model gave no verdict; {EXPECTED}, not {_start(answer)}")
    rejections = [value for value in values if value.get("ok", value.get("pass", True)) is not True]
    return replies.of_value((rejections or values)[0], "")


def _objects(text: str) -> "list[dict[str, Any]]":
    """The JSON objects of a text that are not inside one another."""
    import json  # late: only here an object may have text after it

    decoder = json.JSONDecoder()
    objects: list[dict[str, Any]] = []
    text = text[:LONGEST]
    start = text.find("{")
    for _ in range(MOST_OBJECTS):
        if start < 0:
            break
        try:
            value, end = decoder.raw_decode(text, start)
            objects.append(value)
        except (ValueError, RecursionError):
            end = start + 1
        start = text.find("{", end)
    return objects


def _start(answer: object) -> str:
    return repr(mask(str(answer))[:80])
