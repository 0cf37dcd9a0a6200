"""Rows that the hub lacks, read from the ledger's files in the order in which they were written.

The journals and segments are the buffer: nothing is queued a second time. `heads` says, for each chain, the last row
that the hub has confirmed.
"""

import os
from fnmatch import fnmatchcase

from hookkit.ledger import journal, lines, places, segments
from hookkit.ledger.lines import FIRST, chained
from hookkit.ledger.who import remote
from hookkit.server.fleet import batch
from hookkit.server.fleet.batch import BRANCH, BROKEN, GAP, ITSELF, NEXT, Section
from hookkit.system import files, git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

Head = tuple[int, str]
EVERY = "*"


class RowFile:
    """A journal or a segment: its lines by writer, oldest first."""

    __slots__ = ("name", "path", "runs")

    def __init__(self, name: str, data: bytes, path: str = "") -> None:
        self.name = name
        self.path = path
        self.runs: dict[str, list[tuple[int, bytes]]] = {}
        for line in data.split(b"\n"):
            row = lines.split(line)
            if row is not None:
                self.runs.setdefault(row[2], []).append((row[1], line))


def ends(environ: dict[str, str]) -> dict[str, Head]:
    """The last row of every open journal, from its last line alone."""
    heads: dict[str, Head] = {}
    for path in places.paths(environ):
        row = _end(path)
        if row is not None:
            heads[row[2]] = max(heads.get(row[2], (0, "")), (row[1], row[0]))
    return heads


def _end(path: str) -> tuple[str, int, str] | None:
    try:
        handle = places.open_(path)
    except OSError:
        return None
    try:
        return journal.last(handle)
    except (OSError, journal.SpoiltError):
        return None
    finally:
        os.close(handle)


def all_ends(environ: dict[str, str]) -> dict[str, int]:
    """The last number of every chain, sealed ones too: rows up to there are from before joining."""
    numbers = {writer: head[0] for writer, head in ends(environ).items()}
    for name in segments.names(environ):
        try:
            spans = segments.spans(segments.read(environ, name))
        except (segments.SegmentError, OSError):
            continue
        for writer, n in spans.items():
            numbers[writer] = max(n, numbers.get(writer, 0))
    return numbers


class Unsent:
    """Finds sections to send. `heads` is changed by the sender as the hub confirms rows."""

    def __init__(self, environ: dict[str, str], heads: dict[str, Head], before: dict[str, int]) -> None:
        self.environ = environ
        self.heads = heads
        self.before = before
        self.parts: Collection[bytes] = batch.LEVELS["calls"]
        self.projects: Collection[str] = (EVERY,)
        self.allowed: dict[str, bool] = {}  # by writer
        self.remotes: dict[str, str] = {}  # by directory

    def sources(self, done: "Collection[str]") -> "Iterator[RowFile]":
        """Segments that were not sent, then journals with a row that the hub lacks. Journals are synced first."""
        for name in segments.names(self.environ):
            if name not in done:
                try:
                    yield RowFile(name, segments.read(self.environ, name))
                except (segments.SegmentError, OSError):
                    continue  # `hookkit ledger verify` tells
        for path in places.paths(self.environ):
            end = _end(path)
            if end is None or self.heads.get(end[2]) == (end[1], end[0]):
                continue
            try:
                with open(places.open_(path), "rb") as file:
                    data = segments.whole_lines(file.fileno())
                    files.sync(file.fileno())
            except OSError:
                continue  # sealed meanwhile: its segment comes the next time
            yield RowFile("", data, path)

    def section(self, writer: str, run: list[tuple[int, bytes]], most: int) -> Section | None:
        """The next rows of a chain in one source; None if the hub has all of them, or they stay."""
        least = self.before.get(writer, 0)
        n, known = self.heads.get(writer, (0, ""))
        if not self._may_leave(writer, run):
            return None
        start = next((at for at, (number, _) in enumerate(run) if number > max(n, least)), None)
        at_head = next((line for number, line in run if number == n), None)
        if known and at_head is not None and at_head[:64].decode("ascii", "replace") != known:
            start, how = next((at for at, (number, _) in enumerate(run) if number > least), None), BRANCH
        else:
            how = NEXT if not known or (start is not None and run[start][0] == n + 1) else GAP
        return self._made(writer, run, start, how, most) if start is not None else None

    def _made(self, writer: str, run: list[tuple[int, bytes]], start: int, how: str, most: int) -> Section:
        """Rows without a gap between them, at most `most`; a row that does not fit its hash is sent alone."""
        first = run[start][0]
        before = self._before(writer, run, start)
        rows: list[bytes] = []
        last = before
        for number, line in run[start : start + most]:
            right = last.removeprefix(ITSELF) if last.startswith(ITSELF) else chained(last, lines.text_of(line))
            own = line[:64].decode("ascii", "replace")
            if number != first + len(rows) or (own != right and rows):
                break
            rows.append(batch.reduced(line, self.parts))
            last = own
            if own != right:
                how = BROKEN if how == NEXT else how
                break
        return Section(writer, how, first, before, last, rows)

    def _before(self, writer: str, run: list[tuple[int, bytes]], start: int) -> str:
        first, line = run[start]
        if first == 1:
            return FIRST
        if start and run[start - 1][0] == first - 1:
            return run[start - 1][1][:64].decode("ascii", "replace")
        n, known = self.heads.get(writer, (0, ""))
        return known if n == first - 1 else ITSELF + line[:64].decode("ascii", "replace")

    # -- projects ------------------------------------------------------------------------------------------------------

    def _may_leave(self, writer: str, run: list[tuple[int, bytes]]) -> bool:
        """By the git remote of the session's project. A chain leaves whole or not at all, so that it can be checked."""
        if EVERY in self.projects:
            return True
        if writer not in self.allowed:
            name = self._remote(run)
            self.allowed[writer] = any(fnmatchcase(name, pattern) for pattern in self.projects) if name else False
        return self.allowed[writer]

    def _remote(self, run: list[tuple[int, bytes]]) -> str:
        for _, line in run[:200]:
            row = lines.row(line) or {}
            who = row.get("who")
            if isinstance(who, dict) and isinstance(who.get("remote"), str):
                return str(who["remote"])
            project = row.get("project")
            if isinstance(project, str) and os.path.isdir(project):
                if project not in self.remotes:
                    url = git.identity(project, self.environ).get("remote.origin.url", "")
                    self.remotes[project] = remote(url)
                return self.remotes[project]
        return ""
