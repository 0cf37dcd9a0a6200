"""The next step after a failed tool call: `causes` recognises the failure, `advice` holds the texts for the model.

May import `model`, `inputs`, `settings` and `system`. `causes` is loaded on every tool result, so it imports no module.
"""
