"""The ledger's database: a row is its text and its chained hash, and every column is generated from the text.

So an edit can only be made in the text. All other tables can be rebuilt from the rows.
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
# The filters' indexes hold each other's columns: a pair of filters with few common rows is answered without the text.
MIGRATIONS = (
    f"""CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
{_COLUMNS}
  body TEXT NOT NULL
);
CREATE UNIQUE INDEX entries_chain ON entries (w, n);
CREATE INDEX entries_at ON entries (at);
CREATE INDEX entries_session ON entries (session, at);
CREATE INDEX entries_call ON entries (call, event, session) WHERE call IS NOT NULL;
CREATE TABLE journals (path TEXT PRIMARY KEY, first TEXT NOT NULL, offset INTEGER NOT NULL, bad INTEGER NOT NULL);
CREATE TABLE pruned (w TEXT PRIMARY KEY, n INTEGER NOT NULL, hash TEXT NOT NULL);
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)""",
    """CREATE INDEX entries_event ON entries (event, at, tool, verdict, actor);
CREATE INDEX entries_tool ON entries (tool, at, verdict, actor, event) WHERE tool IS NOT NULL;
CREATE INDEX entries_verdict ON entries (verdict, at, tool, actor, event, project) WHERE verdict IS NOT NULL;
CREATE INDEX entries_actor ON entries (actor, at, tool, verdict, event) WHERE actor IS NOT NULL;
CREATE INDEX entries_project ON entries (project, at, tool, actor, event) WHERE project IS NOT NULL;
CREATE INDEX entries_kind ON entries (kind, at) WHERE kind IS NOT NULL""",
    f"""CREATE VIRTUAL TABLE texts USING fts5(text, content='', detail=none, tokenize='unicode61 remove_diacritics 2');
INSERT INTO texts(rowid, text) SELECT {MARK}, {TEXT} FROM entries""",  # noqa: S608 - names of ours alone
    f"""CREATE TABLE unfinished (id INTEGER PRIMARY KEY, at INTEGER);
CREATE INDEX unfinished_at ON unfinished (at);
INSERT INTO unfinished SELECT id, at FROM entries WHERE {OPEN}""",  # noqa: S608 - names of ours alone
    # journals: the writer, hash and place of the last folded line. chains: the end of each chain at the last fold.
    # incidents: journals found cut, emptied or exchanged. anchors: see `anchors`.
    # Two rows may share a number, if a journal was restored from an old copy: both are kept, and found by verify.
    """DROP TABLE journals;
CREATE TABLE journals (path TEXT PRIMARY KEY, first TEXT NOT NULL, offset INTEGER NOT NULL, bad INTEGER NOT NULL,
w TEXT NOT NULL, last TEXT NOT NULL, start INTEGER NOT NULL);
CREATE TABLE chains (w TEXT PRIMARY KEY, n INTEGER NOT NULL, hash TEXT NOT NULL);
CREATE TABLE incidents (text TEXT PRIMARY KEY, w TEXT NOT NULL, at INTEGER NOT NULL);
CREATE TABLE anchors (id TEXT PRIMARY KEY, at INTEGER NOT NULL, heads BLOB NOT NULL);
DROP INDEX entries_chain;
CREATE UNIQUE INDEX entries_chain ON entries (w, n, substr(hash, 1, 16));
INSERT INTO chains SELECT w, max(n), hash FROM entries WHERE w IS NOT NULL GROUP BY w""",
)
