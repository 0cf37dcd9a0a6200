-- Names in braces are replaced: {ingest}, {reader} and {all} are database roles of this hub.

CREATE TABLE teams (
  name text PRIMARY KEY,
  db_role name NOT NULL UNIQUE          -- leads of the team are members of this role
);

CREATE TABLE people (
  id serial PRIMARY KEY,
  name text NOT NULL UNIQUE,
  role text NOT NULL CHECK (role IN ('member', 'lead', 'security', 'approver', 'admin')),
  team text REFERENCES teams,
  db_role name NOT NULL UNIQUE,
  token bytea UNIQUE,                   -- SHA-256 of the secret in the person's browser or terminal
  made timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE invites (
  code bytea PRIMARY KEY,               -- SHA-256
  team text REFERENCES teams,
  person text,
  role text,                            -- empty: a code for machines
  expires timestamptz NOT NULL,
  uses integer NOT NULL                 -- how many more times
);

CREATE TABLE machines (
  id serial PRIMARY KEY,
  name text NOT NULL UNIQUE,            -- the random id that the machine made
  secret bytea NOT NULL,                -- SHA-256
  team text NOT NULL REFERENCES teams,
  team_role name NOT NULL,
  owner text NOT NULL DEFAULT '',
  owner_role name,
  host text NOT NULL DEFAULT '',
  version text NOT NULL DEFAULT '',
  is_ephemeral boolean NOT NULL DEFAULT false,
  joined timestamptz NOT NULL DEFAULT now(),
  seen timestamptz NOT NULL DEFAULT now(),
  gone timestamptz,                     -- when it left
  revoked timestamptz,
  skew bigint NOT NULL DEFAULT 0,       -- milliseconds that its clock is ahead of the hub's
  health jsonb NOT NULL DEFAULT '{}',
  policy text NOT NULL DEFAULT '',
  turn text NOT NULL DEFAULT '',
  turn_before text NOT NULL DEFAULT '',
  state text NOT NULL DEFAULT 'fine',
  since timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE chains (
  id serial PRIMARY KEY,
  machine integer NOT NULL REFERENCES machines,
  writer text NOT NULL,
  branch integer NOT NULL DEFAULT 0,    -- above 0: the machine sent another row under a known number
  start bigint NOT NULL,                -- the first row that was sent
  n bigint NOT NULL,                    -- the head: the last row, and its hash
  hash text NOT NULL,
  UNIQUE (machine, writer, branch)
);

CREATE TABLE sessions (
  id serial PRIMARY KEY,
  machine integer NOT NULL REFERENCES machines,
  name text NOT NULL,
  person text NOT NULL DEFAULT '',
  project text NOT NULL DEFAULT '',
  hookkit text NOT NULL DEFAULT '',
  client text NOT NULL DEFAULT '',
  is_attended boolean,
  is_tainted boolean NOT NULL DEFAULT false,
  is_held boolean NOT NULL DEFAULT false,
  began bigint NOT NULL,
  UNIQUE (machine, name)
);
CREATE INDEX sessions_project ON sessions (project) WHERE project <> '';
CREATE INDEX sessions_person ON sessions (person) WHERE person <> '';
CREATE INDEX sessions_unattended ON sessions (began) WHERE NOT is_attended;
CREATE INDEX sessions_tainted ON sessions (began) WHERE is_tainted;
CREATE INDEX sessions_name ON sessions (name);

-- A row's text is in `bodies`; here is what rows are found by. `call` is a number made from the client's id of a call.
CREATE TABLE rows (
  day date NOT NULL,                    -- of its arrival
  at bigint NOT NULL,                   -- milliseconds, by the machine's clock
  call bigint,
  chain integer NOT NULL,
  n integer NOT NULL,
  machine integer NOT NULL,
  session integer,
  ms integer,
  event text NOT NULL,
  tool text,
  verdict text,
  rule text,
  outcome text,
  approved text,
  about text
) PARTITION BY RANGE (day);
CREATE INDEX rows_chain ON rows (chain, n);
CREATE INDEX rows_session ON rows (session, at);
CREATE INDEX rows_machine ON rows (machine, at);
CREATE INDEX rows_at ON rows USING brin (at);
CREATE INDEX rows_call ON rows (call) WHERE call IS NOT NULL AND event <> 'PreToolUse';
CREATE INDEX rows_stopped ON rows (verdict, at) WHERE verdict IN ('deny', 'ask');
CREATE INDEX rows_words ON rows USING gin (to_tsvector('simple', about)) WHERE about IS NOT NULL;

-- Texts of up to 256 rows of a chain, one after the other, compressed. `before` is the hash that the first is chained to.
CREATE TABLE bodies (
  day date NOT NULL,
  machine integer NOT NULL,
  chain integer NOT NULL,
  first bigint NOT NULL,
  last bigint NOT NULL,
  before text NOT NULL,
  after text NOT NULL,
  data bytea NOT NULL
) PARTITION BY RANGE (day);
CREATE INDEX bodies_chain ON bodies (chain, first);

-- Rows of sessions on hold move here when their day is dropped.
CREATE TABLE rows_held PARTITION OF rows FOR VALUES FROM (MINVALUE) TO ('2000-01-01');
CREATE TABLE bodies_held PARTITION OF bodies FOR VALUES FROM (MINVALUE) TO ('2000-01-01');

-- Counts of each day: totals need no look at the rows.
CREATE TABLE sums (
  day date NOT NULL,
  machine integer NOT NULL,
  verdict text NOT NULL,
  rule text NOT NULL,
  rows bigint NOT NULL,
  PRIMARY KEY (day, machine, verdict, rule)
);

CREATE TABLE findings (
  id serial PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  machine integer NOT NULL REFERENCES machines,
  writer text NOT NULL DEFAULT '',
  n bigint NOT NULL DEFAULT 0,
  kind text NOT NULL,                   -- gap, rewritten, cut, damaged, copied
  what text NOT NULL,
  UNIQUE (machine, writer, n, kind)
);

CREATE TABLE reads (
  at timestamptz NOT NULL DEFAULT now(),
  person text NOT NULL,
  what text NOT NULL
);

-- -- who may do what --------------------------------------------------------------------------------------------------

GRANT USAGE ON SCHEMA {schema} TO {ingest}, {reader};
GRANT SELECT, INSERT, UPDATE ON machines, chains, sessions, sums TO {ingest};
GRANT SELECT, INSERT ON findings TO {ingest};
GRANT SELECT ON teams, people TO {ingest};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {ingest};
GRANT SELECT (id, name, team, team_role, owner, owner_role, host, version, is_ephemeral, joined, seen, gone, revoked,
  skew, health, policy, state, since) ON machines TO {reader};
GRANT SELECT ON chains, sessions, rows, bodies, sums, findings TO {reader};

ALTER TABLE machines ENABLE ROW LEVEL SECURITY;
CREATE POLICY taken_in ON machines TO {ingest} USING (true) WITH CHECK (true);
-- The one place that says who sees which machine. Everything else follows the machines that a role can see.
CREATE POLICY seen ON machines FOR SELECT TO {reader} USING (
  (SELECT pg_has_role(current_user, {all_text}, 'USAGE'))
  OR pg_has_role(current_user, team_role, 'USAGE')
  OR (owner_role IS NOT NULL AND pg_has_role(current_user, owner_role, 'USAGE'))
);

ALTER TABLE chains ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON chains FOR SELECT TO {reader} USING (
  (SELECT pg_has_role(current_user, {all_text}, 'USAGE')) OR machine = ANY (ARRAY(SELECT id FROM machines))
);

ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON sessions FOR SELECT TO {reader} USING (
  (SELECT pg_has_role(current_user, {all_text}, 'USAGE')) OR machine = ANY (ARRAY(SELECT id FROM machines))
);

ALTER TABLE rows ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON rows FOR SELECT TO {reader} USING (
  (SELECT pg_has_role(current_user, {all_text}, 'USAGE')) OR machine = ANY (ARRAY(SELECT id FROM machines))
);

ALTER TABLE bodies ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON bodies FOR SELECT TO {reader} USING (
  (SELECT pg_has_role(current_user, {all_text}, 'USAGE')) OR machine = ANY (ARRAY(SELECT id FROM machines))
);

ALTER TABLE sums ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON sums FOR SELECT TO {reader} USING (
  (SELECT pg_has_role(current_user, {all_text}, 'USAGE')) OR machine = ANY (ARRAY(SELECT id FROM machines))
);

ALTER TABLE findings ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON findings FOR SELECT TO {reader} USING (
  (SELECT pg_has_role(current_user, {all_text}, 'USAGE')) OR machine = ANY (ARRAY(SELECT id FROM machines))
);

CREATE POLICY taken_in ON chains TO {ingest} USING (true) WITH CHECK (true);
CREATE POLICY taken_in ON sessions TO {ingest} USING (true) WITH CHECK (true);
CREATE POLICY taken_in ON sums TO {ingest} USING (true) WITH CHECK (true);
CREATE POLICY taken_in ON findings TO {ingest} USING (true) WITH CHECK (true);
