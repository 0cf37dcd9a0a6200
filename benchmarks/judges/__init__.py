"""Machine-readable sources that say which options a program has, and which of them take a value.

A source is a function from the names of programs to claims. A claim is the set of kinds that a source knows for an
option: the variants of a program (GNU, BSD) may differ within one source.
"""

NONE, VALUE, ATTACHED = "none", "value", "attached"  # kinds: no value, in the next word or attached, only attached

Claims = dict[str, dict[str, set[str]]]  # program or sub-command → option → kinds


def add(claims: Claims, name: str, option: str, kinds: set[str]) -> None:
    claims.setdefault(name, {}).setdefault(option, set()).update(kinds)
