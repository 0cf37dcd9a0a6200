"""One file for each shape of a hooks file. A file has three functions.

`wire(path, text, wanted)` returns the text with the wanted handlers, `strip(path, text, original)` the text without
hookkit, `entries(path, text)` the handlers that are there. All of them raise ConfigError, with the place, for a text
that the agent itself could not read.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Wanted:
    """One handler that `init` wants: the agent's name of the event, the command line, seconds or milliseconds."""

    __slots__ = ("command", "event", "timeout")

    def __init__(self, event: str, command: str, timeout: int) -> None:
        self.event = event
        self.command = command
        self.timeout = timeout


class Wired:
    """One handler as it stands in a file. `path` leads to it in the file, `place` is its line and column."""

    __slots__ = ("event", "fields", "matcher", "path", "place")

    def __init__(
        self,
        event: str,
        fields: "dict[str, Any]",
        matcher: str,
        path: "tuple[str | int, ...]" = (),
        place: tuple[int, int] = (1, 1),
    ) -> None:
        self.event = event
        self.fields = fields
        self.matcher = matcher
        self.path = path
        self.place = place

    @property
    def command(self) -> str:
        return _text(self.fields.get("command") or self.fields.get("bash"))

    @property
    def arguments(self) -> "list[str] | None":
        found = self.fields.get("args")
        return [each for each in found if isinstance(each, str)] if isinstance(found, list) else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
