"""The commands for people: one thin file a command, with its flags; modules with a leading _ hold the rest.

Belongs here: reading the command line, and showing results. The work itself is done in the room of its feature.
May import: every room of hookkit. Only this room knows typer and rich, and only `_console` prints. The version and the
first page of the help need neither: they start fast.
"""

import os
import sys

COMPLETION = "_HOOKKIT_COMPLETE"  # set by a shell that completes a command line


def main() -> None:
    words = sys.argv[1:]
    if COMPLETION not in os.environ:
        if words in (["--version"], ["-V"], ["version"]):
            _print(_version())
        if words in (["--help"], ["-h"], ["help"]) or (words[:1] == ["help"] and words[1:] in (["all"], ["hooks"])):
            from hookkit.cli import _overview

            _print(_overview.text(words[1:] if words[:1] == ["help"] else []))
        if not words:
            sys.argv.append("status")
    from hookkit.cli import _app

    _app.main()


def _version() -> str:
    from hookkit import __version__

    return f"hookkit {__version__}\n"


def _print(text: str) -> None:
    """Print and end. A closed pipe or a terminal without such characters is no reason to crash."""
    try:
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(141)
    except (AttributeError, ValueError, OSError):
        sys.exit(2)
    sys.exit(0)
