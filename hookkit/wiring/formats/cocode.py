"""cocode: rows with the command in a table of their own."""

from hookkit.wiring.formats import Wanted, _rows

EVENT = "event"  # the field with the name of the event


def row(wanted: Wanted) -> str:
    command = _rows.quoted(wanted.command)
    head = f'[[hooks]]\nevent = "{wanted.event}"\ntimeout_sec = {wanted.timeout}\n'
    return f"{head}[hooks.shell]\ncommand = {command}\npass_context = true\nparse_result = true\n"


wire, strip, entries = _rows.form(row, EVENT)
