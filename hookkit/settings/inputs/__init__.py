"""JSON Schemas of tool inputs: check an input, explain the mistakes, give an example that would pass.

`tools/` holds the schemas of the client's built-in tools; `user_schemas` reads the person's own. May import `errors`
and `system`; knows nothing of events, rules or settings files.
"""
