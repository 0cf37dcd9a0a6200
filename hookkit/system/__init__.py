"""The machine below hookkit: files, JSON on the hot path, git, SQLite, marks of a session, the error log.

Belongs here: code that knows the operating system and nothing of rules, events or hooks.
May import: errors and modules of this room. Modules of the hot path import only os, stat and sys at the top.
"""
