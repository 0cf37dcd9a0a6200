"""find: where it starts, the files that it finds, and the files that it deletes or writes."""

from hookkit.programs.options import Parsed
from hookkit.programs.words import EMPTY, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.programs.effects import Effect

FILTERS = (
    "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-mtime", "-mmin", "-atime", "-amin",
    "-ctime", "-cmin", "-size", "-newer", "-empty", "-inum", "-samefile", "-perm", "-user", "-group",
    "-links", "-nouser", "-nogroup", "-lname",
)  # fmt: skip
RARE = ("l", "p", "s", "b", "c")  # links, pipes, sockets, devices
SCRATCH = ("/tmp", "/var/tmp", "/private/tmp", "/dev/shm")  # noqa: S108 - named to be left alone
NAMES = ("-name", "-iname", "-path", "-ipath", "-wholename")
NOT = ("!", "-not")
MOST = 8  # starts and names that are followed


def effects(parsed: Parsed) -> "list[Effect]":
    words = parsed.words
    prints = [("Write", words[at + 1]) for at, word in enumerate(words[:-1]) if word.startswith(("-fprint", "-fls"))]
    if "-delete" not in words or "-empty" in words:
        return prints
    if any(start.strip(UNKNOWN) == "/" and start[:1] == UNKNOWN for start in starts(words)):
        prints.append(("Delete", EMPTY))  # `find "$unset"/ -delete`
    narrow = any(word in FILTERS or word in ("-type", "-mindepth", "-maxdepth", *NOT) for word in words)
    paths = found_by(words) if narrow else starts(words)
    return [*prints, *((kind, path) for path in paths for kind in ("Delete", "Write"))]


def starts(words: list[str]) -> list[str]:
    """Where find begins to look."""
    places: list[str] = []
    for word in words[1:]:
        if word[:1] in "-(!" and word not in ("-H", "-L", "-P"):
            break
        places += [] if word[:1] == "-" else [word]
    return places or ["."]


def found_by(words: list[str]) -> list[str]:
    """Paths found by find, as patterns: the value of `-name`, at any depth; UNKNOWN with other tests."""
    pruned = words.index("-prune") if "-prune" in words else len(words)
    left_out = words.index("-o", pruned) if "-o" in words[pruned:] else 0
    places = [at for at, word in enumerate(words[:-1]) if word in NAMES and words[at - 1] not in NOT]
    names = [words[at + 1].lower() if words[at][1] == "i" else words[at + 1] for at in places if at > left_out]
    deep = [f"**/{name}" for name in names if name.strip("*")]
    if not deep:
        deep = [UNKNOWN if _is_filtered(words) else "*"]
    files_only = "-type f" in " ".join(words)
    return [
        f"{start.rstrip('/')}/{UNKNOWN if name == '*' and files_only and start.rstrip('/') in SCRATCH else name}"
        for start in starts(words)[:MOST]
        for name in deep[:MOST]
    ]


def _is_filtered(words: list[str]) -> bool:
    """Whether find has a narrowing test: an age, a size, a rare file type; not `-name '*'`, nor all but a name."""
    rare = any(word == "-type" and kind in RARE for word, kind in zip(words, words[1:], strict=False))  # noqa: RUF007
    return rare or any(
        word in FILTERS and not (word in NAMES and (words[at - 1] in NOT or not words[at + 1].strip("*")))
        for at, word in enumerate(words[:-1])
    )
