"""Transcripts: readers of the agents' own logs, and the report and note made from them.

`reader` and `entries` read, `flow` counts, `report` and `handover` write; `usage` finds the size of the context. May
import masking and system.
"""
