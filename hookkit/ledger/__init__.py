"""The ledger: every event as a row, chained to the row before, without secrets. See docs/ledger.md.

`evidence`, `who`, `links` and `side_effects` make a row of an event. `journal` writes rows down while the agent waits,
in the format of `lines`; `segments` seals old journals and `register` says what became of them. These files are the
truth. `row_index` reads them into an index (`tables`), where `queries` finds rows; `upkeep` does so for hooks, prunes,
and makes the index anew. `verifying` reads the files, `erasing` changes them, `legacy` moves ledgers of earlier
versions over. May import policy, settings and system; the writers of rows never load SQLite.
"""
