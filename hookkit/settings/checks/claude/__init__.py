"""The parts of Claude Code's settings: matchers, handlers, permission rules, and commands of hookkit in them.

May import settings, documents, policy, shell and the shared checks of this room.
"""
