"""`hookkit init`, `uninit`, `trial` and `plugin`: hookkit in the settings of an agent, and out again.

Belongs here: the command line for the agent, the changes to the agent's settings files, and the original files for
`uninit`. May import checking, dialects and every room below; prints nothing.
"""
