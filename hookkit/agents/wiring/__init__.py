"""`hookkit init`, `uninit` and `trial`: hookkit in the settings of an agent, and out again.

Belongs here: the command line for the agent, the changes to the agent's settings files, and the original files for
`uninit`, the forms of settings files. What differs between agents is in their folders in `agents`. Prints
nothing.
"""
