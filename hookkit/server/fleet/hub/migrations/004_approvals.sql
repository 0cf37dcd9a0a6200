-- Approvals that machines ask for. Approvers see no machines, so host, team and owner are here, too.
CREATE TABLE approvals (
  id serial PRIMARY KEY,
  machine integer NOT NULL REFERENCES machines,
  request text NOT NULL,                -- random, made by the machine
  digest text NOT NULL,                 -- of project, rule, session and input
  about text NOT NULL,
  call text NOT NULL,                   -- with secrets masked
  project text NOT NULL,
  session text NOT NULL,
  person text NOT NULL,                 -- who the machine says is at the agent
  host text NOT NULL,
  team text NOT NULL,
  owner text NOT NULL,
  approvers text[] NOT NULL,            -- empty: every approver
  asked timestamptz NOT NULL DEFAULT now(),
  expires timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'approved', 'denied', 'silence')),
  by text NOT NULL DEFAULT '',
  answered timestamptz,
  answer text NOT NULL DEFAULT '',      -- what was signed
  signature text NOT NULL DEFAULT '',
  UNIQUE (machine, request)
);
CREATE INDEX approvals_open ON approvals (expires) WHERE state = 'open';
CREATE INDEX approvals_by ON approvals (by, answered) WHERE by <> '';
CREATE INDEX approvals_machine ON approvals (machine, asked);
GRANT SELECT, INSERT ON approvals TO {ingest};
GRANT USAGE ON SEQUENCE approvals_id_seq TO {ingest};
GRANT SELECT ON approvals TO {reader};
ALTER TABLE approvals ENABLE ROW LEVEL SECURITY;
CREATE POLICY taken_in ON approvals TO {ingest} USING (true) WITH CHECK (state = 'open' AND by = '' AND signature = '');
CREATE POLICY seen ON approvals FOR SELECT TO {reader} USING (
  (SELECT pg_has_role(current_user, {all_text}, 'USAGE')) OR (SELECT pg_has_role(current_user, {approver_text}, 'USAGE'))
  OR machine = ANY (ARRAY(SELECT id FROM machines))
);
