"""`hookkit validate`: checks of rules and hooks beyond the checks of the loader.

Each format has a file in `formats/`; formats share the checks here (patterns, rules without effect, regular
expressions). May import settings and every room below, never a hook or cli.
"""
