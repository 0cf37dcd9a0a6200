"""Files of programs that name them in ways of their own: dd, chmod, disks, a few sub-commands."""

from hookkit.programs.options import Parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.programs.effects import Effect

LISTS = ("-l", "-p", "-L", "-h", "-v", "-b", "-n", "-V", "--list", "--print", "--help", "--version", "--no-act")
PRIVATE = ("go-", "o-", "u+", "u=", "og-", "+x", "a+x")  # modes that open a file to nobody else


def effects(parsed: Parsed) -> "list[Effect]":
    return FILES[parsed.operands[0]](parsed)


def _dd(parsed: Parsed) -> "list[Effect]":
    kinds = {"of=": "Write", "if=": "Read"}
    return [(kinds[word[:3]], word[3:]) for word in parsed.words if word[:3] in kinds]


def _chmod(parsed: Parsed) -> "list[Effect]":
    """Rules about writing do not cover a mode without permissions for group and others."""
    mode = parsed.operands[1] if len(parsed.operands) > 1 else ""
    if parsed.has("-x", "-w", "-r"):
        return [("Write", path) for path in parsed.operands[1:]]
    private = (mode.isdigit() and mode[-2:] == "00") or mode.startswith(PRIVATE)
    return [] if private else [("Write", path) for path in parsed.operands[2:]]


def _disk(parsed: Parsed) -> "list[Effect]":
    """Tools for disks write, unless they only list."""
    plain = len(parsed.operands) < 2 or parsed.has(*LISTS) or "print" in parsed.operands  # noqa: PLR2004
    return [] if plain else [("Write", path) for path in parsed.operands[1:]]


def _cmake(parsed: Parsed) -> "list[Effect]":
    words = parsed.words
    if words[1:2] != ["-E"] or words[2:3] not in (["rm"], ["remove"], ["remove_directory"], ["rename"]):
        return []
    return [(kind, path) for path in words[3:] if path[:1] != "-" for kind in ("Delete", "Write")]


def _gio(parsed: Parsed) -> "list[Effect]":
    deletes = parsed.operands[1:2] in (["trash"], ["remove"])
    return [(kind, path) for path in parsed.operands[2:] for kind in ("Delete", "Write")] if deletes else []


def _getent(parsed: Parsed) -> "list[Effect]":
    return [("Read", "/etc/shadow")] if parsed.words[1:2] == ["shadow"] else []


def _split(parsed: Parsed) -> "list[Effect]":
    """`split file prefix` writes prefixaa, prefixab…"""
    return [("Write", f"{path}aa") for path in parsed.operands[2:3]]


def _awk(parsed: Parsed) -> "list[Effect]":
    changes = ("-i", "inplace") in parsed.values
    return [("Write", path) for path in parsed.operands[2:]] if changes else []


FILES = {
    "dd": _dd,
    "dcfldd": _dd,
    "chmod": _chmod,
    **dict.fromkeys(("wipefs", "blkdiscard", "parted", "sgdisk"), _disk),
    "cmake": _cmake,
    "gio": _gio,
    "getent": _getent,
    "split": _split,
    "awk": _awk,
    "gawk": _awk,
}
