"""OpenCode and Kilo Code: a JavaScript plugin."""

from hookkit.wiring.formats import _plugin

wire, strip, entries = _plugin.form("opencode.js", "// hookkit for OpenCode.", "opencode")
