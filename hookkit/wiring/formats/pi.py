"""Pi: a TypeScript extension, which Pi loads without a build."""

from hookkit.wiring.formats import _plugin

wire, strip, entries = _plugin.form("pi.ts", "// hookkit for Pi.", "pi")
