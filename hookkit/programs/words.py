"""Words of a command as texts: the mark of a computed part, patterns over words.

>>> glob("delete-*", "delete-bucket")
True
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

UNKNOWN = "\0"  # a part of a word that only a run can tell; no real word holds a null byte
ALL = "*"
_STAR = "\1"  # a literal star


def is_option(word: str) -> bool:
    """A word with a dash, except a lone dash."""
    return len(word) > 1 and word[0] == "-" and word[1] not in " \t"


def base_name(word: str) -> str:
    """The name of a program without its directory."""
    return word.rpartition("/")[2] or word


def starred(pieces: "Sequence[str]", items: "Sequence[str]", fits: "Callable[[str, str], bool]") -> bool:
    """Pieces against items, in order: `*` is any number of items. One step back per star is enough."""
    at = item = 0
    star = mark = -1
    while item < len(items):
        if at < len(pieces) and pieces[at] == ALL:
            star, mark = at, item
            at += 1
        elif at < len(pieces) and fits(pieces[at], items[item]):
            at += 1
            item += 1
        elif star >= 0:
            mark += 1
            at, item = star + 1, mark
        else:
            return False
    return all(piece == ALL for piece in pieces[at:])


def glob(pattern: str, text: str) -> bool:
    r"""`*` is any run of characters, `\*` is a star; everything else is itself."""
    if "\\*" in pattern:
        pattern, text = pattern.replace("\\*", _STAR), text.replace("*", _STAR)
    if "*" not in pattern:
        return pattern == text
    head, *middle, tail = pattern.split("*")
    if len(text) < len(head) + len(tail) or not text.startswith(head) or not text.endswith(tail):
        return False
    start, end = len(head), len(text) - len(tail)
    for piece in middle:
        place = text.find(piece, start, end)
        if place < 0:
            return False
        start = place + len(piece)
    return True


def split(text: str) -> list[str]:
    """Words at blanks; quotes hold a word together."""
    if "'" not in text and '"' not in text:
        return [word for word in text.replace("\t", " ").replace("\n", " ").split(" ") if word]
    words: list[str] = []
    current: list[str] | None = None
    quote = ""
    for char in text:
        if quote:
            if char == quote:
                quote = ""
            else:
                current = [*(current or []), char]
        elif char in "'\"":
            quote = char
            current = current or []
        elif char in " \t\n":
            if current is not None:
                words.append("".join(current))
            current = None
        else:
            current = current or []
            current.append(char)
    if current is not None:
        words.append("".join(current))
    return words


def quoted(words: list[str]) -> str:
    """Words as a command line, each in quotes."""
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


def behind(words: list[str], *options: str) -> list[str]:
    """The words right behind these options."""
    return [words[at + 1] for at, word in enumerate(words[:-1]) if word in options]


EMPTY = "/$EMPTY"  # where `$unset/` may lead
TOP = tuple("bin boot dev etc home lib lib64 opt proc root sbin srv sys usr var Users System Library".split())


def meanings(path: str, *, deletes: bool) -> list[str]:
    """The path, and for deleting also the emptied directory: `x/.[!.]*` is all of x."""
    if path[:1] == "~":
        path = _home(path)
    elif path[1:2] == ":" and path[0].isalpha():  # a disk of Windows: its root is as good as the root
        path = f"/{path[2:].lstrip('/')}"
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
