"""`hookkit doctor`: whether hooks really fire, in the eyes of each agent, and what to do if not.

One file of `checks/` is one theme, with `check(setup)` that yields problems. A problem has a stable id, a place and its
fix; some carry the change that `--fix` makes. May import every room below the pipeline; prints nothing.
"""
