"""JSON through the interpreter's own C code.

`import json` costs most of a hook's time (it pulls in `re`); the scanner and the encoder below it cost nothing.
"""

from hookkit.errors import EventError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BLANK = " \t\r\n"


class _Rules:
    """What the C scanner asks its caller for."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner's own scratch pad


def _refuse(value: object) -> object:
    raise TypeError(type(value).__name__)


_scanner: "Any" = None
_encoder: "Any" = None
try:
    import _json

    _scanner = _json.make_scanner(_Rules)  # type: ignore[arg-type]
    _encoder = _json.make_encoder(None, _refuse, _json.encode_basestring_ascii, None, ":", ",", False, False, False)  # noqa: FBT003
except (ImportError, TypeError):  # an interpreter whose accelerator is missing or another: slower, and right
    _scanner = None


def loads(raw: bytes) -> "Any":
    """One JSON value. Text that is not UTF-8 is refused: mended, it would be handed back as if the agent wrote it."""
    try:
        return _scan(raw.removeprefix(b"\xef\xbb\xbf").decode())
    except UnicodeDecodeError as error:
        raise EventError(f"not UTF-8 at byte {error.start}") from None
    except StopIteration as error:
        raise EventError(f"not JSON at character {error.value}") from None
    except (ValueError, RecursionError, SystemError):  # the last: the C scanner without `json` has no error to raise
        raise EventError("not JSON") from None


def _scan(text: str) -> "Any":
    if _scanner is None:
        import json

        return json.loads(text)
    value, end = _scanner(text, len(text) - len(text.lstrip(BLANK)))
    if text[end:].strip(BLANK):
        raise ValueError
    return value


def dumps(value: object) -> str:
    """ASCII on one line, so that a lone surrogate in the input goes out as it came in."""
    if _scanner is None:
        import json

        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    return "".join(_encoder(value, 0))
