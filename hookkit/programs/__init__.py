"""What programs do: one record a program in the TOML files, one parser of options, one list of effects.

A new program is a record in one of the files (docs/adding.md); no Python is needed. A module stands beside the records
only for a program whose words are a language of their own: find, tar, kill. Imports `errors` and nothing else, so that
the shell evaluator and every reader of effects (guard, approve, taint, undo, ledger, masking) can stand on it.
"""
