"""WRITERS: programs that write the files in their words, for `work`, with the read and the written operands."""

import os

from hookkit.approve import checks
from hookkit.approve.file_rows import ROWS
from hookkit.approve.row import Row
from hookkit.approve.words import Split, Spoiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.approve.paths import Ground

MODES = ("+x", "u+x", "a+x", "755", "644", "0755", "0644", "700", "600", "u+rw", "-x")
WRITERS = {
    "tee": Row("-aip --append"),
    "touch": Row("-acm --no-create", "-dt --date --time"),
    "mkdir": Row("-pv --parents --verbose", "-m --mode"),
    "rmdir": Row("-pv --parents --verbose"),
    "rm": Row("-fvi --force --verbose"),
    "cp": Row("-fnpvu --force --no-clobber --preserve --verbose --update"),
    "mv": Row("-fnvu --force --no-clobber --verbose --update"),
    "chmod": Row("-vcf --verbose --changes --silent"),
    "truncate": Row("", "-s --size"),
}


ADD = Row("-AuvnN --all --update --verbose --dry-run --intent-to-add --no-all", check="git")


class Written:
    """Files of a command: `changed` get a new content or vanish, `read` are copied."""

    __slots__ = ("changed", "read")

    def __init__(self) -> None:
        self.changed: list[str] = []
        self.read: list[str] = []


def of(name: str, split: Split, directory: str | None, ground: "Ground") -> Written:
    found = Written()
    operands = split.operands
    if not operands:
        raise Spoiled(f"{name} names no file")
    if name in ("cp", "mv"):
        _moved(name, operands, directory, ground, found)
    elif name == "chmod":
        if operands[0] not in MODES:
            raise Spoiled(f"chmod {operands[0]} is not known to be harmless")
        _inside(operands[1:], directory, ground)
    elif name in ("mkdir", "rmdir"):
        _inside(operands, directory, ground)  # a directory has no content for git to bring back
    else:
        found.changed = [ground.write(path, directory) for path in operands]
    return found


def _inside(paths: list[str], directory: str | None, ground: "Ground") -> None:
    for path in paths:
        ground.write(path, directory)


def _moved(name: str, operands: list[str], directory: str | None, ground: "Ground", found: Written) -> None:
    *sources, goal = operands
    if not sources:
        raise Spoiled(f"{name} names no goal")
    real = ground.write(goal, directory) if goal not in (".", "./") else os.path.realpath(directory or "/")
    into = os.path.isdir(real) or goal.endswith("/")
    if len(sources) > 1 and not into:
        raise Spoiled(f"{goal} is not a directory")
    for source in sources:
        if name == "mv" and os.path.islink(os.path.join(directory or "/", source)):
            raise Spoiled(f"{source} is a link, which would lead to another file from its new place")
        if name == "mv":
            found.changed.append(ground.write(source, directory))
        else:
            found.read.append(source)
        place = os.path.join(goal, os.path.basename(source.rstrip("/"))) if into else goal
        found.changed.append(ground.write(place, directory))


def in_place(words: list[str]) -> list[str] | None:
    """The words of sed without `-i`; None without the option. A suffix would make a second file: not known."""
    kept: list[str] = []
    found = False
    for at, word in enumerate(words):
        if word == "--":
            return [*kept, *words[at:]] if found else None
        is_short = len(word) > 1 and word[0] == "-" and word[1] != "-"
        if word == "--in-place" or (is_short and word[-1] == "i" and word[1:-1].strip("nErsuz") == ""):
            found = True
            kept += [word[:-1]] if is_short and len(word) > 2 else []  # noqa: PLR2004 - `-Ei`
        else:
            kept.append(word)
    return kept if found else None


def sed(split: Split, words: list[str], directory: str | None, ground: "Ground") -> Written:
    checks.sed(split, words, directory, ground)
    if any(" " in path and not os.path.lexists(os.path.join(directory or "/", path)) for path in split.operands[1:]):
        raise Spoiled("a file of sed may be a script on macOS, where -i has a value")
    found = Written()
    found.changed = [ground.write(path, directory) for path in split.operands[1:]]
    return found


SED = ROWS["sed"]
