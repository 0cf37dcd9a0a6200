"""Files of programs that name them in ways of their own: archives, downloads and copies, dd, chmod, disks."""

from hookkit.programs.options import Parsed, Stage, shaped
from hookkit.programs.words import ALL, UNKNOWN, glob, is_top, last_name, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.programs.effects import Effect


MOST = 50  # members that are named
UNPACKERS = ("gunzip", "bunzip2", "unxz", "unzstd")
PRINTS = ("-l", "-p", "-t", "-v", "-Z", "-O", "--to-stdout")  # with these nothing is unpacked


def of_archive(parsed: Parsed) -> "list[Effect]":
    name = parsed.operands[0]
    if name == "unzip":
        return _unzip(parsed)
    if name == "zip":
        return _zip(parsed)
    if name[:2] == "7z":
        return _7z(parsed)
    if name == "cpio":
        return [("Fill", (parsed.values_of("fills") or ["."])[-1])] if parsed.has("-i") else []
    return _tar(parsed) if name.endswith("tar") else _packed(parsed)


def _7z(parsed: Parsed) -> "list[Effect]":
    """`7z x a.7z -oDIRECTORY`."""
    into = [value for option, value in parsed.values if option == "-o"]
    return _members(parsed.operands[3:], into) if parsed.operands[1:2] in (["x"], ["e"]) else []


def _packed(parsed: Parsed) -> "list[Effect]":
    """`gzip file` leaves file.gz in the place of the file."""
    if parsed.has("-c", "-k", "-l", "-t", "--stdout", "--to-stdout", "--keep", "--list", "--test"):
        return []
    return [(kind, path) for path in parsed.operands[1:] for kind in ("Write", "Move")]


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
    filled = [("Fill", base or ".")]
    return named or filled + [("Write", f"{base or './'}{UNKNOWN}"), ("Write", f"{base}*")] * bool(into)


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


DOWNLOADERS = ("curl", "wget", "fetch", "aria2c")
WGET = ("-P", "--directory-prefix")
CONTAINERS = ("docker", "podman", "nerdctl", "kubectl", "oc")
HANDED = ("--from-file", "--from-env-file", "--env-file")  # options with a file for a container or a cluster
MOUNTS = ("--mount", "--secret")
TREES = frozenset(("sync", "rsync"))  # sub-commands of aws s3 and gsutil for whole trees


def of_copy(parsed: Parsed) -> "list[Effect]":
    name = parsed.operands[0]
    if name in DOWNLOADERS:
        return _download(parsed)
    if name == "rsync":
        return _rsync(parsed)
    return _container(parsed) if name in CONTAINERS else _copied(parsed)


def _download(parsed: Parsed) -> "list[Effect]":
    urls = [*parsed.operands[1:], *(value for option, value in parsed.values if option == "--url")]
    local = [("Read", url[7:]) for url in urls if url.lower().startswith("file://")]
    if parsed.operands[0] == "wget" and parsed.has("-r", "-x", "-m", "--recursive", "--mirror", "--force-directories"):
        local.append(("Fill", ([value for option, value in parsed.values if option in WGET] or ["."])[-1]))
    return local + [("Write", path) for path in saved(parsed)]


def saved(parsed: Parsed) -> list[str]:
    """Files written by a downloader: the `-o` path, or else the last part of the url."""
    name, *urls = parsed.operands
    if name in ("scp", "rsync", "aws", "gsutil"):
        remote = [path for path in urls[:-1] if ":" in path]
        return [goal for path in remote for goal in (urls[-1], f"{urls[-1]}/{last_name(path)}")]
    given = [value for option, value in parsed.values if option == ("-O" if name == "wget" else "-o")]
    folders = WGET if name == "wget" else ("--output-dir",) if name == "curl" else ("-d",)
    into = next((f"{value}/" for option, value in parsed.values if option in folders), "")
    if given or (name == "curl" and "-O" not in parsed.flags):
        where = into if name != "wget" else ""
        return [_numbered(path if path[:1] in ("/", "~") else where + path) for path in given if path != "-"]
    return [into + last for url in urls if (last := last_name(url.partition("?")[0]))]


def _numbered(path: str) -> str:
    """In a name curl replaces `#1` by a part of the address."""
    if "#" not in path:
        return path
    import re  # late: few downloads number their files

    return re.sub(r"#\d+", "*", path)


def _rsync(parsed: Parsed) -> "list[Effect]":
    """`--delete` deletes files missing in the source; a remote target counts only near its root directory."""
    flags, operands = parsed.flags, parsed.operands[1:]
    if "-n" in flags or len(operands) < 2:  # noqa: PLR2004 - a source and a goal
        return []
    host, colon, path = operands[-1].partition(":")
    goal = path if colon and "/" not in host else operands[-1]
    deleted = [("Delete", path) for path in operands[:-1] if "--remove-source-files" in flags]
    if goal == operands[-1] and any(path.endswith(("/", "/.")) for path in operands[:-1]):
        deleted += [("Write", f"{goal.rstrip('/')}/*"), ("Fill", goal)]
    if any(flag.startswith("--del") for flag in flags) and (goal == operands[-1] or is_top(goal)):
        deleted.append(("Delete", f"{goal.rstrip('/')}/*"))
    return deleted


def _copied(parsed: Parsed) -> "list[Effect]":
    """`docker cp box:/x here`, `scp here host:x`."""
    name = parsed.operands[0]
    start = {"scp": 1, "sftp": 1}.get(name, 3 if parsed.operands[:2] == ["aws", "s3"] else 2)
    if not TREES.isdisjoint(parsed.operands[1:3]) and ":" not in parsed.operands[-1]:
        return [("Fill", parsed.operands[-1])]
    if name not in ("scp", "sftp") and "cp" not in parsed.operands[1:3]:
        return []
    *sources, goal = parsed.operands[start:] or [""]
    remote = any(":" in path for path in sources)
    if not remote and ":" not in goal:
        return []
    filled = [("Fill", goal)] * (remote and (name not in ("scp", "sftp") or parsed.has("-r")))
    return [("Write", goal)] * remote + filled + [("Read", path) for path in sources if ":" not in path]


def _container(parsed: Parsed) -> "list[Effect]":
    """Copies, mounted directories, files handed over."""
    touched = _copied(parsed)
    words = parsed.words
    for place, word in enumerate(words):
        option, equals, value = word.partition("=")
        value = value if equals else words[place + 1] if place + 1 < len(words) else ""
        if option in HANDED:
            touched.append(("Read", value.rpartition("=")[2]))
        elif option in ("-v", "--volume") and value[:1] in ("/", "~", "."):
            touched += _mounted(value.partition(":")[0], is_open=not value.endswith(":ro"))
        elif option in MOUNTS:
            pairs = [pair.partition("=") for pair in value.split(",")]
            is_open = option == "--mount" and not any(key in ("ro", "readonly") for key, _, _ in pairs)
            touched += [
                row for key, _, path in pairs if key in ("src", "source") for row in _mounted(path, is_open=is_open)
            ]
    return [(kind, path) for kind, path in touched if path and whole(path) not in (".", "/")]


def _mounted(path: str, *, is_open: bool) -> "list[Effect]":
    """A container reads the directory, and may write anything there."""
    return [("Read", path), *[("Fill", path)] * is_open]


LISTS = ("-l", "-p", "-L", "-h", "-v", "-b", "-n", "-V", "--list", "--print", "--help", "--version", "--no-act")
OWNER = ("6", "7")  # digits of a mode with which the owner reads and writes
PRIVATE = ("go-", "o-", "u+", "u=", "og-", "+x", "a+x")  # modes that open a file to nobody else


def effects(parsed: Parsed) -> "list[Effect]":
    return FILES[parsed.operands[0]](parsed)


def _dd(parsed: Parsed) -> "list[Effect]":
    kinds = {"of=": "Write", "if=": "Read"}
    return [(kinds[word[:3]], word[3:]) for word in parsed.words if word[:3] in kinds]


def _chmod(parsed: Parsed) -> "list[Effect]":
    """Rules about writing do not cover a mode without permissions for group and others."""
    mode = parsed.operands[1] if len(parsed.operands) > 1 else ""
    if parsed.has("-x", "-w", "-r"):  # these modes look like options
        return [(kind, path) for path in parsed.operands[1:] for kind in ("Write", "Rights")]
    private = (mode.isdigit() and mode[-2:] == "00") or mode.startswith(PRIVATE)
    kinds = ["Write"] * (not private) + ["Rights"] * (not _keeps_owner(mode))
    return [(kind, path) for path in parsed.operands[2:] for kind in kinds]


def _keeps_owner(mode: str) -> bool:
    """Whether the owner of the file can use it as before."""
    return mode[-3:-2] in OWNER if mode.isdigit() else all(map(_leaves_owner, mode.split(",")))


def _leaves_owner(clause: str) -> bool:
    """`go-w`, `+x` and `u=rwx` take nothing from the owner, `a-w` and `u=` do."""
    who = clause[: len(clause) - len(clause.lstrip("ugoa"))]
    operator, modes = clause[len(who) : len(who) + 1], clause[len(who) + 1 :]
    if who and {*"ua"}.isdisjoint(who):
        return True
    return operator == "+" or (operator == "=" and {*"rw"} <= {*modes}) or (operator == "-" and not {*modes} & {*"rwx"})


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


def _patch(parsed: Parsed) -> "list[Effect]":
    """Without a file of its own, the patch names the files."""
    into = parsed.values_of("fills")
    return [("Fill", (into or ["."])[-1])] if into or len(parsed.operands) < 2 else []  # noqa: PLR2004


def _split(parsed: Parsed) -> "list[Effect]":
    """`split file prefix` writes prefixaa, prefixab…"""
    return [("Write", f"{path}aa") for path in parsed.operands[2:3]]


def _awk(parsed: Parsed) -> "list[Effect]":
    changes = ("-i", "inplace") in parsed.values
    return [("Write", path) for path in parsed.operands[2:]] if changes else []


def _git(parsed: Parsed) -> "list[Effect]":
    """Sub-commands that write, delete or move away files that they name."""
    kinds = GIT.get(parsed.operands[1]) if len(parsed.operands) > 1 else None
    if kinds is None or parsed.has("--cached") or (parsed.has("-S") and not parsed.has("-W")):
        return []  # only the index changes
    words = parsed.words
    if "--" in words:
        paths = words[words.index("--") + 1 :]
    else:
        paths = parsed.operands[2:] if parsed.operands[1] in NAMED else []
    below = [word.partition("=")[2] + "/*" for word in words if word.startswith("--directory=")]
    filled = [("Fill", ".")] * (parsed.operands[1] == "apply")
    return [(kind, path) for path in (*paths, *below) for kind in kinds] + filled


# The effects of git's sub-commands on their files; those in NAMED need no `--` before them.
NAMED = {"rm": ("Write", "Move"), "mv": ("Write", "Move"), "restore": ("Write",)}
GIT = {**NAMED, **dict.fromkeys(("checkout", "stash", "apply"), ("Write",))}
FILES = {
    "git": _git,
    "dd": _dd,
    "dcfldd": _dd,
    "chmod": _chmod,
    **dict.fromkeys(("wipefs", "blkdiscard", "parted", "sgdisk"), _disk),
    "cmake": _cmake,
    "gio": _gio,
    "getent": _getent,
    "split": _split,
    "patch": _patch,
    "awk": _awk,
    "gawk": _awk,
}


def may_match(stage: Stage, parsed: Parsed) -> bool:
    """A computed word may be any option and any number of operands; all known words must fit the pattern."""
    if not stage.program or stage.program != parsed.operands[0]:
        return False
    wanted, values, globs = shaped(stage, parsed.record)
    plain = [glob_ for glob_ in globs[1:] if glob_ != ALL]
    if (not wanted and not values and not plain) or any(word.startswith("every-") for word in plain):
        return False  # `every-process` and its like are words of hookkit's own, and never computed
    missing = [flag for flag in wanted if flag not in parsed.flags]
    operands = parsed.operands[1:]
    known = [word for word in operands if word[:1] != UNKNOWN]
    if len(operands) == len(known):
        return False  # the computed word is the value of an option
    return _fits(globs[1:], operands) and (bool(missing) or len(known) < len(plain))


def _fits(globs: list[str], words: list[str]) -> bool:
    """Globs against words where either side may have a part that stands for any number of the other's."""
    reachable = {0}
    for word in words:
        wild = word[:1] == UNKNOWN
        following: set[int] = set()
        for at in _skipped(globs, reachable):
            if wild:
                following.update(range(at, len(globs) + 1))
            elif at < len(globs) and globs[at] == ALL:
                following.add(at)
            elif at < len(globs) and glob(globs[at], word):
                following.add(at + 1)
        reachable = following
    return len(globs) in _skipped(globs, reachable)


def _skipped(globs: list[str], places: set[int]) -> set[int]:
    """A lone star may stand for no word at all."""
    skipped = set(places)
    for place in places:
        at = place
        while at < len(globs) and globs[at] == ALL:
            at += 1
            skipped.add(at)
    return skipped
