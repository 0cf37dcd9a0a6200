"""hookkit.toml and genesis.key: the table of settings, reading and checking files, layers, trust, the cache.

May import policy and the rooms below; never hooks or cli. Every hook loads `layers` and
`cache`, so these two import almost nothing; the other modules run only after a file has changed.
"""
