"""Kimi Code: rows with event, command and timeout; any other key makes Kimi refuse the file."""

from hookkit.wiring.formats import Wanted, _rows

EVENT = "event"  # the field with the name of the event


def row(wanted: Wanted) -> str:
    command = _rows.quoted(wanted.command)
    return f'[[hooks]]\nevent = "{wanted.event}"\ncommand = {command}\ntimeout = {wanted.timeout}\n'


wire, strip, entries = _rows.form(row, EVENT)
