"""Work beyond a single conversation: sessions, the efforts that they serve, and tasks.

A session is a context window and is never resumed. An effort continues across sessions until a person finishes the
effort. A task is a directory and never ends. AGENT_ID tells agents apart; without AGENT_ID, the project's latest effort
is meant.

`store` is the database; `sessions`, `efforts` and `agents` read and change rows; `lifecycle`, `memory` and `skills`
take a TrackedEvent and answer events. `gates/` asks whether an agent is done. May import agents, ledger, policy,
settings and system.
"""
