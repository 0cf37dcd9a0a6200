"""Erase the content of rows: a leaked secret, or a person's request. The chain still holds, and says what is gone.

The register names the rows first. Then each file is written anew without their content, and the index is made again. An
erasure that was interrupted is finished by running it again: until then content may remain, but no row is in doubt.
"""

import os
import time

from hookkit.ledger import lines, places, register, row_index, segments, upkeep
from hookkit.system import database, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NOTED = 5_000  # rows in a line of the register


class Erasure:
    """`session` and `text` choose rows; a row has to match both, if both are given."""

    def __init__(self, environ: dict[str, str], *, session: str = "", text: str = "") -> None:
        self.environ = environ
        self.session = session
        self.text = text.casefold()
        self.rows = 0
        self.now = int(time.time() * 1000)  # one time for all rows, so that `verify` counts them together
        self.left: set[str] = set()  # fields with the text that are part of the chain, and stay

    def matches(self, line: bytes) -> bool:
        row = lines.row(line)
        if row is None or (self.session and not str(row.get("session", "")).startswith(self.session)):
            return False
        if not self.text:
            return b"\t" in line
        fields = {name: str(value).casefold() for name, value in row.items()}
        named = [name for name, value in fields.items() if self.text in value]
        self.left.update(name for name in named if name not in lines.PARTS)
        return any(name in lines.PARTS for name in named)

    def count(self) -> int:
        """How many rows would lose their content."""
        sealed = (segments.read(self.environ, name) for name in segments.names(self.environ))
        return sum(len(self._chosen(data)) for data in (*sealed, *segments.journals(self.environ)))

    def run(self, tell: "Callable[[int], None] | None" = None) -> int:
        """Erase, while there is no index: whoever interrupts this leaves no copy of the content in it."""
        upkeep.rebuild(self.environ, tell, change=self._files)
        return self.rows

    def _files(self) -> None:
        root, aside = places.root(self.environ), os.path.basename(row_index.path_of(self.environ)) + row_index.ASIDE
        for name in os.listdir(root):
            if name.startswith(aside):
                os.unlink(os.path.join(root, name))  # an index that `repair` has put aside
        with segments.Lock(self.environ, database.WAIT):
            for name in segments.names(self.environ):
                data = segments.read(self.environ, name)
                if (new := self._erased(data)) != data:
                    segments.write(self.environ, new, name)
            for path in places.paths(self.environ):
                self._journal(path)

    def _chosen(self, data: bytes) -> list[bytes]:
        return [line for line in data.split(b"\n") if not lines.is_erased(line) and self.matches(line)]

    def _erased(self, data: bytes) -> bytes:
        """The same lines, those that match without their content; the register knows before."""
        chosen = self._chosen(data)
        names = [f"{row[2]}:{row[1]}" for line in chosen if (row := lines.split(line)) is not None]
        for start in range(0, len(names), NOTED):
            register.note(self.environ, register.ERASED, *names[start : start + NOTED])
        self.rows += len(chosen)
        gone = set(chosen)
        return b"\n".join(lines.erase(line, self.now) if line in gone else line for line in data.split(b"\n"))

    def _journal(self, path: str) -> None:
        """A hook that waits for the lock finds the new file afterwards."""
        handle = places.open_(path)
        try:
            if not files.lock(handle, database.WAIT):
                raise database.BusyError(f"{path}: in use by another process")
            data = segments.whole_lines(handle)
            if (new := self._erased(data)) != data:
                files.keep(path, new, 0o600)
        finally:
            os.close(handle)
