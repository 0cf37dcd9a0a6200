"""What can go wrong, named by who has to act: the user's file, the agent's event, the user's pattern."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.model import Decision


class HookkitError(Exception):
    """An error whose message was written for a person and holds nothing secret, so it may be logged whole."""


class HandlerError(HookkitError):
    """A program of the user's own failed; `decision` is what was known without it, and still holds."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.decision: Decision | None = None


class ConfigError(HookkitError):
    """A settings file is wrong; the message starts with the place."""


class EventError(HookkitError):
    """What came in on stdin is not an event."""


class ShellError(HookkitError):
    """A command line that we cannot tell apart: `offset` is where the scanner gave up."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class PatternError(HookkitError):
    """A pattern that is none, with the place for a caret under it."""

    def __init__(self, message: str, source: str, at: int) -> None:
        super().__init__(message)
        self.source = source
        self.at = at
