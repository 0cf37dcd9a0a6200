"""xargs, find and parallel: programs that run a command on a list of names."""

from hookkit.programs.effects import GONE
from hookkit.programs.find import found_by
from hookkit.programs.options import read_option
from hookkit.programs.words import behind
from hookkit.shell.commands import FILE_TEXT
from hookkit.shell.follow import shells
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution

EXECUTES = ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch")
NAMES = 64  # names followed per batch; more are UNKNOWN
# Programs that change the files found by find, beside the ones that delete.
CHANGERS = ("mv", "chmod", "chown", "chgrp", "rmdir", "sh", "bash", "truncate", "cp", "sed", "perl")
SEPARATORS = (":::", ":::+", "::::", "::::+")


def xargs(line: "Resolution", command: "Command", context: "Context") -> str:
    words = command.words
    at, hole, source = 1, "", context.stdin
    record = line.catalogue.get("xargs")
    while at < len(words) and words[at][:1] == "-" and len(words[at]) > 1:
        option = words[at]
        following = words[at + 1] if at + 1 < len(words) else ""
        if option[:2] in ("-I", "-i") or option.startswith("--replace"):
            attached = option.partition("=")[2] if option[1] == "-" else option[2:]
            hole = attached or (following if option == "-I" else "{}")
        if option in ("-a", "--arg-file"):
            source = line.made.text(following, context)
        elif option[:2] == "-a" or option.startswith("--arg-file="):
            source = line.made.text(option.partition("=")[2] or option[2:], context)
        at += 1 + read_option(option, following or None, record)[1]
    rest = words[at:] or ["echo"]
    text = UNKNOWN if source is None or source == FILE_TEXT else source
    null = any(
        word in ("-0", "--null") or (word[:1] == "-" and word[1:2] != "-" and "0" in word) for word in words[:at]
    )
    names = _given(text, "\0" if null else "\n" if hole else "")
    inner = context.inside("xargs")
    inner.stdin = None
    if not hole:
        return line.run([*rest, *names], inner)
    for name in names[:8]:
        line.budget.spend(2, len(name) * len(rest))
        line.run([word.replace(hole, name) for word in rest], inner)
    return UNKNOWN


def _given(text: str, separator: str) -> list[str]:
    """The names on stdin: words, lines for `-I`, the whole text for `-0`; find prints a name per line here."""
    if separator == "\0" and "\n" not in text.rstrip("\n"):
        return [text.rstrip("\n")]
    names = [name for name in (text.split("\n") if separator else text.split()) if name]
    return names if 0 < len(names) <= NAMES else [UNKNOWN]


def find(line: "Resolution", command: "Command", context: "Context") -> str:
    """Commands behind -exec; the patterns of `-name` stand in for the files found."""
    words = command.words
    paths = found_by(words) if words[0].rpartition("/")[2] not in ("fd", "fdfind") else _below(words)
    at = 1
    while at < len(words):
        if words[at] in EXECUTES:
            ends = [words.index(stop, at) for stop in (";", "+") if stop in words[at:]]
            end = min(ends, default=len(words))
            changes = _changes(line, words[at + 1 : at + 2])
            names = paths if changes else [path.replace(f"/{UNKNOWN}", "/*") for path in paths]
            inner = [text for word in words[at + 1 : end] for text in _filled(word, names)]
            if words[0].rpartition("/")[2] in ("fd", "fdfind") and not any("{" in word for word in words[at + 1 : end]):
                inner += names
            if inner and inner[0].rpartition("/")[2] == "truncate":
                command.files += [(GONE, path) for path in paths]
            if inner and inner[0].rpartition("/")[2] in ("chmod", "chown", "chgrp"):
                inner.insert(1, "-R")  # on every path found
            if inner:
                line.run(inner, context.inside(f"{words[0]} {words[at]}"))
            at = end
        at += 1
    acts = any(word.startswith(("-exec", "-ok", "-delete", "-fprint", "-x", "-X")) for word in words[1:])
    return "" if acts else "".join(f"{path}\n" for path in found_by(words))


def _changes(line: "Resolution", words: list[str]) -> bool:
    name = words[0].rpartition("/")[2] if words else ""
    return name in CHANGERS or line.catalogue.deletes(name)


def _below(words: list[str]) -> list[str]:
    """Files found by fd: `fd pattern path… -x command`."""
    end = next((at for at, word in enumerate(words) if word in EXECUTES), len(words))
    operands = [word for word in words[1:end] if word[:1] != "-"]
    pattern = operands[0] if operands else "."
    name = "*" if pattern in (".", "", ".*") else UNKNOWN
    return [f"{path.rstrip('/')}/{name}" for path in operands[1:] or ["."]]


def _filled(word: str, matches: list[str]) -> list[str]:
    return matches if word == "{}" else [word.replace("{}", matches[0])]


def parallel(line: "Resolution", command: "Command", context: "Context") -> str:
    """GNU parallel: a command with arguments behind `:::`, or from stdin; without a command the lines are commands."""
    words = command.words[1:]
    start = _behind_options(line, words)
    marks = [at for at, word in enumerate(words) if word in SEPARATORS and at >= start]
    end = marks[0] if marks else len(words)
    rest, arguments = words[start:end], _arguments(line, words, marks, context)
    if not marks:
        named = behind(words[:start], "-a", "--arg-file")
        given = line.made.text(named[0], context) if named else context.stdin
        arguments = _given(UNKNOWN if given in (None, FILE_TEXT) else str(given), "\n")
    if "--colsep" in words or "-C" in words[:start]:
        arguments = [piece for text in arguments for piece in [" ".join(text.replace(",", " ").split())]]
    for at, word in enumerate(words[:start]):
        if word == "--env":  # a variable in the environment of the commands
            values = context.shell.variables.get(words[at + 1]) if at + 1 < len(words) else None
            if values is not None and values.options[0].get("0"):
                shells.code(
                    line, values.options[0]["0"].replace("{}", " ".join(arguments[:1])), command, context, "env"
                )
    for argument in arguments[:16]:
        text = " ".join(rest)
        for hole in ("{}", "{.}", "{/}", "{//}", "{1}", "{2}"):
            text = text.replace(hole, argument)
        text = f"{text} {argument}" if rest and text == " ".join(rest) else text or argument
        line.budget.spend(1, len(text))
        shells.code(line, text, command, context, "parallel")
        words_ = [word.replace("{}", argument).replace("{1}", argument).replace("{2}", argument) for word in rest]
        if rest[-1:] == ["-c"]:
            line.run([*rest, argument], context.inside("parallel"))
        if any(" " in word for word in words_):  # a quoted word, meant as a single argument
            line.run(words_, context.inside("parallel"))
    return UNKNOWN


def _behind_options(line: "Resolution", words: list[str]) -> int:
    record = line.catalogue.get("parallel")
    at = 0
    while at < len(words) and words[at][:1] == "-" and len(words[at]) > 1:
        at += 1 + read_option(words[at], words[at + 1] if at + 1 < len(words) else None, record)[1]
    return at


def _arguments(line: "Resolution", words: list[str], marks: list[int], context: "Context") -> list[str]:
    """Everything behind `:::`; behind `::::` stand files with arguments."""
    arguments: list[str] = []
    for number, at in enumerate(marks):
        end = marks[number + 1] if number + 1 < len(marks) else len(words)
        for word in words[at + 1 : end]:
            if words[at].startswith("::::"):
                arguments += _given(line.made.text(word, context).replace(FILE_TEXT, UNKNOWN), "\n")
            else:
                arguments.append(word)
    return arguments


RUNNERS = {
    "xargs": xargs,
    "find": find,
    "fd": find,
    "fdfind": find,
    "gfind": find,
    "parallel": parallel,
    "sem": parallel,
}
