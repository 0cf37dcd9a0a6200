"""The tool calls in a transcript of Claude Code."""

from hookkit.agents.transcripts.entries import blocks, dict_in, text_in
from hookkit.agents.transcripts.past_calls import PastCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "projects"
MARKS = (b'"tool_use"',)


def calls(entry: dict[str, object], _state: dict[str, str]) -> "Iterator[PastCall]":
    if entry.get("type") != "assistant":
        return
    for block in blocks(dict_in(entry, "message").get("content")):
        name = text_in(block, "name")
        if block.get("type") == "tool_use" and name:
            cwd, session = text_in(entry, "cwd"), text_in(entry, "sessionId")
            call = PastCall("claude", name, dict_in(block, "input"), cwd=cwd, session=session)
            call.at, call.id = text_in(entry, "timestamp")[:40], text_in(block, "id")
            yield call
