"""Files read, written and deleted by a command, found from its words; deleting and moving away is writing, too.

Files sent to another machine are in `sends` and `flows`.
"""

from hookkit.shell.effect_rows import (
    ALL,
    BUT_LAST,
    DELETERS,
    DOWNLOADERS,
    EFFECTS,
    FILTERS,
    FIRST_IS_TEXT,
    INTO,
    LAST,
    MORE,
    NAMES,
    NONE,
    RARE,
    RECURSIVE,
    SCRATCH,
    WHOLE,
    Effect,
)
from hookkit.shell.programs import Shape
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Touch = tuple[str, str]  # READ, WRITE or DELETE, and a path as written

READ, WRITE, DELETE, MAKE, SEND = "Read", "Write", "Delete", "Make", "Send"
GONE = "gone"  # an operator in addition to the redirect operators: a whole tree, as good as deleted
EMPTY = "/$EMPTY"  # where `$unset/` may lead
TOP = tuple("bin boot dev etc home lib lib64 opt proc root sbin srv sys usr var Users System Library".split())


NO_TEXT = ("-e", "-f", "--expression", "--regexp", "--file")  # options that bring the text to look for


def files_of(shape: Shape, redirects: "list[Touch]", is_directory: "Callable[[str], bool]") -> "list[Touch]":
    """Every file touched by the command: READ, WRITE or DELETE, and the path as written."""
    found = [touch for operator, path in redirects for touch in _redirected(operator, path)]
    name = shape.operands[0]
    if name in OWN:
        found += OWN[name](shape.words, shape)
    if name in MORE:
        from hookkit.shell import outfiles  # late: few programs name their files in other ways

        found += outfiles.touched(shape.words, shape)
    if name in EFFECTS:
        found += _by_row(EFFECTS[name], shape, is_directory)
    return [(kind, meant) for kind, path in found for meant in _meanings(kind, path)]


def _by_row(effect: Effect, shape: Shape, is_directory: "Callable[[str], bool]") -> "list[Touch]":
    name, *operands = shape.operands
    found: list[Touch] = []
    if name in INTO and len(operands) > 1 and is_directory(operands[-1]):
        into = operands[-1].rstrip("/")
        found += [(WRITE, f"{into}/{path.rstrip('/').rpartition('/')[2]}") for path in operands[:-1]]
    if name in DELETERS:
        found += [(DELETE, path) for path in operands]
    writes = effect.writes if not effect.when or _has(effect.when, shape) else NONE
    no_text = bool(shape.flags) and not shape.flags.isdisjoint(NO_TEXT)
    found += [(WRITE, path) for path in _chosen(ALL if no_text and writes == FIRST_IS_TEXT else writes, operands)]
    reads = ALL if no_text and effect.reads == FIRST_IS_TEXT else effect.reads
    found += [(READ, path) for path in _chosen(reads, operands)]
    for flag, value in shape.values:
        found += [(WRITE, value)] if flag in effect.write_options else []
        path = value.rpartition("@")[2].partition(",")[0].partition(";")[0] if "@" in value else value
        if flag in effect.read_options and (path != value or flag in WHOLE):
            found.append((READ, path))
    return found


# -- programs with ways of their own ---------------------------------------------------------------


def _find(words: list[str], _: Shape) -> "list[Touch]":
    prints = [(WRITE, words[at + 1]) for at, word in enumerate(words[:-1]) if word.startswith(("-fprint", "-fls"))]
    if "-delete" not in words or "-empty" in words:
        return prints
    if any(start.strip(UNKNOWN) == "/" and start[:1] == UNKNOWN for start in starts(words)):
        prints.append((DELETE, EMPTY))  # `find "$unset"/ -delete`
    narrow = any(word in FILTERS or word in ("-type", "-mindepth", "-maxdepth") for word in words)
    found = found_by(words) if narrow else starts(words)
    return [*prints, *((kind, path) for path in found for kind in (DELETE, WRITE))]


def _disk(_: list[str], shape: Shape) -> "list[Touch]":
    """Tools for disks write, unless they only list."""
    lists = {"-l", "-p", "-L", "-h", "-v", "-b", "-n", "-V", "--list", "--print", "--help", "--version", "--no-act"}
    plain = len(shape.operands) < 2 or not lists.isdisjoint(shape.flags) or "print" in shape.operands  # noqa: PLR2004
    return [] if plain else [(WRITE, path) for path in shape.operands[1:]]


def _mkdir(_: list[str], shape: Shape) -> "list[Touch]":
    """Making a directory changes no file, so rules about writing do not cover `mkdir`."""
    return [(MAKE, path) for path in shape.operands[1:]]


def _dd(words: list[str], _: Shape) -> "list[Touch]":
    kinds = {"of=": WRITE, "if=": READ}
    return [(kinds[word[:3]], word[3:]) for word in words if word[:3] in kinds]


def _chmod(_: list[str], shape: Shape) -> "list[Touch]":
    """Rules about writing do not cover a mode without permissions for group and others."""
    mode = shape.operands[1] if len(shape.operands) > 1 else ""
    if {"-x", "-w", "-r"} & shape.flags:
        return [(WRITE, path) for path in shape.operands[1:]]
    private = (mode.isdigit() and mode[-2:] == "00") or mode.startswith(("go-", "o-", "u+", "u=", "og-", "+x", "a+x"))
    return [] if private else [(WRITE, path) for path in shape.operands[2:]]


def reads_below(shape: Shape) -> bool:
    """Whether a command reads everything below its directory operands."""
    flags = RECURSIVE.get(shape.operands[0])
    return flags is not None and (not flags or any(flag in shape.flags for flag in flags))


def _download(_: list[str], shape: Shape) -> "list[Touch]":
    urls = [*shape.operands[1:], *(value for flag, value in shape.values if flag == "--url")]
    found = [(READ, url[7:]) for url in urls if url.lower().startswith("file://")]
    return found + [(WRITE, path) for path in saved(shape)]


def saved(shape: Shape) -> list[str]:
    """Files written by a downloader: the `-o` path, or else the last part of the url."""
    name, *urls = shape.operands
    if name in ("scp", "rsync", "aws", "gsutil"):
        remote = [path for path in urls[:-1] if ":" in path]
        return [place for path in remote for place in (urls[-1], f"{urls[-1]}/{_last(path)}")]
    given = [value for flag, value in shape.values if flag == ("-O" if name == "wget" else "-o")]
    if given or (name == "curl" and "-O" not in shape.flags):
        return [path for path in given if path != "-"]
    into = next((f"{value}/" for flag, value in shape.values if flag in ("-P", "-d", "--output-dir")), "")
    return [into + last for url in urls if (last := _last(url.partition("?")[0]))]


def _last(path: str) -> str:
    return path.rpartition(":")[2].rpartition("/")[2]


def _rsync(_: list[str], shape: Shape) -> "list[Touch]":
    """`--delete` deletes files missing in the source; a remote target counts only near its root directory."""
    flags, operands = shape.flags, shape.operands[1:]
    if "-n" in flags or len(operands) < 2:  # noqa: PLR2004 - a source and a goal
        return []
    host, colon, path = operands[-1].partition(":")
    goal = path if colon and "/" not in host else operands[-1]
    found = [(DELETE, path) for path in operands[:-1] if "--remove-source-files" in flags]
    if any(flag.startswith("--del") for flag in flags) and (goal == operands[-1] or is_top(goal)):
        found.append((DELETE, f"{goal.rstrip('/')}/*"))
    return found


def _archive(words: list[str], shape: Shape) -> "list[Touch]":
    """An archive is written or read; `tar --remove-files` and `zip -m` delete the packed files."""
    makes = not {"-c", "-r", "-u", "-A"}.isdisjoint(shape.flags)
    found = [(WRITE if makes else READ, value) for flag, value in shape.values if flag in ("-f", "--file")]
    found += [(READ, value) for flag, value in shape.values if flag in ("-T", "-X", "--files-from", "--exclude-from")]
    if shape.operands[0] == "zip":
        found = [(WRITE, path) for path in shape.operands[1:2]]
    moves = "--remove-files" in words or (shape.operands[0] == "zip" and "-m" in shape.flags)
    return [*found, *((DELETE, path) for path in shape.operands[1:] if moves)]


OWN: "dict[str, Callable[[list[str], Shape], list[Touch]]]" = {
    "find": _find,
    "dd": _dd,
    "mkdir": _mkdir,
    **dict.fromkeys(("wipefs", "blkdiscard", "parted", "sgdisk"), _disk),
    "chmod": _chmod,
    **dict.fromkeys(DOWNLOADERS, _download),
    "rsync": _rsync,
    "tar": _archive,
    "zip": _archive,
}


def starts(words: list[str]) -> list[str]:
    """Where find begins to look."""
    found: list[str] = []
    for word in words[1:]:
        if word[:1] in "-(!" and word not in ("-H", "-L", "-P"):
            break
        found += [] if word[:1] == "-" else [word]
    return found or ["."]


def found_by(words: list[str]) -> list[str]:
    """Paths found by find, as patterns: the value of `-name`, at any depth; UNKNOWN with other tests."""
    pruned = words.index("-prune") if "-prune" in words else len(words)
    left_out = words.index("-o", pruned) if "-o" in words[pruned:] else 0
    places = [at for at, word in enumerate(words[:-1]) if word in NAMES and words[at - 1] not in ("!", "-not")]
    names = [words[at + 1].lower() if words[at][1] == "i" else words[at + 1] for at in places if at > left_out]
    deep = [f"**/{name}" for name in names if name.strip("*")]
    if not deep:
        deep = [UNKNOWN if _is_filtered(words) else "*"]
    files_only = "-type f" in " ".join(words)
    return [
        f"{start.rstrip('/')}/{UNKNOWN if name == '*' and files_only and start.rstrip('/') in SCRATCH else name}"
        for start in starts(words)[:8]
        for name in deep[:8]
    ]


def _is_filtered(words: list[str]) -> bool:
    """Whether find has a narrowing test: an age, a size, a rare file type; `-name '*'` does not count."""
    rare = any(word == "-type" and kind in RARE for word, kind in zip(words, words[1:], strict=False))  # noqa: RUF007
    return rare or any(
        word in FILTERS and not (word in NAMES and not words[at + 1 : at + 2][0].strip("*"))
        for at, word in enumerate(words[:-1])
    )


# -- meanings of a path ----------------------------------------------------------------------------


def _meanings(kind: str, path: str) -> list[str]:
    """The path, and for deleting also the emptied directory: `x/.[!.]*` is all of x."""
    if path[:1] == "~":
        path = _home(path)
    if kind != DELETE:
        return [path]
    found = [path if path[:1] != "/" else path.replace(UNKNOWN, "$")]
    return found if whole(path) == path else [*found, whole(path)]


def whole(path: str) -> str:
    """The directory whose whole content a pattern matches: `x` for `x/*`; any other path is returned unchanged."""
    names = path.rstrip("/").split("/")
    if not is_everything(names[-1]):
        return path
    while names and is_everything(names[-1]):
        names.pop()
    return "/".join(names) or ("/" if path[0] == "/" else ".")


def is_everything(name: str) -> bool:
    """`*`, `.*`, `?*`, `.[!.]*`, `[a-z]*`: patterns for nearly all names; `*[;|]*` matches only rare names."""
    head, *rest = name.split("[")
    sets = [part.partition("]") for part in rest]
    rare = any(chars[:1] not in ("!", "^") and not any(map(str.isalnum, chars)) for chars, _, _ in sets)
    return "*" in name and not rare and not (head + "".join(behind for _, _, behind in sets)).strip("*?.")


def is_top(path: str) -> bool:
    """The root directory, a system directory directly below the root, or the whole content of either."""
    names = [name for name in path.split("/") if name]
    while names and is_everything(names[-1]):
        names.pop()
    return path[:1] == "/" and (not names or (len(names) == 1 and names[0] in TOP))


def _home(path: str) -> str:
    """`~root/x` is another user's, `~+` is the current directory; the shell has expanded the user's own home."""
    user, slash, rest = path[1:].partition("/")
    if user == "+":
        return f".{slash}{rest}"
    if not user.replace("-", "_").isidentifier() or not user.islower():
        return path
    return f"{'/root' if user == 'root' else f'/home/{user}'}{slash}{rest}"


def _redirected(operator: str, path: str) -> "list[Touch]":
    if operator == "<":
        return [(READ, path)]
    if operator == GONE:
        return [(DELETE, path), (WRITE, path)]
    return [(READ, path), (WRITE, path)] if operator == "<>" else [(WRITE, path)]


def _has(flag: str, shape: Shape) -> bool:
    return flag in shape.flags or any(have.startswith(flag) for have in shape.flags if have[:2] != "--")


def _chosen(which: str, operands: list[str]) -> list[str]:
    if which == ALL:
        return operands
    if which == LAST:
        return operands[-1:]
    if which == BUT_LAST:
        return operands[:-1]
    return operands[1:] if which == FIRST_IS_TEXT else []
