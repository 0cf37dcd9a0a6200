"""Undo: snapshots of files before a call deletes or overwrites them, in a directory of hookkit's own.

`scope` finds the files of a call, `snapshot` keeps and restores them, `store` reads and writes the snapshots. May
import policy, settings and system.
"""
