"""Words → arguments: variables, braces, globs, assignments. A part that cannot be known stays a mark (UNKNOWN)."""
