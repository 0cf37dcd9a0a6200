"""Side effects for readers of the ledger, not used by the policy: unpacking, truncating, new directories.

Each function gets the words of a command and gives the kind of change and the paths, as in the command line.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Trace = tuple[str, ...]


def _after(words: list[str], *options: str) -> str:
    """The value of an option: the next word, or the rest of the same word."""
    for place, word in enumerate(words):
        for option in options:
            if word == option and place + 1 < len(words):
                return words[place + 1]
            if word.startswith(option) and len(word) > len(option):
                return word[len(option) :].removeprefix("=")
    return ""


def _unzip(words: list[str]) -> "list[Trace]":
    if any(word.startswith("-") and set(word) & set("ltpvZ") for word in words[1:]):
        return []  # lists, tests or prints
    archive = next((word for word in words[1:] if not word.startswith("-")), "")
    return [("unpacks", archive, _after(words, "-d") or ".")] if archive else []


def _tar(words: list[str]) -> "list[Trace]":
    first = words[1] if len(words) > 1 else ""
    flags = first.lstrip("-") if not first.startswith("--") else ""
    if "x" not in flags and not {"--extract", "--get"} & set(words):
        return []
    archive = _after(words, "--file") or (words[2] if flags.endswith("f") and len(words) > 2 else "")  # noqa: PLR2004
    return [("unpacks", archive or "stdin", _after(words, "-C", "--directory") or ".")]


def _truncate(words: list[str]) -> "list[Trace]":
    names = [word for word, before in zip(words[1:], words, strict=False) if not _is_option(word, before)]
    return [("changes", name) for name in names]


def _is_option(word: str, before: str) -> bool:
    return word.startswith("-") or before in ("-s", "--size", "-r", "--reference")


def _mkdir(words: list[str]) -> "list[Trace]":
    return [("creates", word) for word in words[1:] if not word.startswith("-")]


def _gunzip(words: list[str]) -> "list[Trace]":
    if any(word in ("-c", "--stdout", "-l", "-t") for word in words):
        return []
    return [("unpacks", word, ".") for word in words[1:] if not word.startswith("-")]


PROGRAMS: "dict[str, Callable[[list[str]], list[Trace]]]" = {
    "unzip": _unzip, "tar": _tar, "bsdtar": _tar, "truncate": _truncate, "mkdir": _mkdir,
    "gunzip": _gunzip, "bunzip2": _gunzip, "unxz": _gunzip, "unzstd": _gunzip,
}  # fmt: skip


def of(words: list[str]) -> "list[Trace] | None":
    """The side effects of a program of the table; None for another program."""
    found = PROGRAMS.get(words[0].rpartition("/")[2]) if words else None
    return found(words) if found is not None else None
