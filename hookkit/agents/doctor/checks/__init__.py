"""A theme each: `check(setup)` yields problems, and reads only the setup, files and the ledger."""
