"""The engine behind `[[hooks]]`: which handlers an event has, how they run, what their replies mean, one answer.

`kinds/` has a module for each kind of handler; the engine finds it by name. May import settings, policy, system and
redirect. A hook loads this room only if rows of `[[hooks]]` exist.
"""
