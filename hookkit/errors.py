"""The errors, named by their source: a settings file, the user's program or pattern, an event, a command line."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.model import Decision


class HookkitError(Exception):
    """An error with a message for a person. The message holds no secret, so the log may keep all of it."""


WARM = "HOOKKIT_WARM"  # in an environment: a request to the warm server, with a part of the caller's variables


class ColdError(BaseException):
    """The warm server cannot answer this event: it needs the caller's whole environment, in a process of its own.

    Not an Exception: a handler of errors on the way would turn it into an answer.
    """


class HandlerError(HookkitError):
    """The user's own program failed; `decision` is the verdict of the rules, which still holds.

    `trace` is the traceback of a function, without the frames of hookkit.
    """

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.decision: Decision | None = None
        self.trace = trace


class HandlerTimeoutError(HandlerError):
    """The user's own program or server took longer than its limit."""


class ConfigError(HookkitError):
    """A settings file has a mistake; the message starts with the place."""


class EventError(HookkitError):
    """The text on stdin is not an event."""


class NestingError(EventError):
    """The event is nested deeper than any real event."""


class ShellError(HookkitError):
    """The scanner cannot read a command line beyond `offset`."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class PatternError(HookkitError):
    """A pattern with a mistake; `at` is the place for a caret below the pattern."""

    def __init__(self, message: str, source: str, at: int) -> None:
        super().__init__(message)
        self.source = source
        self.at = at


class Spoiled(Exception):  # noqa: N818 - not an error: the reason why a call is not approved
    """Raised at the first part of a call that is not known to be harmless."""


class Changed(Spoiled):
    """A file that a trusted command runs changed: the person is told which one."""
