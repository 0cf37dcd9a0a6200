"""Rows of the ledger reach the disk a moment after the answer: an agent need not wait for the disk.

The end of a turn and all else in `journal.TURNS` are synced before the answer, as without the server.
"""

import contextlib
import os
from concurrent.futures import ThreadPoolExecutor

from hookkit.ledger import journal
from hookkit.system import error_log


class Syncing:
    """One thread for the journals of all sessions."""

    def __init__(self, environ: dict[str, str]) -> None:
        self.environ = environ
        self.due: set[str] = set()  # journals whose turn has not come
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="sync")

    def open(self) -> None:
        journal.sync_later = self._put

    def close(self) -> None:
        """All that is due is synced before the end."""
        journal.sync_later = None
        self.thread.shutdown(wait=True)

    def _put(self, path: str, due: str) -> None:
        if path not in self.due:
            self.due.add(path)
            with contextlib.suppress(RuntimeError):  # the server ends; the next row of the session syncs this one
                self.thread.submit(self._sync, path, due)

    def _sync(self, path: str, due: str) -> None:
        self.due.discard(path)  # a row that comes from now on is due again
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                journal.sync_group(path, handle, due)
            finally:
                os.close(handle)
        except FileNotFoundError:
            return  # sealed meanwhile, and synced there
        except OSError as error:
            error_log.try_to_record(self.environ, "ledger", error)
