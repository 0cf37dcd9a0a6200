"""Checks with a memory: secrets read by a session, calls allowed once by the person, the cost of a session.

The memory is in files of hookkit's own state, so the memory outlives a restart and is the same for the warm server and
the cold command. May import agents, ledger, redirect, policy, settings and system.
"""
