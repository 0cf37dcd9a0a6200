"""Side effects that the policy need not know and a reader of the ledger wants: unpacking, truncating, one-liners.

Each function gets the words of a command and gives what happens and the paths, as the command line names them.
"""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Trace = tuple[str, ...]

LONGEST = 4_000  # characters of a one-liner that are searched
# Calls of other languages that write or delete a file, with the path as a literal.
TEXT = r"""\(\s{0,4}[rbf]{0,2}(["'])([^"'\n]{1,300})\1"""
WRITES = re.compile(
    rf"""(?:\bopen{TEXT}\s{{0,4}},\s{{0,4}}(?:mode=)?["'][rbt+]{{0,2}}[wax]"""
    r"""|(?:writeFile(?:Sync)?|appendFile(?:Sync)?|File\.write|IO\.write|file_put_contents)"""
    r"""\(\s{0,4}(["'])([^"'\n]{1,300})\3"""
    r"""|Path\(\s{0,4}(["'])([^"'\n]{1,300})\5\)\.(?:write_|touch))"""
)
DELETES = re.compile(
    r"""(?:\b(?:unlink(?:Sync)?|rmSync|rmtree|remove|File\.delete|removedirs|rm_rf)"""
    r"""[\s(]{1,4}(["'])([^"'\n]{1,300})\1|Path\(\s{0,4}(["'])([^"'\n]{1,300})\3\)\.(?:unlink|rmdir))"""
)


def _after(words: list[str], *options: str) -> str:
    """The value of an option: the next word, or the rest of the same one."""
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


def of_code(code: str) -> "list[Trace]":
    """The files that a one-liner of another language writes or deletes, as far as they are written out."""
    code = code[:LONGEST]
    traces: list[Trace] = []
    for kind, pattern in (("changes", WRITES), ("deletes", DELETES)):
        for match in pattern.finditer(code):
            path = next((group for group in match.groups()[1::2] if group), "")
            traces += [(kind, path)] if path else []
    return traces
