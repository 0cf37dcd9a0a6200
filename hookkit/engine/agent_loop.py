"""A checking agent over an API: the model may read, search and list files of the project, at most 50 turns."""

import time

from hookkit.engine import models, reading_tools
from hookkit.engine.handler import HandlerCall
from hookkit.engine.replies import Reply
from hookkit.errors import EventError, HandlerError, HandlerTimeoutError
from hookkit.system import jsons
from hookkit.system.programs import LATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Message = dict[str, Any]

TOKENS = 4096


def run(call: HandlerCall, provider: str) -> Reply:
    """Ask, run the tools that the model calls, and ask again, until the model gives its verdict."""
    end = time.monotonic() + call.handler.seconds
    messages: list[Message] = [{"role": "user", "content": models.prompt(call)}]
    if provider != "anthropic":
        messages.insert(0, {"role": "system", "content": models.AGENT})
    step = _anthropic if provider == "anthropic" else _openai
    for _ in range(models.TURNS):
        said = step(call, messages)
        if said is not None:
            return models.verdict(said)
        if time.monotonic() > end:
            raise HandlerTimeoutError(f"{LATE} {call.handler.seconds:g} s")
    raise HandlerError(f"the agent gave no verdict in {models.TURNS} turns")


def _anthropic(call: HandlerCall, messages: "list[Message]") -> str | None:
    """One turn with the Messages API: the model's text, or None after its tools have run."""
    body = {
        "model": models.model(call, "anthropic"), "max_tokens": TOKENS, "system": models.AGENT, "messages": messages,
        "tools": [{"name": name, "description": about, "input_schema": schema}
                  for name, about, schema in reading_tools.TOOLS],
    }  # fmt: skip
    answer = models.post(call, "anthropic", "/v1/messages", body)
    blocks = answer.get("content")
    blocks = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    calls = [block for block in blocks if block.get("type") == "tool_use"]
    if not calls:
        return "".join(str(block.get("text", "")) for block in blocks)
    results = [
        {"type": "tool_result", "tool_use_id": block.get("id"),
         "content": reading_tools.run(call, str(block.get("name")), block.get("input"))}
        for block in calls
    ]  # fmt: skip
    messages += [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]
    return None


def _openai(call: HandlerCall, messages: "list[Message]") -> str | None:
    """The same with an OpenAI-compatible server."""
    tools = [
        {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}
        for name, about, schema in reading_tools.TOOLS
    ]
    body = {"model": models.model(call, "openai"), "messages": messages, "tools": tools}
    answer = models.post(call, "openai", "/chat/completions", body)
    try:
        message = answer["choices"][0]["message"]
        calls = message.get("tool_calls") or []
        asked = [(one["id"], one["function"]["name"], one["function"]["arguments"]) for one in calls]
    except (LookupError, TypeError, AttributeError):
        raise HandlerError("the answer of the model's server has no choices") from None
    if not asked:
        return str(message.get("content") or "")
    messages.append(message)
    for identity, name, arguments in asked:
        content = reading_tools.run(call, str(name), _arguments(arguments))
        messages.append({"role": "tool", "tool_call_id": identity, "content": content})
    return None


def _arguments(text: object) -> object:
    try:
        return jsons.loads(str(text).encode("utf-8", "replace"))
    except EventError:
        return None
