"""A row of the ledger for readers: its fields, its outcome, its subject."""

import json
from typing import Any

from hookkit.ledger.tables import ENDINGS, REQUEST

scanned = json.JSONDecoder().raw_decode  # `json.loads` looks for blanks first, by a pattern
OUTCOMES = {"deny": "denied", "ask": "asked", "defer": "deferred"}


class Entry:
    """A row; for a call's request, also the row of the outcome."""

    __slots__ = ("anchor", "body", "hash", "id", "outcome")

    def __init__(self, number: int, digest: str, body: str) -> None:
        self.id = self.anchor = number  # the row found by the search, maybe the outcome's
        self.hash = digest
        self.body = fields(body)
        self.outcome: Entry | None = None

    def get(self, name: str) -> Any:
        """A field of the request, or else of the outcome."""
        value = self.body.get(name)
        return value if value is not None or self.outcome is None else self.outcome.body.get(name)

    @property
    def state(self) -> str:
        """The outcome of a call; empty for other events."""
        last = self.outcome if self.outcome is not None else self
        event = last.body.get("event")
        if event in ENDINGS:
            return "denied" if event == "PermissionDenied" else str(last.body.get("outcome", "done"))
        if event == REQUEST:
            return OUTCOMES.get(str(self.body.get("verdict")), "unfinished")
        return ""

    @property
    def key(self) -> str:
        """A short name of the row for a person to type after `hookkit ledger show`."""
        return str(self.id)

    @property
    def rewritten(self) -> str:
        """The command that ran in place of the requested command."""
        changed = self.body.get("changed")
        command = changed.get("command") if isinstance(changed, dict) else None
        return command if isinstance(command, str) else ""

    @property
    def subject(self) -> str:
        """The call in a line: the command, with its rewrite, or the path, or the input."""
        found = self._subject()
        return f"{found} → {self.rewritten}" if self.rewritten and found != self.rewritten else found

    def _subject(self) -> str:
        given = self.body.get("input")
        more = self.body.get("more")
        for text in (
            given.get("command") if isinstance(given, dict) else None,
            self.get("path"),
            json.dumps(given, ensure_ascii=False) if given else None,
            next((value for value in more.values() if isinstance(value, str)), None)
            if isinstance(more, dict)
            else None,
        ):
            if isinstance(text, str) and text:
                return text
        return ""


def fields(body: str) -> dict[str, Any]:
    """A tampered row may no longer be JSON; show the row all the same."""
    try:
        found, end = scanned(body)
    except (ValueError, RecursionError):
        found, end = None, 0
    if end != len(body):
        found = None
    if "\\ud" in body:
        found = _whole(found)
    return found if isinstance(found, dict) else {"event": "unreadable", "more": {"text": body}}


def _whole(value: Any) -> Any:
    """Without lone surrogates: neither a screen nor the database takes them."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_whole(name): _whole(item) for name, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value
