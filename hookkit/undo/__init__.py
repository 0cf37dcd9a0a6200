"""Undo: snapshots of files before a command deletes or overwrites them, under hidden refs of the project's repository.

`scope` finds the files of a call, `snapshot` keeps and restores them, `store` speaks with git. May import policy,
settings and system.
"""
