"""The modules that a command of hookkit enters, in the order of their first call. Run with an event on stdin.

python walks.py run < event.json      python walks.py why ls
"""

import inspect
import os
import sys
from pathlib import Path
from types import FrameType

import hookkit

ROOT = str(Path(hookkit.__file__).parent) + "/"
OUT = sys.stderr
seen: dict[str, None] = {}


def profile(frame: FrameType, event: str, _: object) -> None:
    """Only functions: modules and classes run at their import, which says nothing about the way of a call."""
    code = frame.f_code
    if (
        event == "call"
        and code.co_flags & inspect.CO_OPTIMIZED
        and code.co_name[0] != "<"
        and code.co_filename.startswith(ROOT)
    ):
        seen[code.co_filename.removeprefix(ROOT)] = None


def leave(code: int) -> None:
    """A hook ends without taking the interpreter down, and would take our report with it."""
    raise SystemExit(code)


if __name__ == "__main__":
    from hookkit.__main__ import main

    os._exit = leave  # type: ignore[assignment]
    sys.setprofile(profile)
    try:
        main()
    finally:
        sys.setprofile(None)
        print("\n".join(seen), file=OUT)
