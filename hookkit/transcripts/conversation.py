"""The last words of person and model, for a handler that asks a model about an event."""

from hookkit.errors import EventError
from hookkit.masking import mask
from hookkit.system import jsons
from hookkit.transcripts.entries import TEXT, dict_in, texts, typed
from hookkit.transcripts.usage import tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

BYTES = 1 << 20  # read from the end of the transcript
SPEAKERS = {"user": "User", "assistant": "Assistant"}


def recent(path: str, most: int) -> str:
    """The end of the conversation, oldest text first, with secrets masked; at most `most` characters."""
    lines: list[str] = []
    for speaker, text in _backwards(path):
        line = f"{speaker}: {mask(text)[:TEXT]}"
        most -= len(line) + 1
        if most < 0:
            break
        lines.append(line)
    return "\n".join(reversed(lines))


def _backwards(path: str) -> "Iterator[tuple[str, str]]":
    """Speaker and text, the last one first."""
    for line in reversed(tail(path, BYTES)[0].split(b"\n")):
        try:
            entry = jsons.loads(line)
        except EventError:
            continue  # an empty line, or half a line at either end
        speaker = SPEAKERS.get(str(entry.get("type"))) if isinstance(entry, dict) else None
        if speaker is None or entry.get("isSidechain") or entry.get("isMeta"):
            continue
        said = "\n".join(filter(None, texts(dict_in(entry, "message").get("content")))).strip()
        said = typed(said) if speaker == "User" else said
        if said:
            yield speaker, said
