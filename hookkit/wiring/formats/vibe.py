"""Mistral Vibe: rows with a name; `strict` makes Vibe refuse the call when the command fails."""

from hookkit.wiring.formats import Wanted, Wired, _rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

EVENT = "type"  # the field with the name of the event


def row(wanted: Wanted) -> str:
    command = _rows.quoted(wanted.command)
    strict = "strict = true\n" if "exit 2" in wanted.command else ""
    head = f'[[hooks]]\nname = "hookkit-{wanted.event}"\ntype = "{wanted.event}"\n'
    return f"{head}command = {command}\ntimeout = {wanted.timeout}\n{strict}"


def wire(path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    return _rows.wire(path, text, wanted, row, EVENT)


def strip(path: str, text: str, original: str) -> str:  # noqa: ARG001 - every format is called alike
    return _rows.strip(path, text, EVENT)


def entries(path: str, text: str) -> list[Wired]:
    return _rows.entries(path, text, EVENT)
