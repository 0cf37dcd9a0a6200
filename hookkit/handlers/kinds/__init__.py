"""Handlers: a module for each kind of `[[hooks]]` row: command, webhook, prompt, agent, inline.

A module has `run(call) → Reply`, or, if its work is a program, `program(call) → (UserProgram, stdin)` and
`finish(call, result) → Reply`; the engine runs programs of several handlers at the same time. A handler raises
HandlerError if it failed and HandlerTimeoutError if its time ran out. May import handlers, policy, settings and system.
"""
