"""The index of the ledger: a row is its text and its chained hash, and every column is generated from the text.

`Entry` reads a row of it. All of it is made from the journals and the sealed segments, and can be made again. So
a new schema needs no migration: it gets a new file name, and the rows are read again.
"""

import json
from typing import Any

from hookkit.ledger import lines

REQUEST = "PreToolUse"
# Events ending a call: rows linked to the request by the call's id.
ENDINGS = ("PostToolUse", "PostToolUseFailure", "PermissionDenied")
ENDED = ", ".join(f"'{name}'" for name in ENDINGS)
SETTLED = "'deny', 'ask', 'defer'"  # verdicts after which a missing outcome is normal

_COLUMNS = "\n".join(
    f"  {name} {kind} GENERATED ALWAYS AS (CASE WHEN json_valid(body) THEN json_extract(body, '$.{name}') END) VIRTUAL,"
    for name, kind in (
        ("w", "TEXT"), ("n", "INTEGER"), ("at", "INTEGER"), ("event", "TEXT"), ("session", "TEXT"), ("call", "TEXT"),
        ("tool", "TEXT"), ("verdict", "TEXT"), ("actor", "TEXT"), ("kind", "TEXT"), ("project", "TEXT"),
    )
)  # fmt: skip
# Fields searched by `--text`: words a person may remember.
SPOKEN = ("input.command", "path", "error", "reason", "rule", "more.prompt", "more.message")


def text_of(row: str) -> str:
    """A damaged text, no longer JSON, has no words."""
    spoken = " || ' ' || ".join(f"coalesce(json_extract({row}.body, '$.{name}'), '')" for name in SPOKEN)
    return f"iif(json_valid({row}.body), {spoken}, '')"


TEXT = text_of("entries")
# A row's number among the texts begins with its time, so the newest matches are found first.
MARK = "((CASE WHEN at BETWEEN 0 AND 4398046511103 THEN at ELSE 0 END) << 20 | (id & 1048575))"
# A call whose outcome is not here yet.
OPEN = f"""+event = '{REQUEST}' AND call IS NOT NULL AND coalesce(verdict, '') NOT IN ({SETTLED}) AND NOT EXISTS
(SELECT 1 FROM entries o INDEXED BY entries_call
WHERE o.call = entries.call AND o.event IN ({ENDED}) AND o.session IS entries.session)"""  # noqa: S608 - names of ours alone
# sources: an open journal, known by the hash of its first line, or a sealed segment, known by its name. `length` is how
# far it was read; `last` is the hash of the line that ended there, and `start` the place of that line.
# The filters' indexes hold each other's columns: a pair of filters with few common rows is answered without the text.
SCHEMA = f"""CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  source INTEGER NOT NULL,
{_COLUMNS}
  body TEXT NOT NULL
);
CREATE UNIQUE INDEX entries_chain ON entries (w, n, substr(hash, 1, 16));
CREATE INDEX entries_source ON entries (source);
CREATE INDEX entries_at ON entries (at);
CREATE INDEX entries_session ON entries (session, at);
CREATE INDEX entries_call ON entries (call, event, session) WHERE call IS NOT NULL;
CREATE INDEX entries_event ON entries (event, at, tool, verdict, actor);
CREATE INDEX entries_tool ON entries (tool, at, verdict, actor, event) WHERE tool IS NOT NULL;
CREATE INDEX entries_verdict ON entries (verdict, at, tool, actor, event, project) WHERE verdict IS NOT NULL;
CREATE INDEX entries_actor ON entries (actor, at, tool, verdict, event) WHERE actor IS NOT NULL;
CREATE INDEX entries_project ON entries (project, at, tool, actor, event) WHERE project IS NOT NULL;
CREATE INDEX entries_kind ON entries (kind, at) WHERE kind IS NOT NULL;
CREATE VIRTUAL TABLE texts USING fts5(text, content='', detail=none, tokenize='unicode61 remove_diacritics 2');
CREATE TABLE unfinished (id INTEGER PRIMARY KEY, at INTEGER);
CREATE INDEX unfinished_at ON unfinished (at);
CREATE TABLE sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, is_sealed INTEGER NOT NULL,
length INTEGER NOT NULL, bad INTEGER NOT NULL, last TEXT NOT NULL, start INTEGER NOT NULL);
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)"""
MIGRATIONS = (SCHEMA,)


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
    def has_acted(self) -> bool:
        """Whether hookkit stopped, asked about, approved or changed the call."""
        return bool(self.get("verdict") or self.body.get("changed") or self.body.get("stopped"))

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
        text = self._subject()
        return f"{text} → {self.rewritten}" if self.rewritten and text != self.rewritten else text

    def _subject(self) -> str:
        given = self.body.get("input")
        command = given.get("command") if isinstance(given, dict) else None
        if isinstance(command, str) and command:
            return command
        more = self.body.get("more")
        for text in (
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
        value, end = scanned(body)
    except (ValueError, RecursionError):
        value, end = None, 0
    if end != len(body):
        value = None
    if "\\ud" in body:
        value = _whole(value)
    return lines.whole(value) if isinstance(value, dict) else {"event": "unreadable", "more": {"text": body}}


def _whole(value: Any) -> Any:
    """Without lone surrogates: neither a screen nor the database takes them."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_whole(name): _whole(item) for name, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value
