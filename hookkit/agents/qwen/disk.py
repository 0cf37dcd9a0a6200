"""What Qwen Code keeps on disk: its transcripts."""

from hookkit.agents.transcripts import blocks, dict_in, text_in
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
            yield translated(
                "qwen", text_in(used, "name"), dict_in(used, "args"), cwd=text_in(entry, "cwd"),
                session=text_in(entry, "sessionId"), at=text_in(entry, "timestamp"), id_=text_in(used, "id"),
            )  # fmt: skip
