"""`hookkit validate`: checks of rules and of Claude Code's settings, beyond the checks of the loader.

Each format has a file in `formats/`; formats share the checks here. May import settings and every room below, never a
hook or cli.
"""
