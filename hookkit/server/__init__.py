"""The warm server: one process for the shim `hookkit-hook`, the client's http hooks and the page. See docs/warm.md.

`door` is the file that leads to the server, `wire` the protocol of the shim, `answering` runs a request through the
pipeline, `port` takes connections, `app` is everything that speaks HTTP, `server` puts these together, `process`
starts and stops it. May import every room except cli. The server is never needed: without it each call runs cold.
"""
