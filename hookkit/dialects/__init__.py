"""One file an agent: `parse(value, environ, usual, here)` makes an Event, `render(event, decision)` makes the reply.

Only these files know an agent's field names. May import `events`, `errors`, `model` and `system`.
"""
