"""Meanings of a path on a command line: whole directories behind a pattern, homes, directories of the system."""

from hookkit.programs.words import UNKNOWN

EMPTY = "/$EMPTY"  # where `$unset/` may lead
TOP = tuple("bin boot dev etc home lib lib64 opt proc root sbin srv sys usr var Users System Library".split())


def meanings(path: str, *, deletes: bool) -> list[str]:
    """The path, and for deleting also the emptied directory: `x/.[!.]*` is all of x."""
    if path[:1] == "~":
        path = _home(path)
    if not deletes:
        return [path]
    plain = path if path[:1] != "/" else path.replace(UNKNOWN, "$")
    return [plain] if whole(path) == path else [plain, whole(path)]


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


def last_name(path: str) -> str:
    return path.rpartition(":")[2].rpartition("/")[2]


def _home(path: str) -> str:
    """`~root/x` is another user's, `~+` is the current directory; the shell has expanded the user's own home."""
    user, slash, rest = path[1:].partition("/")
    if user == "+":
        return f".{slash}{rest}"
    if not user.replace("-", "_").isidentifier() or not user.islower():
        return path
    return f"{'/root' if user == 'root' else f'/home/{user}'}{slash}{rest}"
