"""Work beyond a single conversation: sessions, the efforts that they serve, and tasks.

A session is a context window and is never resumed. An effort continues across sessions until a person finishes the
effort. A task is a directory and never ends. AGENT_ID tells agents apart; without AGENT_ID, the project's latest effort
is meant.

`store`, `columns` and `tables` are the database; `sessions`, `efforts` and `agents` read and change rows; `lifecycle`,
`heartbeat`, `overflow`, `effort_rules`, `memory` and `status` take a TrackedEvent and answer events. May import ledger,
transcripts, policy, settings and system.
"""
