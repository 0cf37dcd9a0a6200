"""Transcripts: readers of the agents' own logs, and the report and note made from them.

`reader` and `entries` read, `flow` counts, `report` and `handover` write; `usage` finds the size of the context,
`conversation` the last words of person and model.
`past_calls` reads the transcripts of every agent, with the readers in the agents' folders.
"""
