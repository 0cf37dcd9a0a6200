"""Workflow commands of GitHub: a line of output that becomes a remark at a line of a file."""

from hookkit.cli._console import plain

CODES = {"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"}


def annotation(severity: str, message: str, **properties: object) -> str:
    named = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in properties.items())
    return f"::{severity} {named}::{_escaped(message)}"


def _escaped(text: str, more: str = "") -> str:
    """GitHub ends a message at a line break and a property at a comma or colon, unless they are written as codes."""
    return "".join(CODES[char] if char in "%\r\n" + more else char for char in plain(text))
