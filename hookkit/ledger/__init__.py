"""The ledger: every event as a row, chained to the row before, without secrets. See docs/ledger.md.

`evidence`, `tool_call`, `allowance`, `links`, `diffs` and `side_effects` make a row of an event. `journal` writes rows
down while the agent waits; `store` folds journals into the database (`tables`), where `reading`, `entry`, `texts` and
`stats` find them. `chain` and `heads` verify, `pruning` deletes old rows, `health`, `repair` and `numbering` mend. May
import policy, settings, masking and system; `journal`, `heads` and the writers of rows never load SQLite.
"""
