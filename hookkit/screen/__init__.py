"""Commands that a client calls for its screen: the status line, and the files offered after `@`.

One file = one command: `answer(fields, settings) → text`; `SECONDS` is its limit and `SETTING` the setting of a command
that replaces it. May import every room of a feature, never cli or cases.
"""
