"""cocode: rows with the command in a table of their own."""

from hookkit.wiring.formats import Wanted, Wired, _rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

EVENT = "event"  # the field with the name of the event


def row(wanted: Wanted) -> str:
    command = _rows.quoted(wanted.command)
    head = f'[[hooks]]\nevent = "{wanted.event}"\ntimeout_sec = {wanted.timeout}\n'
    return f"{head}[hooks.shell]\ncommand = {command}\npass_context = true\nparse_result = true\n"


def wire(path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    return _rows.wire(path, text, wanted, row, EVENT)


def strip(path: str, text: str, original: str) -> str:  # noqa: ARG001 - every format is called alike
    return _rows.strip(path, text, EVENT)


def entries(path: str, text: str) -> list[Wired]:
    return _rows.entries(path, text, EVENT)
