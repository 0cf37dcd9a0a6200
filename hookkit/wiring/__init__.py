"""`hookkit init`, `uninit`, `trial` and `plugin`: hookkit in the settings of an agent, and out again.

Belongs here: the command line that an agent runs, the changes to its settings files, the originals that `uninit` gives
back. May import checking, dialects and every room below; prints nothing.
"""
