"""Mistral Vibe: rows with a name; `strict` makes Vibe refuse the call when the command fails."""

from hookkit.wiring.formats import Wanted, _rows

EVENT = "type"  # the field with the name of the event


def row(wanted: Wanted) -> str:
    command = _rows.quoted(wanted.command)
    strict = "strict = true\n" if wanted.is_closed else ""
    head = f'[[hooks]]\nname = "hookkit-{wanted.event}"\ntype = "{wanted.event}"\n'
    return f"{head}command = {command}\ntimeout = {wanted.timeout}\n{strict}"


wire, strip, entries = _rows.form(row, EVENT)
