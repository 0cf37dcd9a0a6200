"""Redirects commands to the project's own toolchain: `pytest` → `make test`.

`detectors` knows the commands of agents, `toolchains` the marker files, `ecosystems` the tools of each language.
`targets` and `makefile` read task files, `search` finds the project's command, `arguments` knows cosmetic options,
`line` edits the command line, `approval` builds the reply, `sources` makes the checksums for trust. May import
`errors`, `model`, `shell`, `system` and `settings`.
"""
