"""One file = one hook command: `EVENTS`, and `run(event, settings)` that returns a Decision or None.

A hook is thin: the work is done in the room of its feature. May import every room of a feature, never cli or play.
Every import at the top is paid on every tool call, so a hook loads its feature late.
"""
