"""The permission policy: patterns, rules, and the one engine that turns a tool call into a verdict.

`pattern` and `paths` match, `call` analyses a tool call, `index` finds candidates, `judge` decides and answers
the hooks. `base/` has the shipped rules, `tools` the effects of each tool. May import shell, system and rooms below.
"""
