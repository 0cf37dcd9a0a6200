"""`hookkit doctor`: whether hooks really fire, in the eyes of each agent, and how to fix them if not.

Each file of `checks/` is a theme; its `check(setup)` yields problems. A room above this one brings its own file
`doctor.py`. A problem has a stable id, a place and its fix; some carry the change for `--fix`. Prints nothing.
"""
