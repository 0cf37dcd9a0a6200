"""A line of a journal: its chained hash, the text that the hash covers, and the parts that can be erased.

    HASH {"n":1,"w":"WRITER", … ,"parts":{"call":"DIGEST"}} TAB call SALT {"input": … }

The text holds only a salted digest of each part. So a part can be erased, or stay behind when rows are sent elsewhere,
and the chain still holds. With the salt gone, the digest tells nothing. Of an erased part stays: TAB call - TIME
"""

import os
import sys

from hookkit.errors import EventError
from hookkit.system import jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


try:
    if sys.version_info >= (3, 12):
        from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]
    else:
        from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    from hashlib import sha256  # for interpreters without a module of their own

FIRST = "0" * 64  # the previous hash of a chain's first row


def chained(before: str, body: bytes) -> str:
    """The hash of a row covers the previous hash, so every change, move or removal of a row shows."""
    return str(sha256(before.encode() + body).hexdigest())


def digest(data: bytes) -> str:
    return str(sha256(data).hexdigest())


# Fields with the content of commands, prompts, outputs and files, and the part with each of them.
PARTS = {
    "project": "call", "cwd": "call", "input": "call", "changed": "call", "effects": "call", "path": "call",
    "reason": "call", "evidence": "call", "handlers": "call",
    "output": "result", "stderr": "result", "error": "result", "diff": "diff", "content": "diff", "more": "more",
    "who": "who",
}  # fmt: skip
GIVEN = ("input", "changed")  # a tool's input: what names the call, and texts that are content, like a new file's
CONTENT = "content"  # the field with these texts, by the field that they belong to
# Fields of an input that name the call. Texts in all others count as content.
NAMING = frozenset(
    "command description file_path notebook_path path pattern glob output_mode mode type cell_type cell_id edit_mode"
    " url query subagent_type skill bash_id shell_id task_id".split()
)
SALT = 32  # hex digits
LENGTH = 32  # hex digits of a part's digest
ERASED = b"-"
DOUBT = b',"doubt":"'
ERASED_PART = b" - "  # in every line with an erased part, and in few others
SEALS = b',"parts":{'


def seal(fields: "dict[str, Any]") -> "tuple[dict[str, Any], bytes]":
    """The fields for the chained text, their last the digests of the parts; and the parts."""
    parts: dict[str, dict[str, Any]] = {}
    text: dict[str, Any] = {}
    for name, value in _apart(fields).items():
        part = PARTS.get(name)
        (text if part is None else parts.setdefault(part, {}))[name] = value
    salts, tail = os.urandom(SALT // 2 * len(parts)).hex(), b""
    digests = text["parts"] = {}
    for number, (name, values) in enumerate(parts.items()):
        salt, content = salts[number * SALT : (number + 1) * SALT].encode(), jsons.dumps(values).encode()
        digests[name] = part_digest(salt, content)
        tail += b"\t%s %s %s" % (name.encode(), salt, content)
    return text, tail


def _apart(fields: "dict[str, Any]") -> "dict[str, Any]":
    """The fields with the content of a tool's input in a field of its own, so that it can stay behind."""
    content: dict[str, Any] = {}
    for name in GIVEN:
        given = fields.get(name)
        if not isinstance(given, dict):
            continue
        texts = {
            key: value for key, value in given.items() if key not in NAMING and isinstance(value, (str, list, dict))
        }
        if texts:
            content[name] = texts
            fields = {**fields, name: {key: value for key, value in given.items() if key not in texts}}
    return {**fields, CONTENT: content} if content else fields


def whole(fields: "dict[str, Any]") -> "dict[str, Any]":
    """The fields of a row with the whole input of the tool again, as far as it is there."""
    content = fields.pop(CONTENT, None)
    for name in GIVEN if isinstance(content, dict) else ():
        given, texts = fields.get(name, {}), content.get(name)
        if isinstance(given, dict) and isinstance(texts, dict):
            fields[name] = {**given, **texts}
    return fields


def part_digest(salt: bytes, content: bytes) -> str:
    return digest(salt + content)[:LENGTH]


def split(line: bytes) -> tuple[str, int, str] | None:
    """A line's hash, number and writer, without reading the rest; None for a line of another program."""
    hash_, number, writer = line[:64], line[70:90].partition(b",")[0], line[70:].partition(b',"w":"')[2]
    if line[64:70] != b' {"n":' or not number.isdigit():
        return None
    return hash_.decode("ascii", "replace"), int(number), writer.partition(b'"')[0].decode("ascii", "replace")


def text_of(line: bytes) -> bytes:
    """The text that the hash covers."""
    return line[65:].partition(b"\t")[0]


def parts_of(line: bytes) -> "Iterator[tuple[bytes, bytes, bytes]]":
    """Name, salt and content of each part; an erased part has `-` as its salt and a time as its content."""
    for part in line[65:].split(b"\t")[1:]:
        name, _, rest = part.partition(b" ")
        salt, _, content = rest.partition(b" ")
        yield name, salt, content


def flat(line: bytes) -> bytes:
    """The whole row as one JSON object: the text, then the fields of its parts, in place of their digests."""
    text, erased = text_of(line), b""
    text = text[: text.rfind(SEALS)] if SEALS in text else text[:-1]
    for name, salt, content in parts_of(line):
        if salt == ERASED:
            erased += b',"%s":%s' % (name, content)
        elif len(content) > len(b"{}"):
            text += b"," + content[1:-1]
    return text + (b',"erased":{%s}}' % erased[1:] if erased else b"}")


def is_sealed(line: bytes) -> bool:
    """Whether the parts are those of the chained text: none changed, added, or gone without a trace."""
    text, seals = text_of(line), b""
    for name, salt, content in parts_of(line):
        if salt == ERASED and not content.isdigit():
            return False  # no digest covers the time, so it may be nothing else
        seals += b',"%s":"%s"' % (name, _noted(text, name) if salt == ERASED else part_digest(salt, content).encode())
    return text.endswith(SEALS + seals[1:] + b"}}")


def erase(line: bytes, at: int) -> bytes:
    """The line without the content of its parts, and with the time of their removal."""
    gone = b"".join(b"\t%s %s %d" % (name, ERASED, at) for name, *_ in parts_of(line))
    return line.partition(b"\t")[0] + gone


def is_erased(line: bytes) -> bool:
    return any(salt == ERASED for _, salt, _ in parts_of(line))


def doubt(line: bytes) -> str:
    """A fault that an earlier version's row had when it was moved over; it stands right behind the writer."""
    rest = line.partition(b',"w":"')[2].partition(b'"')[2]
    return rest[len(DOUBT) :].partition(b'"')[0].decode("ascii", "replace") if rest.startswith(DOUBT) else ""


def _noted(text: bytes, name: bytes) -> bytes:
    """The digest of a part in the text."""
    return text[text.rfind(SEALS) :].partition(b'"%s":"' % name)[2][:LENGTH]


def row(line: bytes) -> "dict[str, Any] | None":
    """The fields of a line; None for a line of another program."""
    try:
        fields = jsons.loads(flat(line)) if split(line) is not None else None
    except EventError:
        return None
    return whole(fields) if isinstance(fields, dict) else None
