"""Gates: whether the agent, a sub-agent or a task is really done. See docs/gates.md.

`answer` asks the gates of an event. `promise`, `checks`, `approval`, `commit` and `artefacts` are one gate each, with
`run(state)`. `approvals` keeps approvals, `remote` asks for them at the fleet's hub. May import ledger, policy,
settings, work and system.
"""
