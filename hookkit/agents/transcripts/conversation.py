"""The recent conversation of a session, and how much of the model's context it fills."""

import os
import stat

from hookkit.agents.transcripts import TEXT, dict_in, texts, typed
from hookkit.errors import EventError, HookkitError
from hookkit.system import jsons
from hookkit.system.masking import mask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


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
        text = "\n".join(filter(None, texts(dict_in(entry, "message").get("content")))).strip()
        text = typed(text) if speaker == "User" else text
        if text:
            yield speaker, text


# Bytes to read from the end, more if there was no answer in them: the last line may hold a picture.
TAILS = (256 * 1024, 2 * 1024 * 1024, 16 * 1024 * 1024)
COUNTED = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
TRILLION = 10**12  # no context window is as large: larger numbers are ignored
# Bytes of a relevant line: an answer, or the summary that replaced an older context.
ANSWER, FOLDED = b'"usage"', b'"isCompactSummary"'


def tokens(path: str) -> int:
    """Tokens in the window at the last answer of the main conversation; 0 if unknown."""
    for size in TAILS:
        end, is_whole = tail(path, size)
        count = _last(end)
        if count is not None or is_whole:
            return count or 0
    return 0


def _last(tail: bytes) -> int | None:
    """Searched from the end, back to the last compaction: an older context is gone."""
    for line in reversed(tail.split(b"\n")):
        if ANSWER not in line and FOLDED not in line:
            continue
        try:
            entry = jsons.loads(line)
        except HookkitError:
            continue  # half a line at either end
        if isinstance(entry, dict) and entry.get("isCompactSummary") is True:
            return 0
        count = _count(entry)
        if count:
            return count
    return None


def tail(path: str, size: int) -> tuple[bytes, bool]:
    """The end of the file, and whether this is the whole file; an unreadable file is empty."""
    if not os.path.isabs(path):
        return b"", True
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return b"", True
    try:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode):
            return b"", True
        return os.pread(handle, size, max(0, info.st_size - size)), info.st_size <= size
    finally:
        os.close(handle)


def _count(entry: "Any") -> int:
    if not isinstance(entry, dict) or entry.get("type") != "assistant" or entry.get("isSidechain"):
        return 0
    message = entry.get("message")
    usage = message.get("usage") if isinstance(message, dict) else None
    if not isinstance(usage, dict):
        return 0
    return sum(value for name in COUNTED if isinstance(value := usage.get(name), int) and 0 < value < TRILLION)
