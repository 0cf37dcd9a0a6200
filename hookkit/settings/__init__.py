"""hookkit.toml and genesis.key: the table of settings, reading and checking files, layers, trust, snapshots.

May import documents, inputs, policy and the rooms below; never checking, hooks or cli. Every hook loads `layers` and
`snapshot`, so these two import almost nothing; the other modules run only after a file has changed.
"""
