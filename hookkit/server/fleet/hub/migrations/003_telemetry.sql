-- How far a chain was sent as OpenTelemetry.
ALTER TABLE chains ADD COLUMN exported bigint NOT NULL DEFAULT 0;
CREATE INDEX chains_unexported ON chains (id) WHERE exported < n;
