"""The warm server: one process for the shim `hookkit-hook`, the client's http hooks and the page. See docs/warm.md.

`wire` is the protocol of the shim, `answering` runs a request through the pipeline, `port` takes connections, `app` is
everything that speaks HTTP, `serving` puts these together. `process` starts and stops the server, and reads and writes
its door: the file that says where it listens. May import every room except cli. The server is never needed: without it
each call runs cold.
"""
