"""A sub-agent that looks into the event, at most 50 turns; its verdict is like a prompt's.

With `claude -p` it has the client's own tools that only read; over an API it may read, search and list files of the
project.
"""

import os
import time

from hookkit.errors import EventError, HandlerError, HandlerTimeoutError
from hookkit.handlers.handler import HandlerCall
from hookkit.handlers.kinds import prompt
from hookkit.handlers.replies import Reply
from hookkit.system import files, jsons
from hookkit.system.globbing import walked
from hookkit.system.user_programs import LATE, ProgramResult, UserProgram

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Message = dict[str, Any]


LIMIT = 256 * 1024  # bytes read of one file
SHOWN = 20_000  # characters of one result
MOST = 100  # names or matches
LOOKED = 5_000  # files that one search opens
LONGEST_PATTERN = 200
TOKENS = 4096
TEXT = {"type": "string"}
TOOLS = (
    ("Read", "Read a text file of the project.",
     {"type": "object", "properties": {"file_path": TEXT}, "required": ["file_path"]}),
    ("Grep", "Find lines that contain a text, in the files of the project.",
     {"type": "object", "properties": {"pattern": TEXT, "path": TEXT}, "required": ["pattern"]}),
    ("Glob", "List files of the project by a pattern such as src/**/*.py.",
     {"type": "object", "properties": {"pattern": TEXT}, "required": ["pattern"]}),
)  # fmt: skip


def program(call: HandlerCall) -> tuple[UserProgram, bytes] | None:
    return prompt.program(call, agent=True)


def finish(call: HandlerCall, result: ProgramResult) -> Reply:
    return prompt.finish(call, result)


def use_tool(call: HandlerCall, name: str, given: object) -> str:
    """The result of a tool as text; a wrong call is told to the model."""
    values = given if isinstance(given, dict) else {}
    work = {"Read": _read, "Grep": _grep, "Glob": _glob}.get(name)
    if work is None:
        return f"there is no tool {name}"
    return work(call, values)[:SHOWN]


def _allowed(call: HandlerCall, path: object) -> str:
    """The path if it is inside the project or the session's transcript, else an empty text."""
    root = call.event.project
    if not isinstance(path, str) or not root or "\0" in path:
        return ""
    whole = os.path.join(root, path)
    is_transcript = whole == call.event.text("transcript_path") and whole.endswith(".jsonl")
    return whole if is_transcript or files.inside(whole, root) else ""


def _read(call: HandlerCall, values: "dict[str, Any]") -> str:
    path = _allowed(call, values.get("file_path"))
    if not path:
        return "this file is outside of the project"
    try:
        return files.read(path, LIMIT).decode("utf-8", "replace")
    except OSError as error:
        return f"cannot read it: {error.strerror or 'not a regular file'}"


def _grep(call: HandlerCall, values: "dict[str, Any]") -> str:
    pattern, below = values.get("pattern"), _allowed(call, values.get("path", "."))
    if not isinstance(pattern, str) or not pattern or len(pattern) > LONGEST_PATTERN or not below:
        return "give a pattern of 1 to 200 characters, and a path inside the project"
    lines: list[str] = []
    names = [""] if os.path.isfile(below) else list(walked(below, LOOKED))
    for name in names:
        path = os.path.join(below, name) if name else below
        for number, line in enumerate(_read(call, {"file_path": path}).split("\n"), 1):
            if pattern in line:
                lines.append(f"{name or path}:{number}: {line[:200]}")
            if len(lines) >= MOST:
                return "\n".join(lines)
    return "\n".join(lines) or "nothing found"


def _glob(call: HandlerCall, values: "dict[str, Any]") -> str:
    from fnmatch import fnmatchcase

    pattern = values.get("pattern")
    if not isinstance(pattern, str) or not call.event.project:
        return "give a pattern"
    flat = pattern.replace("**/", "*")
    names = walked(call.event.project, LOOKED)
    matches = [name for name in names if fnmatchcase(name, pattern) or fnmatchcase(name, flat)]
    return "\n".join(matches[:MOST]) or "nothing found"


def run(call: HandlerCall) -> Reply:
    """Ask, run the tools that the model calls, and ask again, until the model gives its verdict."""
    is_anthropic = prompt.provider(call) == "anthropic"
    end = time.monotonic() + call.handler.seconds
    messages: list[Message] = [{"role": "user", "content": prompt.question(call)}]
    if not is_anthropic:
        messages.insert(0, {"role": "system", "content": prompt.AGENT})
    step = _anthropic if is_anthropic else _openai
    for _ in range(prompt.TURNS):
        reply = step(call, messages)
        if reply is not None:
            return prompt.verdict(reply)
        if time.monotonic() > end:
            raise HandlerTimeoutError(f"{LATE} {call.handler.seconds:g} s")
    raise HandlerError(f"the agent gave no verdict in {prompt.TURNS} turns")


def _anthropic(call: HandlerCall, messages: "list[Message]") -> str | None:
    """One turn with the Messages API: the model's text, or None after its tools have run."""
    body = {
        "model": prompt.model(call, "anthropic"), "max_tokens": TOKENS, "system": prompt.AGENT, "messages": messages,
        "tools": [{"name": name, "description": about, "input_schema": schema}
                  for name, about, schema in TOOLS],
    }  # fmt: skip
    answer = prompt.post(call, "anthropic", "/v1/messages", body)
    blocks = answer.get("content")
    blocks = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    calls = [block for block in blocks if block.get("type") == "tool_use"]
    if not calls:
        return "".join(str(block.get("text", "")) for block in blocks)
    results = [
        {"type": "tool_result", "tool_use_id": block.get("id"),
         "content": use_tool(call, str(block.get("name")), block.get("input"))}
        for block in calls
    ]  # fmt: skip
    messages += [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]
    return None


def _openai(call: HandlerCall, messages: "list[Message]") -> str | None:
    """The same with an OpenAI-compatible server."""
    tools = [
        {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}
        for name, about, schema in TOOLS
    ]
    body = {"model": prompt.model(call, "openai"), "messages": messages, "tools": tools}
    answer = prompt.post(call, "openai", "/chat/completions", body)
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
        content = use_tool(call, str(name), _arguments(arguments))
        messages.append({"role": "tool", "tool_call_id": identity, "content": content})
    return None


def _arguments(text: object) -> object:
    try:
        return jsons.loads(str(text).encode("utf-8", "replace"))
    except EventError:
        return None
