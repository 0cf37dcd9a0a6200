-- A person may be signed in in several places: a terminal, a browser, a phone.
CREATE TABLE tokens (
  token bytea PRIMARY KEY,              -- SHA-256 of the secret
  person integer NOT NULL REFERENCES people ON DELETE CASCADE,
  made timestamptz NOT NULL DEFAULT now()
);
INSERT INTO tokens (token, person) SELECT token, id FROM people WHERE token IS NOT NULL;
ALTER TABLE people DROP COLUMN token;

-- Taking rows in needs no people and no secrets, and decides about no machine.
REVOKE SELECT ON teams, people FROM {ingest};
REVOKE SELECT, INSERT, UPDATE ON machines FROM {ingest};
GRANT SELECT (id, name, team, host, owner, turn, turn_before) ON machines TO {ingest};
GRANT UPDATE (turn, turn_before, seen, skew, health, policy, version, gone) ON machines TO {ingest};
