"""Programs of other languages on the command line, and what echo and printf print."""

from hookkit.policy.ansi import decode
from hookkit.policy.expand import UNKNOWN

# What makes us ask about a program of another language on the command line.
CODE = (
    "system", "subprocess", "popen", "exec", "spawn", "rmtree", "unlink", "os.remove", "rmdir", "child_process", "eval",
    "__import__", "rmsync", "fs.rm", "shell", "ctypes", "socket", "urlopen", "`", "do shell script", "base64", '| "',
)  # fmt: skip
_SQL = ("drop database", "drop schema", "drop table", "truncate", "delete from", "drop owned")
_MONGO = ("dropdatabase", ".drop(", "deletemany", "remove(")
# Interpreters: the options that hand them a program ("1" is the first operand, "2" the second), and what to ask about.
INTERPRETERS = {
    **dict.fromkeys(("python", "python2", "python3"), ("-c", CODE)),
    **dict.fromkeys(("node", "nodejs", "bun"), ("-e --eval -p --print", CODE)),
    **dict.fromkeys(("awk", "gawk", "mawk"), ("1", CODE)),
    **dict.fromkeys(("mysql", "mariadb"), ("-e --execute", _SQL)),
    **dict.fromkeys(("mongosh", "mongo"), ("--eval", _MONGO)),
    "perl": ("-e -E", CODE),
    "ruby": ("-e", CODE),
    "deno": ("eval", CODE),
    "php": ("-r", CODE),
    "lua": ("-e", CODE),
    "osascript": ("-e", CODE),
    "tclsh": ("", CODE),
    "expect": ("-c", CODE),
    "psql": ("-c --command", _SQL),
    "sqlite3": ("2", _SQL),
}


def alarms(code: str, words: tuple[str, ...]) -> bool:
    """Rows that a condition picks out are everyday work; without one the table is emptied."""
    return any(word in code and not (word == "delete from" and " where " in code) for word in words)


def handed(words: list[str], options: list[str]) -> list[str]:
    """The programs among an interpreter's words: behind an option, joined to it, or as an operand."""
    operands = [word for word in words[1:] if not word.startswith("-")]
    codes = [operands[int(place) - 1] for place in options if place.isdigit() and int(place) <= len(operands)]
    for at, word in enumerate(words[1:], 1):
        name, equals, value = word.partition("=")
        cluster = word[:1] == "-" and word[1:2] != "-" and f"-{word[-1]}" in options
        if (word in options or cluster) and at + 1 < len(words):
            codes.append(words[at + 1])
        elif equals and name in options:
            codes.append(value)
        elif word[:2] in options and len(word) > 2:  # noqa: PLR2004
            codes.append(word[2:])
    return codes


def printed(words: list[str]) -> str | None:
    """What echo and printf print."""
    name, rest = words[0].rpartition("/")[2], words[1:]
    if name == "echo":
        options = ""
        while rest and len(rest[0]) > 1 and rest[0][0] == "-" and all(char in "neE" for char in rest[0][1:]):
            options += rest.pop(0)
        text = " ".join(rest)
        if "e" in options and "\\" in text:
            text = _escapes(text)
        return text + ("" if "n" in options else "\n")
    if name == "printf" and rest:
        rest = rest[1:] if rest[0] == "--" else rest
        form, arguments = _escapes(rest[0]), rest[1:]
        if form.count("%") == form.count("%s") + form.count("%b"):
            pieces = form.replace("%b", "%s").split("%s")
            if len(pieces) == 1:
                return form
            text = ""
            holes = len(pieces) - 1
            for start in range(0, max(len(arguments), 1), holes):
                given = [*arguments[start : start + holes], *[""] * holes][:holes]
                text += "".join(piece + value for piece, value in zip(pieces, given, strict=False)) + pieces[-1]
            return text
        return UNKNOWN
    return None


def _escapes(text: str) -> str:
    decoded, end = decode(text.replace("'", "\\'") + "'", 0)
    return decoded if end >= 0 else text
