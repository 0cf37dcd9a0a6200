"""PowerShell and cmd: a script → the commands that would run, for the same line as the commands of bash.

`statements` reads a script as a tree, `session` follows the tree with known values, `binding` gives cmdlets their full
names and parameters, `cmdlets` and `methods` say what a few of them do to the session, `cmd` reads lines of cmd.exe.
Effects are records in `programs/powershell.toml`. Loads only for a line of PowerShell. Imports `errors`, `programs`,
and `shell` itself.
"""
