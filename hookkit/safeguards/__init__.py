"""Checks with a memory: a session that has read a secret, a call that the person allows once, the cost of a session.

The memory is in files of hookkit's own state, so it outlives a restart and is the same for the warm server and the
cold command. May import policy, settings, transcripts, masking and system.
"""
