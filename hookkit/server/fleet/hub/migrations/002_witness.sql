-- What agents themselves tell of their tool calls, over OTLP: session, call, event and time alone.
CREATE TABLE witness (
  machine integer NOT NULL REFERENCES machines,
  session text NOT NULL,
  call bigint NOT NULL,
  event text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (machine, session, call, event)
);
CREATE INDEX witness_at ON witness (at);
GRANT SELECT, INSERT ON witness TO {ingest};
GRANT SELECT ON witness TO {reader};
ALTER TABLE witness ENABLE ROW LEVEL SECURITY;
CREATE POLICY taken_in ON witness TO {ingest} USING (true) WITH CHECK (true);
CREATE POLICY seen ON witness FOR SELECT TO {reader} USING (
  (SELECT pg_has_role(current_user, {all_text}, 'USAGE')) OR machine = ANY (ARRAY(SELECT id FROM machines))
);

-- Sessions with tool results and without a row, although the machine has sent its rows since, and sends all projects.
CREATE VIEW unseen WITH (security_barrier) AS
  SELECT w.machine, w.session, count(*) AS calls, max(w.at) AS at FROM witness w JOIN machines m ON m.id = w.machine
  WHERE w.at < m.seen - interval '5 minutes' AND coalesce((m.health->>'all_projects')::boolean, false)
    AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.machine = w.machine AND s.name = w.session)
  GROUP BY 1, 2;
