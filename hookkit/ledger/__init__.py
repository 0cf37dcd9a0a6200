"""The ledger: every event as a row, chained to the row before, without secrets. See docs/ledger.md.

`evidence`, `tool_call`, `who`, `allowance`, `links`, `diffs` and `side_effects` make a row of an event. `journal`
writes rows down while the agent waits, in the format of `lines`; `segments` seals old journals and `register` says
what became of them. These files are the truth. `store` reads them into an index (`tables`), where `reading` and
`stats` find rows; `upkeep` does so for hooks, and makes the index anew. `verifying` reads the files, `pruning` and
`erasing` change them, `legacy` moves ledgers of earlier versions over. May import policy, settings and system; the
writers of rows never load SQLite.
"""
