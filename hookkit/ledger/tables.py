"""The index of the ledger: a row is its text and its chained hash, and every column is generated from the text.

All of it is made from the journals and the sealed segments, and can be made again. So
a new schema needs no migration: it gets a new file name, and the rows are read again.
"""

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
    said = " || ' ' || ".join(f"coalesce(json_extract({row}.body, '$.{name}'), '')" for name in SPOKEN)
    return f"iif(json_valid({row}.body), {said}, '')"


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
