"""Redirects commands to the project's own toolchain: `pytest` → `make test`.

`detectors` knows the commands of agents, `toolchains` the marker files, the tools of each language and recipes.
`targets` reads task files, `search` finds the project's command, `line` edits the command line, `decision` builds the
reply, `sources` and `tree` make the checksums for trust. May import errors, model, shell, system and settings.
"""
