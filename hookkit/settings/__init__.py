"""hookkit.toml and genesis.key: the table of settings, reading and checking files, layers, trust, the cache.

May import policy and the rooms below; never hooks or cli. Every hook loads `layers`, so it imports almost nothing; the
other modules run only after a file has changed.
"""
