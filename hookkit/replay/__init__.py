"""Replay tool calls of old sessions through a policy, or compare two policies.

`history` finds the calls (transcripts and the ledger), `player` gives the verdict of the live hooks, `report` counts.
May import hooks and all rooms below; showing the results is the business of cli.
"""
