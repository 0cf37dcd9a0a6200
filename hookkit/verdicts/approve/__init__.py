"""Approval without a question: calls that only read, and with `work` also writes git can undo.

`rows` is the table of read-only programs. `lines` approves a command line, `paths` knows the files a call may read and
write, `project` the project's own commands. May import policy, redirect, settings, system and rooms below.
"""
