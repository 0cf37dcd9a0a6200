"""Follows the programs that run other programs: builtins, branches, wrappers, shells, batches, git, make."""
