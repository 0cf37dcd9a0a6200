"""`hookkit doctor`: whether hooks really fire, in the eyes of each agent, and how to fix them if not.

Each file of `checks/` is a theme; its `check(setup)` yields problems. A problem has a stable id, a place and its fix;
some carry the change for `--fix`. May import every room below the pipeline; prints nothing.
"""
