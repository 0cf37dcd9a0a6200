"""The tokens and the cost of a session, its sub-agents included, summed from its transcripts as they grow.

The sums and the places up to which the transcripts are read stand in a file of the session, so each event reads only
the new lines.
"""

import os
import stat

from hookkit.agents.transcripts import dict_in, number, text_in
from hookkit.agents.transcripts.reader import USAGE
from hookkit.errors import HookkitError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


PRICES = {
    "claude-opus-4-0": (15.0, 18.75, 1.5, 75.0),
    "claude-opus-4-1": (15.0, 18.75, 1.5, 75.0),
    "claude-opus-4-2025": (15.0, 18.75, 1.5, 75.0),
    "claude-opus": (5.0, 6.25, 0.5, 25.0),
    "claude-3-opus": (15.0, 18.75, 1.5, 75.0),
    "claude-sonnet": (3.0, 3.75, 0.3, 15.0),
    "claude-3-7-sonnet": (3.0, 3.75, 0.3, 15.0),
    "claude-3-5-sonnet": (3.0, 3.75, 0.3, 15.0),
    "claude-haiku": (1.0, 1.25, 0.1, 5.0),
    "claude-3-5-haiku": (0.8, 1.0, 0.08, 4.0),
    "claude-3-haiku": (0.25, 0.3, 0.03, 1.25),
}
DEAREST = max(PRICES.values(), key=sum)
MILLION = 1_000_000


def dollars(model: str, usage: list[int]) -> float:
    """The cost of a usage: input, cache writes, cache reads, output."""
    starts = [start for start in PRICES if model.startswith(start)]
    row = PRICES[max(starts, key=len)] if starts else DEAREST
    return sum(count * price for count, price in zip(usage, row, strict=True)) / MILLION


FOLDER = "budgets"
LIMIT = 1 << 20  # bytes of the state
BLOCK = 16 << 20  # bytes of transcripts read at an event; the next event goes on
RECENT = 40  # messages whose usage may still grow: a reply is spread over several lines
AGENTS = 200  # transcripts of sub-agents


class Spending:
    """The sums of a session: tokens by model, and the memory for warnings and failures."""

    def __init__(self, environ: dict[str, str], session: str) -> None:
        state = files.state_dir(environ)
        self.path = os.path.join(state, FOLDER, files.safe_name(session)) if state and session else ""
        known = jsons.read_own(self.path, LIMIT) or {} if self.path else {}
        self.places: dict[str, int] = _numbers(known.get("places"))
        self.sums: dict[str, list[int]] = _sums(known.get("sums"))
        self.recent: dict[str, list[Any]] = known["recent"] if isinstance(known.get("recent"), dict) else {}
        self.told: list[str] = [str(one) for one in known["told"]] if isinstance(known.get("told"), list) else []
        self.failed: list[Any] = known["failed"] if isinstance(known.get("failed"), list) else ["", 0]
        self.left = BLOCK

    @property
    def tokens(self) -> int:
        return sum(sum(usage) for usage in self.sums.values())

    @property
    def dollars(self) -> float:
        return sum(dollars(model, usage) for model, usage in self.sums.items())

    def take(self, transcript: str) -> None:
        """Add the new lines of the session's transcript, and of its sub-agents' transcripts."""
        if not os.path.isabs(transcript):
            return
        folder = os.path.join(transcript.removesuffix(".jsonl"), "subagents")
        try:
            names = sorted(name for name in os.listdir(folder) if name.endswith(".jsonl"))[:AGENTS]
        except OSError:
            names = []
        for path in (transcript, *(os.path.join(folder, name) for name in names)):
            self._lines(path)

    def _lines(self, path: str) -> None:
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except (OSError, ValueError):
            return
        try:
            info = os.fstat(handle)
            start = self.places.get(path, 0)
            start = start if start <= info.st_size else 0  # written anew
            if not stat.S_ISREG(info.st_mode) or start == info.st_size or self.left <= 0:
                return
            data = os.pread(handle, self.left, start)
        finally:
            os.close(handle)
        end = data.rfind(b"\n") + 1 or (len(data) if len(data) == self.left else 0)
        self.left -= end
        self.places[path] = start + end
        for line in data[:end].split(b"\n"):
            if b'"usage"' in line:
                self._line(path, line)

    def _line(self, path: str, line: bytes) -> None:
        """The lines of a reply have the same id, each with the usage so far: the last line counts."""
        try:
            entry = jsons.loads(line)
        except HookkitError:
            return
        message = dict_in(entry, "message") if isinstance(entry, dict) and entry.get("type") == "assistant" else {}
        usage, model = dict_in(message, "usage"), text_in(message, "model")[:100]
        if not usage or not model or model.startswith("<"):
            return
        counts = [number(usage.get(name)) for name in USAGE]
        key = f"{path}:{text_in(message, 'id')}"
        before = self.recent.pop(key, None) if text_in(message, "id") else None
        sums = self.sums.setdefault(model, [0] * len(USAGE))
        for at, count in enumerate(counts):
            sums[at] += count - (before[at] if before else 0)
        self.recent[key] = counts
        while len(self.recent) > RECENT:
            del self.recent[next(iter(self.recent))]

    def keep(self) -> None:
        if not self.path:
            return
        folder = os.path.dirname(self.path)
        files.private_dir(os.path.dirname(folder))
        files.private_dir(folder)
        names = ("places", "sums", "recent", "told", "failed")
        files.write(self.path, jsons.dumps({name: getattr(self, name) for name in names}).encode())


def _numbers(value: object) -> dict[str, int]:
    return {str(name): number(count) for name, count in value.items()} if isinstance(value, dict) else {}


def _sums(value: object) -> dict[str, list[int]]:
    rows = value.items() if isinstance(value, dict) else ()
    return {
        str(name): [number(one) for one in row]
        for name, row in rows
        if isinstance(row, list) and len(row) == len(USAGE)
    }
