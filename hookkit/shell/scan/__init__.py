"""Reads a command line as bash does, without running it: text → the tree of `shell/syntax.py`."""
