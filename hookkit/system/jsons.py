"""JSON through the interpreter's own C code.

`import json` costs most of a hook's time, as `json` imports `re`; the C scanner and encoder alone cost nothing.
"""

from hookkit.errors import EventError, HookkitError, NestingError
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BLANK = " \t\r\n"


class _Rules:
    """The attributes read by the C scanner."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012 - a cache of the scanner


def _refuse(value: object) -> object:
    raise TypeError(type(value).__name__)


_scanner: "Any" = None
_encoder: "Any" = None
try:
    import _json

    _scanner = _json.make_scanner(_Rules)  # type: ignore[arg-type]
    _encoder = _json.make_encoder(None, _refuse, _json.encode_basestring_ascii, None, ":", ",", False, False, False)  # noqa: FBT003
except (ImportError, TypeError):  # an interpreter without this C code: slower, and still right
    _scanner = None


def loads(raw: bytes) -> "Any":
    """A JSON value. Bytes outside UTF-8 are refused: a repaired text would go back as if the agent had written it."""
    try:
        return _scan(raw.removeprefix(b"\xef\xbb\xbf").decode())
    except UnicodeDecodeError as error:
        raise EventError(f"not UTF-8 at byte {error.start}") from None
    except StopIteration as error:
        raise EventError(f"not JSON at character {error.value}") from None
    except RecursionError:
        raise NestingError("JSON nested too deep") from None
    except (ValueError, SystemError):  # the last: the C scanner cannot raise without `json`
        raise EventError("not JSON") from None


def read_own(path: str, limit: int) -> "dict[str, Any] | None":
    """The JSON object in a file of hookkit's own; None for a missing file, a stranger's or a damaged one."""
    try:
        value = loads(files.read_own(path, limit))
    except (OSError, HookkitError):
        return None
    return value if isinstance(value, dict) else None


def _scan(text: str) -> "Any":
    if _scanner is None:
        import json

        return json.loads(text)
    value, end = _scanner(text, len(text) - len(text.lstrip(BLANK)))
    if text[end:].strip(BLANK):
        raise ValueError
    return value


def dumps(value: object) -> str:
    """ASCII on a single line: a lone surrogate goes out as it came in."""
    if _scanner is None:
        import json

        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    return "".join(_encoder(value, 0))
