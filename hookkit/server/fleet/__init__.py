"""A machine of a fleet: join a hub, send rows, take its policy, say how it is. See docs/fleet.md.

`membership` is what joining leaves on the machine, and its requests to the hub; `batch` finds rows that the hub lacks,
and is the format that both sides speak; `policy` takes the fleet's policy; `telemetry` writes rows as OpenTelemetry;
`sync` does all of it, in the background. `hub` is the other side. No hook imports this package.
"""
