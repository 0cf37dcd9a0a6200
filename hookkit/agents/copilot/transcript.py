"""The tool calls in a transcript of GitHub Copilot CLI."""

from hookkit.agents.transcripts.entries import dict_in, text_in
from hookkit.agents.transcripts.past_calls import PastCall, translated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "session-state"
MARKS = (b'"tool.execution_start"', b'"session.start"')


def calls(entry: dict[str, object], state: dict[str, str]) -> "Iterator[PastCall]":
    data = dict_in(entry, "data")
    if entry.get("type") == "session.start":
        state["cwd"] = text_in(dict_in(data, "context"), "cwd")
        state["session"] = text_in(data, "sessionId") or state["session"]
    elif entry.get("type") == "tool.execution_start" and text_in(data, "toolName"):
        call = translated("copilot", text_in(data, "toolName"), dict_in(data, "arguments"), state["cwd"])
        call.session = state["session"]
        call.at, call.id = text_in(entry, "timestamp")[:40], text_in(data, "toolCallId")
        yield call
