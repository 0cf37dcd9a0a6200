"""The commands for people: one file a command. Modules with a leading _ are shared by several.

A command is a function with its flags in its signature. It returns an Output, a value and a view; the console alone
decides between table and JSON.
Belongs here: reading the command line, and showing results. The work itself is done in the room of its feature.
May import: every room of hookkit. Only this room knows typer and rich, and only `_console` prints.
"""

import sys

SELDOM = 100_000  # objects between two searches for garbage; Python's own number is 700


def main() -> None:
    """One command of a person."""
    import gc

    from hookkit import registry

    gc.set_threshold(SELDOM)  # a short life leaves no garbage worth a search; a long one (`top`) must not grow
    bundle = registry.Bundle(registry.PEOPLE)
    bundle.use()
    from hookkit.cli._main import run

    code = run(sys.argv[1:])
    bundle.keep()
    sys.exit(code)
