"""Approval without a question: calls that only read, and with `work` also writes that git can bring back.

`rows` is the one table of programs that only read. `lines` approves a command line, `paths` knows which files may be
read and written, `commands` the project's own commands. May import policy, redirect, settings, system and rooms below.
"""
