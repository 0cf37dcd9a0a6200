"""The tool calls in a transcript of Qwen Code."""

from hookkit.agents.transcripts.entries import blocks, dict_in, text_in
from hookkit.agents.transcripts.past_calls import PastCall, translated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "projects"
MARKS = (b'"functionCall"',)


def calls(entry: dict[str, object], _state: dict[str, str]) -> "Iterator[PastCall]":
    if entry.get("type") != "assistant":
        return
    for part in blocks(dict_in(entry, "message").get("parts")):
        used = dict_in(part, "functionCall")
        if text_in(used, "name"):
            call = translated("qwen", text_in(used, "name"), dict_in(used, "args"), text_in(entry, "cwd"))
            call.session = text_in(entry, "sessionId")
            call.at, call.id = text_in(entry, "timestamp")[:40], text_in(used, "id")
            yield call
