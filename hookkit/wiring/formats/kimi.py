"""Kimi Code: rows with event, command and timeout; any other key makes Kimi refuse the file."""

from hookkit.wiring.formats import Wanted, Wired, _rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

EVENT = "event"  # the field with the name of the event


def row(wanted: Wanted) -> str:
    command = _rows.quoted(wanted.command)
    return f'[[hooks]]\nevent = "{wanted.event}"\ncommand = {command}\ntimeout = {wanted.timeout}\n'


def wire(path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    return _rows.wire(path, text, wanted, row, EVENT)


def strip(path: str, text: str, original: str) -> str:  # noqa: ARG001 - every format is called alike
    return _rows.strip(path, text, EVENT)


def entries(path: str, text: str) -> list[Wired]:
    return _rows.entries(path, text, EVENT)
