"""Gates: whether the agent, a sub-agent or a task is really done. See docs/gates.md.

`answer` asks the gates of an event. `promise`, `checks`, `approval`, `commit` and `artefacts` are one gate each, with
`run(event, settings, state)`. The other modules are shared by gates. May import policy, settings, work and system.
"""
