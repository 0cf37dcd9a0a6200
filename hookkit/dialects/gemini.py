"""Gemini CLI: a verdict stands at the top of the reply, a rewrite replaces the whole input."""

import sys

from hookkit.dialects import _limits, _reading
from hookkit.dialects._tools import GEMINI
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "gemini", "Gemini CLI", "0.61.0"
PROGRAMS = ("gemini",)
HOME, HOME_VARIABLE = ".gemini", ""
# PreCompress is left out: Gemini sends it before every model call, whether it compresses or not.
EVENTS = {
    "SessionStart": "SessionStart",
    "BeforeAgent": "UserPromptSubmit",
    "BeforeTool": "PreToolUse",
    "AfterTool": "PostToolUse",
    "AfterAgent": "Stop",
    "Notification": "Notification",
    "SessionEnd": "SessionEnd",
}
WIRED = tuple(name for name in EVENTS if name != "Notification")
TOOLS = GEMINI
CONFIG = (("user", "settings.json", "claude"), ("project", ".gemini/settings.json", "claude"))
TIMEOUT = ("timeout", 1000, 60)
TRUST = "With `security.folderTrust` on, the folder must be trusted."
CAN = {
    "PreToolUse": "allow ask deny rewrite message",
    "PostToolUse": "deny context message",
    "UserPromptSubmit": "deny context message",
    "SessionStart": "context message",
    "Stop": "deny message",
    "SessionEnd": "message",
}
NOTES = (
    "Text for the model before a tool comes with the tool's result.",
    "In `gemini -p`, a question of hookkit ends the whole run; with `policy.unattended` it is a deny instead.",
    "A failed command looks like a successful one: its exit code is not sent.",
)


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    variables = ("GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR")
    event = _reading.plain(sys.modules[__name__], value, environ, usual, here, *variables)
    response = event.fields.get("prompt_response")
    if isinstance(response, str):
        event.fields["last_assistant_message"] = response
    return event


def render(event: Event, decision: Decision) -> str:
    said = _limits.limited(event, decision, CAN, TITLE)
    reply: dict[str, object] = {}
    own: dict[str, object] = {}
    if said.verdict is not None:
        reply |= {"decision": said.verdict, "reason": said.reason}
    if said.verdict == "ask":  # the dialog shows no reason
        said.message = "\n".join(text for text in (said.reason, said.message) if text)
    if said.message:
        reply["systemMessage"] = said.message
    if said.updated_input is not None:
        own["tool_input"] = said.updated_input
    if said.context:
        own["additionalContext"] = said.context
    if own:
        reply["hookSpecificOutput"] = {"hookEventName": event.origin.event, **own}
    return dumps(reply) if reply else ""
