"""tar, zip, unzip: archives that are read or written, members that are packed, unpacked or deleted."""

from hookkit.programs.options import Parsed
from hookkit.programs.words import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.programs.effects import Effect

MOST = 50  # members that are named
UNPACKERS = ("gunzip", "bunzip2", "unxz", "unzstd")
PRINTS = ("-l", "-p", "-t", "-v", "-Z", "-O", "--to-stdout")  # with these nothing is unpacked


def effects(parsed: Parsed) -> "list[Effect]":
    name = parsed.operands[0]
    if name == "unzip":
        return _unzip(parsed)
    if name == "zip":
        return _zip(parsed)
    return _tar(parsed)


def _zip(parsed: Parsed) -> "list[Effect]":
    """`zip -m` deletes the packed files."""
    moved = [("Delete", path) for path in parsed.operands[1:]] if parsed.has("-m", "--remove-files") else []
    return [*(("Write", path) for path in parsed.operands[1:2]), *moved]


def _tar(parsed: Parsed) -> "list[Effect]":
    makes = parsed.has("-c", "-r", "-u", "-A")
    values = [(option, value) for option, value in parsed.values]
    touched = [("Write" if makes else "Read", value) for option, value in values if option == "-f"]
    touched += [("Read", value) for option, value in values if option in ("-T", "-X", "--files-from", "--exclude-from")]
    if "--remove-files" in parsed.words:
        touched += [("Delete", path) for path in parsed.operands[1:]]
    into = [value for option, value in values if option == "-C"]
    if parsed.has("-c"):
        there = into[-1].rstrip("/") if into else ""
        return touched + [("Read", f"{there}/{path}") for path in parsed.operands[1:] if there and path[:1] != "/"]
    if not parsed.has("-x") or parsed.has(*PRINTS[2:]):
        return touched
    return touched + _members(parsed.operands[1:], into)


def _unzip(parsed: Parsed) -> "list[Effect]":
    """`unzip x.zip member -d there`: members are written, or any file in the directory."""
    archive = [("Read", path) for path in parsed.operands[1:2]]
    if parsed.has(*PRINTS):
        return archive
    into = [value for option, value in parsed.values if option == "-d"]
    return archive + _members(parsed.operands[2:], into)


def _members(members: list[str], into: list[str]) -> "list[Effect]":
    base = f"{into[-1].rstrip('/')}/" if into else ""
    named = [("Write", base + member) for member in members[:MOST]]
    return named or [("Write", f"{base or './'}{UNKNOWN}")] * bool(into)


def unpacked(parsed: Parsed) -> tuple[str, str] | None:
    """The archive and the directory of a command that unpacks; `stdin` for an archive without a name."""
    name, *operands = parsed.operands
    into = [value for option, value in parsed.values if option == ("-d" if name == "unzip" else "-C")]
    if name in ("tar", "bsdtar", "gtar"):
        archives = [value for option, value in parsed.values if option == "-f"]
        return ((archives or ["stdin"])[0], (into or ["."])[-1]) if parsed.has("-x") else None
    is_unpacking = name == "unzip" and not parsed.has(*PRINTS)
    is_unpacking = is_unpacking or (name in UNPACKERS and not parsed.has("-c", "--stdout", "-l", "-t"))
    return (operands[0], (into or ["."])[-1]) if is_unpacking and operands else None
