"""Reads the client's transcript of a session: prompts and calls, the recent conversation, the size of the context.

The format is the client's own and changes without notice: every field is checked, unknown lines are skipped. Time is
short (the end of a session leaves a second), so irrelevant lines are recognised by their bytes, and reading stops at a
deadline.
"""

import gc
import os
import stat
import time

from hookkit.agents.transcripts import TEXT, Prompt, ToolUse, blocks, dict_in, excerpt, number, text_in, texts, typed
from hookkit.errors import EventError
from hookkit.system import jsons
from hookkit.system.masking import mask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO

    from hookkit.model import Event


BLOCK = 1 << 20
LINE = 4 << 20  # longer lines are images or dumps, not prompts
SHORTEST = 20  # bytes of the smallest entry
LARGE = 2 << 20  # bytes of a transcript that takes long to read
TAIL = 1 << 21  # bytes read from the end after the deadline
# Seconds to read: the client ends SessionEnd hooks after 1.5 s, and a person waits for the compaction.
SECONDS = {"SessionEnd": 0.45, "PreCompact": 1.0}
KINDS = (b"user", b"assistant", b"attachment")
USAGE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
# Of the recent conversation, and of the size of the model's context.
RECENT = 1 << 20  # bytes read from the end of the transcript
SPEAKERS = {"user": "User", "assistant": "Assistant"}
# Bytes to read from the end, more if there was no answer in them: the last line may hold a picture.
TAILS = (256 * 1024, 2 * 1024 * 1024, 16 * 1024 * 1024)
TRILLION = 10**12  # no context window is as large: larger numbers are ignored
# Bytes of a relevant line: an answer, or the summary that replaced an older context.
ANSWER, FOLDED = b'"usage"', b'"isCompactSummary"'


class Transcript:
    """The session so far. `read` of `size` bytes were looked at; `oversized` lines were too long to be."""

    __slots__ = ("_awaited", "branch", "calls", "end", "oversized", "prompts", "read", "size", "start", "usage")

    def __init__(self, size: int) -> None:
        self.size = size
        self.read = 0
        self.oversized = 0
        self.prompts: list[Prompt] = []
        self.calls: dict[str, ToolUse] = {}
        self.usage: dict[str, tuple[str, list[int]]] = {}
        self.start = self.end = self.branch = ""
        self._awaited: set[str] = set()  # calls whose result is needed even without a failure

    @property
    def is_whole(self) -> bool:
        return self.read >= self.size and not self.oversized

    def add(self, lines: list[bytes]) -> None:
        for line in lines:
            if not self._matters(line):
                continue
            try:
                entry = jsons.loads(line)
            except EventError:
                continue  # half-written or damaged: go on with the next line
            if isinstance(entry, dict):
                self._entry(entry)

    def _matters(self, line: bytes) -> bool:
        """False only if the bytes prove that the line has no prompt, call or failure.

        A quote inside a JSON text is always escaped, so `"word"` in the bytes is a key or a value, never prose.
        """
        if len(line) < SHORTEST:
            return False
        if line[:9] == b'{"type":"' and line[9 : line.find(b'"', 9)] not in KINDS:
            return False
        head = line[:400]
        if b'"attachment":{' in head.partition(b'"message"')[0]:
            return b'"queued_command"' in head
        if not self._awaited and b'"user"' in head and b'"tool_result"' in line:
            return line.count(b'"is_error"') > line.count(b'"is_error":false')
        return len(line) > 1

    def _entry(self, entry: dict[str, object]) -> None:
        kinds = {"user": self._user, "assistant": self._assistant, "attachment": self._attachment}
        handle = kinds.get(text_in(entry, "type"))
        if handle is None:
            return
        at = text_in(entry, "timestamp")[:40]
        self.start = self.start or at
        self.end = at or self.end
        self.branch = text_in(entry, "gitBranch")[:200] or self.branch
        handle(entry, at)

    def _attachment(self, entry: dict[str, object], at: str) -> None:
        """A prompt typed while the agent works arrives as an attachment."""
        attachment = dict_in(entry, "attachment")
        if attachment.get("commandMode") not in (None, "prompt") or attachment.get("isMeta"):
            return
        if attachment.get("type") == "queued_command":
            self._prompt(attachment.get("prompt"), at)

    def _assistant(self, entry: dict[str, object], at: str) -> None:
        """A reply is spread over lines with the same id, each with the usage so far: the last line counts."""
        message = dict_in(entry, "message")
        usage = dict_in(message, "usage")
        model = text_in(message, "model")[:100]
        if usage and model and not model.startswith("<"):
            key = text_in(message, "id") or f"#{len(self.usage)}"
            self.usage[key] = (model, [number(usage.get(name)) for name in USAGE])
        for block in blocks(message.get("content")):
            name = text_in(block, "name")
            if block.get("type") != "tool_use" or not name:
                continue
            key = text_in(block, "id") or f"#{len(self.calls)}"
            if key not in self.calls:
                self.calls[key] = ToolUse(name, dict_in(block, "input"), at)
                if name == "TaskCreate":
                    self._awaited.add(key)

    def _user(self, entry: dict[str, object], at: str) -> None:
        content = dict_in(entry, "message").get("content")
        results = [block for block in blocks(content) if block.get("type") == "tool_result"]
        for block in results:
            self._result(block, entry)
        if not results and not any(entry.get(flag) for flag in ("isMeta", "isCompactSummary", "isSidechain")):
            self._awaited.clear()  # a new turn: calls without a result get none any more
            self._prompt(content, at)

    def _result(self, block: dict[str, object], entry: dict[str, object]) -> None:
        key = text_in(block, "tool_use_id")
        call = self.calls.get(key)
        if call is None:
            return
        if key in self._awaited:
            self._awaited.discard(key)
            call.task = text_in(dict_in(dict_in(entry, "toolUseResult"), "task"), "id")[:40]
        if block.get("is_error") is True:
            call.failed = True
            call.error = excerpt("\n".join(texts(block.get("content"))))

    def _prompt(self, content: object, at: str) -> None:
        text = "\n".join(filter(None, map(typed, texts(content))))
        if text:
            self.prompts.append(Prompt(text, at))


class Uncollected:
    """Garbage collection is off meanwhile: a transcript has no cycles, and the search takes a third of the time."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._before:
            gc.enable()


def transcript_of(event: "Event") -> Transcript | None:
    """The transcript of an event, read once for all hooks of the event: together they take no longer than one."""
    if event.transcript is None:
        with Uncollected():
            event.transcript = read(event.text("transcript_path"), SECONDS[event.name])
    transcript: Transcript | None = event.transcript
    return transcript


def is_large(event: "Event") -> bool:
    """Whether reading the transcript would keep the server's other callers waiting."""
    try:
        return os.stat(event.text("transcript_path")).st_size > LARGE
    except (OSError, ValueError):
        return False


def read(path: str, seconds: float) -> Transcript | None:
    """The transcript as far as the time allows, always with its end; None if there is no such file.

    The path comes from outside, so a directory, a device or a FIFO is refused.
    """
    stop = time.monotonic() + seconds
    try:
        handle = os.open(os.path.expanduser(path), os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (OSError, ValueError):  # ValueError: no file can have this path
        return None
    info = os.fstat(handle)
    if not stat.S_ISREG(info.st_mode):
        os.close(handle)
        return None
    transcript = Transcript(info.st_size)
    with open(handle, "rb", buffering=0) as file:
        _fill(transcript, file, stop)
    return transcript


def _fill(transcript: Transcript, file: "FileIO", stop: float) -> None:
    """The beginning up to the deadline, then the end: only the middle is left out."""
    for lines in _lines(file, transcript, stop):
        transcript.add(lines)
    if transcript.read < transcript.size:
        file.seek(max(transcript.read, transcript.size - TAIL))
        tail = file.read(TAIL)
        transcript.read += len(tail)
        transcript.add(tail.split(b"\n")[1:])


def _lines(file: "FileIO", transcript: Transcript, stop: float) -> "Iterator[list[bytes]]":
    """Lines in blocks, with at most a block and a line in memory."""
    rest, dropping = b"", False
    while time.monotonic() < stop:
        block = file.read(BLOCK)
        if not block:
            yield [rest]
            return
        transcript.read += len(block)
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        if dropping and lines:
            del lines[0]
            dropping = False
        if len(rest) > LINE and not dropping:
            transcript.oversized += 1
            dropping = True
        if dropping:
            rest = b""
        yield lines


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
    for line in reversed(tail(path, RECENT)[0].split(b"\n")):
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


def context_tokens(path: str) -> int:
    """Tokens in the window at the last answer of the main conversation; 0 if unknown."""
    for size in TAILS:
        end, is_whole = tail(path, size)
        count = _last_count(end)
        if count is not None or is_whole:
            return count or 0
    return 0


def _last_count(data: bytes) -> int | None:
    """Searched from the end, back to the last compaction: an older context is gone."""
    for line in reversed(data.split(b"\n")):
        if ANSWER not in line and FOLDED not in line:
            continue
        try:
            entry = jsons.loads(line)
        except EventError:
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


def _count(entry: object) -> int:
    if not isinstance(entry, dict) or entry.get("type") != "assistant" or entry.get("isSidechain"):
        return 0
    usage = dict_in(dict_in(entry, "message"), "usage")
    return sum(value for name in USAGE if isinstance(value := usage.get(name), int) and 0 < value < TRILLION)
