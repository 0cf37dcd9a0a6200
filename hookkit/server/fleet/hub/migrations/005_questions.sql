-- The newest rows, with every filter: pages and terminals ask for them all the time.
DROP INDEX rows_at;
CREATE INDEX rows_at ON rows (at, chain, n);
CREATE INDEX rows_person ON rows (at) WHERE approved = 'person';

-- What a machine tells of itself is compared as JSON: a cast of another type would fail for all machines.
CREATE OR REPLACE VIEW unseen WITH (security_barrier) AS
  SELECT w.machine, w.session, count(*) AS calls, max(w.at) AS at FROM witness w JOIN machines m ON m.id = w.machine
  WHERE w.at < m.seen - interval '5 minutes' AND m.health->'all_projects' = 'true'
    AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.machine = w.machine AND s.name = w.session)
  GROUP BY 1, 2;
