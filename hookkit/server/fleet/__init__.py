"""A machine of a fleet: join a hub, send rows, take its policy, say how it is. See docs/fleet.md.

`membership` is what joining leaves on the machine; `chains` finds rows that the hub lacks; `batch` is the format that
both sides speak; `hub` is the hub as the machine sees it; `approvals` asks the hub for a yes; `telemetry` writes rows
as OpenTelemetry; `sync` does all of it, in the background. No hook imports this package.
"""
