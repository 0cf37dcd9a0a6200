r"""The protocol of the shim: bash can write fields that end in a null byte, and read a number of bytes at once.

    shim    hookkit 2 ASK\n
    server  REPLY
    shim    ID 0 LENGTH 0 DIRECTORY 0 NUMBER OF WORDS 0 HOOK 0 WORD 0 … NAME=VALUE 0 … 0 EVENT 0
    server  eight bytes: a sign and seven digits. "+" for every second of work; then "=" and the length of the reply,
            which follows; or "-": run the cold command

`scripts/hookkit-hook` is the other side. A test holds the two lists of variables together.
"""

from hookkit.errors import WARM, HookkitError
from hookkit.ledger.journal import REQUEST

GREETING = b"hookkit 2 "
ALIVE = b"+0000000"
COLD = b"-0000000"
MOST_REPLY = 9_999_999  # bytes: seven digits
MOST_HEAD = 64 * 1024  # bytes before the event
MOST_BODY = 1 << 20  # bytes of an event; the shim leaves larger events to the cold command
MOST_FIELDS = 64
SEPARATOR = b"\0"
# Environment variables that hookkit reads while it answers an event. Programs of the user need more: they run cold.
NAMES = (
    "HOME", "PATH", "TMPDIR", "CDPATH", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_PROJECT_DIR", "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_EXECPATH", "HOOKKIT_ACTOR", "HOOKKIT_SESSION_DIR", "AGENT_ID",
    "QWEN_CODE_SESSION_ID",
    "QWEN_PROJECT_DIR", "COPILOT_PROJECT_DIR", "COPILOT_CLI", "GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR",
    "CURSOR_PROJECT_DIR", "FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR", "XDG_RUNTIME_DIR", "CODEX_HOME",
    "XDG_DATA_HOME", "GROK_SESSION_ID", "CRUSH_PROJECT_DIR", "AUGMENT_PROJECT_DIR",
)  # fmt: skip


class WireError(HookkitError):
    """Not a request of the shim."""


class Request:
    """A call of `hookkit-hook`."""

    __slots__ = ("environ", "here", "hook", "id", "raw", "words")

    def __init__(self, hook: str, words: list[str], environ: dict[str, str], here: str, raw: bytes) -> None:
        self.id = environ.get(REQUEST, "")
        self.hook = hook
        self.words = words
        self.environ = environ
        self.here = here
        self.raw = raw


def parse(data: bytes) -> Request | None:
    """The request; None while a part of the request is missing. Raises WireError."""
    end = data.find(SEPARATOR + SEPARATOR)
    if end < 0:
        if len(data) > MOST_HEAD:
            raise WireError("the head of a request is too long")
        return None
    fields = data[:end].split(SEPARATOR)
    identity, length, here, count = _head(fields)
    if length > MOST_BODY:
        raise WireError("the event is too long")
    start = end + 2
    if len(data) - start <= length:
        return None
    if len(data) - start > length + 1 or data[-1:] != SEPARATOR:
        raise WireError("the event does not have the length that the request names")
    words = [_text(field) for field in fields[4 : 4 + count]]
    environ = dict(_variable(field) for field in fields[4 + count :])
    environ |= {WARM: "1", REQUEST: identity}
    return Request(words[0], words[1:], environ, here, data[start:-1])


def _head(fields: list[bytes]) -> tuple[str, int, str, int]:
    if not 5 <= len(fields) <= MOST_FIELDS or not (fields[1].isdigit() and fields[3].isdigit()):  # noqa: PLR2004
        raise WireError("not a request")
    identity, length, here, count = _text(fields[0]), int(fields[1][:12]), _text(fields[2]), int(fields[3][:12])
    if not 0 < count <= len(fields) - 4 or not identity.replace("-", "").isalnum() or not identity.isascii():
        raise WireError("not a request")
    return identity[:64], length, here, count


def _variable(field: bytes) -> tuple[str, str]:
    name, equals, value = _text(field).partition("=")
    if not equals or name not in NAMES:
        raise WireError("not a variable that a request may carry")
    return name, value


def _text(field: bytes) -> str:
    """As Python decodes its own environment and arguments: bytes outside UTF-8 become lone surrogates."""
    return field.decode("utf-8", "surrogateescape")


def framed(reply: bytes) -> bytes:
    """A reply for the shim. Bash cannot hold a null byte, so the cold command answers instead."""
    return COLD if SEPARATOR in reply or len(reply) > MOST_REPLY else b"=%07d%b" % (len(reply), reply)
