"""Language models that give a verdict: `claude -p`, the Anthropic Messages API, or an OpenAI-compatible server.

Every provider returns the text of the model's answer, {"ok": true} or {"ok": false, "reason": "…"}.
"""

from hookkit.engine import batch, http, replies
from hookkit.engine.handler import HandlerCall
from hookkit.engine.replies import Reply
from hookkit.errors import EventError, HandlerError
from hookkit.system import jsons
from hookkit.system.programs import ProgramResult, UserProgram

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


def provider(call: HandlerCall) -> str:
    return str(call.settings.values.get("llm.provider", "claude"))


def prompt(call: HandlerCall) -> str:
    """The handler's prompt with the event in place of $ARGUMENTS, or after the prompt."""
    text: str = call.handler.body["prompt"]
    event = call.json().decode()
    return text.replace("$ARGUMENTS", event) if "$ARGUMENTS" in text else f"{text}\n\n{event}"


# -- claude -p ---------------------------------------------------------------------------------------------------------


def program(call: HandlerCall, *, agent: bool) -> tuple[UserProgram, bytes]:
    """`claude -p` with hooks off, so that it cannot call hookkit again; an agent gets tools that only read."""
    words = [
        str(call.settings.values.get("llm.command", "claude")), "-p", "--output-format", "json", "--json-schema",
        jsons.dumps(SCHEMA), "--settings", '{"disableAllHooks":true}', "--strict-mcp-config",
        "--no-session-persistence", "--tools", TOOLS if agent else "",
    ]  # fmt: skip
    words += ["--max-turns", str(TURNS), "--allowedTools", TOOLS, "--append-system-prompt", AGENT] if agent else []
    words += ["--system-prompt", SYSTEM] if not agent else []
    named = model(call, "")
    words += ["--model", named] if named else []
    text = "exec " + " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    environ = {**call.environ, batch.INSIDE: "1"}
    return UserProgram(text, call.event.cwd, environ, call.handler.seconds), prompt(call).encode("utf-8", "replace")


def finish(result: ProgramResult) -> Reply:
    from hookkit.handlers import command

    checked = ProgramResult(1 if result.code == command.DENIED else result.code, b"", result.stderr, result.problem)
    command.reply(checked, "", parse=False)  # raises for a failure; an exit code of claude is no verdict
    try:
        value = jsons.loads(result.stdout)
    except EventError as error:
        raise HandlerError(f"the answer of claude is {error}") from None
    if not isinstance(value, dict) or value.get("is_error"):
        said = value.get("result") if isinstance(value, dict) else ""
        raise HandlerError(f"claude failed: {str(said)[:200]}")
    found = value.get("structured_output")
    return verdict(found if isinstance(found, dict) else str(value.get("result", "")))


# -- over HTTP ---------------------------------------------------------------------------------------------------------


def ask(call: HandlerCall, name: str) -> Reply:
    """One question to a server."""
    if name == "anthropic":
        return verdict(PREFIX + text_of_anthropic(call, [{"role": "user", "content": prompt(call)}]))
    schema = {"type": "json_schema", "json_schema": {"name": "verdict", "schema": SCHEMA}}
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt(call)}]
    body = {"model": model(call, name), "messages": messages, "response_format": schema}
    return verdict(_first(post(call, name, "/chat/completions", body), "choices", "message", "content"))


def text_of_anthropic(call: HandlerCall, messages: "list[dict[str, Any]]") -> str:
    started = [*messages, {"role": "assistant", "content": PREFIX}]
    body = {"model": model(call, "anthropic"), "max_tokens": TOKENS, "system": SYSTEM, "messages": started}
    return _first(post(call, "anthropic", "/v1/messages", body), "content", "text")


def post(call: HandlerCall, name: str, path: str, body: "dict[str, Any]") -> "dict[str, Any]":
    values, environ = call.settings.values, call.settings.environ
    base = str(values.get("llm.base_url", "")) or BASES[name]
    key = environ.get(str(values.get("llm.key_env", "")) or KEYS[name], "")
    headers = {"content-type": "application/json"}
    if name == "anthropic":
        headers |= {"x-api-key": key, "anthropic-version": VERSION}
    elif key:
        headers["authorization"] = f"Bearer {key}"
    exchange = http.Exchange("POST", base.rstrip("/") + path, headers, jsons.dumps(body).encode())
    status, raw = exchange.run(call.handler.seconds)
    if status not in http.OK:
        raise HandlerError(f"the model's server answered {status}")
    try:
        value = jsons.loads(raw)
    except EventError as error:
        raise HandlerError(f"the answer of the model's server is {error}") from None
    return value if isinstance(value, dict) else {}


def model(call: HandlerCall, name: str) -> str:
    return str(call.handler.body.get("model") or call.settings.values.get("llm.model") or MODELS.get(name, ""))


def _first(value: "Any", rows: str, *path: str) -> str:
    try:
        found = value[rows][0]
        for name in path:
            found = found[name]
    except (LookupError, TypeError):
        raise HandlerError(f"the answer of the model's server has no {rows}") from None
    return str(found)


def verdict(said: "str | dict[str, Any]") -> Reply:
    """The verdict; text around the JSON object is forgiven."""
    value: Any = said
    if isinstance(said, str):
        start, end = said.find("{"), said.rfind("}")
        try:
            value = jsons.loads(said[start : end + 1].encode("utf-8", "replace")) if 0 <= start < end else None
        except EventError:
            value = None
    if not isinstance(value, dict) or "ok" not in value:
        raise HandlerError('the model gave no verdict; expected {"ok": true} or {"ok": false, "reason": "…"}')
    return replies.of_value(value, "")
