"""The tables of sessions, efforts and tasks: each migration leads to the next version of work.db."""

MIGRATIONS = (
    """CREATE TABLE tasks (
  id INTEGER PRIMARY KEY, dir TEXT NOT NULL UNIQUE, project TEXT NOT NULL, title TEXT NOT NULL, keywords TEXT NOT NULL,
  created INTEGER NOT NULL
);
CREATE TABLE efforts (
  id INTEGER PRIMARY KEY, task INTEGER NOT NULL REFERENCES tasks, project TEXT NOT NULL, agent TEXT NOT NULL,
  skill TEXT NOT NULL, mode TEXT NOT NULL, ordinal INTEGER NOT NULL, phase TEXT NOT NULL DEFAULT '',
  lifecycle TEXT NOT NULL DEFAULT 'active' CHECK (lifecycle IN ('active', 'finished')),
  directives TEXT NOT NULL DEFAULT '[]', metadata TEXT NOT NULL DEFAULT '{}', preload TEXT NOT NULL DEFAULT '[]',
  loaded TEXT NOT NULL DEFAULT '[]', dehydrated TEXT NOT NULL DEFAULT '', created INTEGER NOT NULL, finished INTEGER
);
CREATE INDEX efforts_active ON efforts (project, agent, id) WHERE lifecycle = 'active';
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY, effort INTEGER REFERENCES efforts, client TEXT NOT NULL, part TEXT NOT NULL DEFAULT '',
  kind TEXT NOT NULL DEFAULT '', agent TEXT NOT NULL, project TEXT NOT NULL, previous INTEGER, source TEXT NOT NULL,
  heartbeat INTEGER NOT NULL DEFAULT 0, blocked INTEGER NOT NULL DEFAULT 0, usage REAL NOT NULL DEFAULT 0,
  warned INTEGER NOT NULL DEFAULT 0, loaded TEXT NOT NULL DEFAULT '[]', started INTEGER NOT NULL, ended INTEGER
);
CREATE INDEX sessions_client ON sessions (client, part, id);
CREATE INDEX sessions_effort ON sessions (effort, id);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY, effort INTEGER, session INTEGER, at INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX messages_effort ON messages (effort, id);
CREATE TABLE injections (id INTEGER PRIMARY KEY, effort INTEGER NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL)""",
    """ALTER TABLE sessions ADD COLUMN status TEXT NOT NULL DEFAULT 'done';
ALTER TABLE sessions ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN note TEXT NOT NULL DEFAULT ''""",
    """ALTER TABLE sessions ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET seen = max(since, started);
CREATE INDEX sessions_open ON sessions (project, agent) WHERE ended IS NULL""",
    """ALTER TABLE sessions ADD COLUMN preloaded TEXT NOT NULL DEFAULT '[]';
ALTER TABLE sessions ADD COLUMN window INTEGER NOT NULL DEFAULT 0""",
)
