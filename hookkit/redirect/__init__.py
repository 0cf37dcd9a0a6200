"""Redirects commands to the project's own toolchain: `pytest` → `make test`.

`detectors` knows the commands, `toolchains` the marker files, `targets` reads task files, `arguments` knows cosmetic
options, `line` edits the command line. May import `errors`, `shell`, `system` and `settings`.
"""
