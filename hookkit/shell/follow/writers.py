"""Commands that make files under another name, and far-reaching deletions hidden behind variables or globs."""

import os

from hookkit.programs.effects import GONE
from hookkit.programs.options import Parsed, parse
from hookkit.programs.words import EMPTY, TOP, is_top, whole
from hookkit.shell.commands import FILE_TEXT
from hookkit.shell.state import UNKNOWN, UNSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution

FETCHERS = ("curl", "wget", "fetch", "aria2c", "scp", "rsync", "aws", "gsutil")
# Commands that move a whole tree away or open a tree to everybody, and the option needed for a whole tree.
TREES = {"mv": "", **dict.fromkeys(("chmod", "chown", "chgrp", "chattr", "setfacl"), "-R")}
COPIERS = ("cp", "ln", "mv", "install")
MOST = 50  # files followed per copied directory
COMPILERS = ("gcc", "g++", "cc", "clang", "clang++", "go", "rustc", "tcc")
SOURCES = (".c", ".cc", ".cpp", ".cxx", ".h", ".go", ".rs")


def keep(line: "Resolution", command: "Command", name: str, context: "Context") -> None:
    """Remember the files made by a command, for later commands that run them; note far-reaching deletions."""
    words = command.words
    if name in MAKERS:
        MAKERS[name](line, words, context)
    if name in TREES:
        command.files += [(GONE, path) for path in _trees(name, parse(words), context)]
    elif line.catalogue.deletes(name):
        command.files += [(GONE, path) for path in _risks(words, context)]
        if name != "rmdir" and any(word[:1] == UNKNOWN and word[:2] != UNSET for word in words[1:]):
            command.doubt = "the files to delete are computed"


def _tee(line: "Resolution", words: list[str], context: "Context") -> None:
    text = UNKNOWN if context.stdin is None else context.stdin
    for path in words[1:]:
        if path[:1] != "-":
            line.made.write(path, text, context, append="-a" in words)


def _dd(line: "Resolution", words: list[str], context: "Context") -> None:
    values = dict(word.partition("=")[::2] for word in words[1:])
    if "of" in values:
        source = line.made.text(values["if"], context) if "if" in values else context.stdin or UNKNOWN
        line.made.write(values["of"], UNKNOWN if source == FILE_TEXT else source, context)


def _compile(line: "Resolution", words: list[str], context: "Context") -> None:
    """Code that the line wrote is judged when it is compiled; a program of unknown code is a doubt when it runs."""
    parsed = parse(words)
    texts = [text for path, text in line.made.files.items() if path.endswith(SOURCES)][:MOST]
    if "-" in parsed.operands:
        texts.append(UNKNOWN if context.stdin is None else context.stdin)
    if any(UNKNOWN in text for text in texts):
        line.made.fetched.update(line.made.place(path, context) for flag, path in parsed.values if flag == "-o")
    elif texts:
        from hookkit.shell.languages.code import judge  # late: few lines write code and compile it

        for text in texts:
            judge(line, text, line.commands[-1], context, parsed.operands[0])


def _fetch(line: "Resolution", words: list[str], context: "Context") -> None:
    from hookkit.programs.odd_files import saved  # late: few lines fetch a file

    for path in saved(parse(words)):
        line.made.fetched.add(line.made.write(path, UNKNOWN, context))


def _copy(line: "Resolution", words: list[str], context: "Context") -> None:
    parsed = parse(words)
    name, *rest = parsed.operands
    if len(rest) < 2:  # noqa: PLR2004 - a source and a goal
        return
    *sources, goal = rest
    if name == "ln" and "-s" in parsed.flags:
        for source in sources:
            line.made.link(source, goal, context)
        return
    into = goal.endswith("/") or context.shell.is_directory(line.made.place(goal, context))
    for source in sources:
        place = f"{goal.rstrip('/')}/{source.rstrip('/').rpartition('/')[2]}" if into else goal
        text = line.made.find(source, context)
        _copy_below(line, source, goal, context)
        line.made.write(place, UNKNOWN if text is None else text, context)
        if line.made.place(source, context) in line.made.fetched:
            line.made.fetched.add(line.made.place(place, context))


def _transfer(line: "Resolution", words: list[str], context: "Context") -> None:
    """Rsync and scp copy from another machine or from this machine."""
    from hookkit.programs.odd_files import saved

    (_fetch if saved(parse(words)) else _copy)(line, words, context)


def _copy_below(line: "Resolution", source: str, goal: str, context: "Context") -> None:
    """A directory with files made by the line: `cp -r made/. .` makes the files again under the target directory."""
    start = f"{line.made.place(source, context)}/"
    for path in [path for path in line.made.files if path.startswith(start)][:MOST]:
        place = f"{goal.rstrip('/')}/{path[len(start) :]}"
        line.made.write(place, line.made.files[path], context)
        line.commands[-1].files.append((">", place))


def _risks(words: list[str], context: "Context") -> list[str]:
    """Paths deleted if a variable is empty, and paths right below the root."""
    here = context.shell.directory
    risks = []
    for word in words[1:]:
        if UNSET in word and word[0] != "/":
            rest = word.replace(UNSET, "")
            at_home = f"{rest}/".startswith(f"{context.shell.home}/")
            risks += (
                [EMPTY]
                if word[0] == UNKNOWN and is_top(os.path.normpath(rest))
                else [rest]
                if word[0] != UNKNOWN or at_home
                else []
            )
        pwd = context.shell.variables["PWD"].options[0].get("0") if "PWD" in context.shell.variables else ""
        if here is None and pwd in (UNSET, UNKNOWN) and whole(word) == ".":
            risks.append(EMPTY)
        elif here is not None and UNKNOWN in word and _is_high(here, context):
            risks.append(f"{here}/$")
    return [path for path in risks if path]


def _trees(name: str, parsed: Parsed, context: "Context") -> list[str]:
    """The root, system directories below the root, the home; for `mv` also a parent of the current directory."""
    operands = parsed.operands[1:]
    if TREES[name] and TREES[name] not in parsed.flags:
        return []
    if name == "mv" and "-t" not in parsed.flags:
        operands = operands[:-1]
    here = context.shell.directory or UNKNOWN
    trees = []
    for path in operands:
        if path[:1] == "~" and path[1:2].isalpha():
            trees.append(path)  # the home of another user
        place = os.path.normpath(os.path.join(here, whole(path)))
        around = name == "mv" and (f"{here}/".startswith(f"{place}/") or place.endswith("/.git"))
        if around and whole(path) != path and parsed.operands[-1] != "/dev/null" and not _is_high(place, context):
            continue  # `mv * into/`, `mv "$f" "x_$f"`: the files are still there
        trees += [path] if around or _is_high(place, context) else []
    return trees


def _is_high(place: str, context: "Context") -> bool:
    """The root, a system directory below the root, the home."""
    return place in ("/", "//", context.shell.home) or (place.count("/") == 1 and place[1:] in TOP)


MAKERS = {
    "tee": _tee,
    "dd": _dd,
    **dict.fromkeys(COMPILERS, _compile),
    **dict.fromkeys(FETCHERS, _fetch),
    **dict.fromkeys(COPIERS, _copy),
    **dict.fromkeys(("rsync", "scp"), _transfer),
}
