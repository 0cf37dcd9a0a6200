"""Programs that write the files in their words, for `work`: which operands are read, and which change."""

import os

from hookkit.errors import Spoiled
from hookkit.programs import effects
from hookkit.verdicts.approve import checks
from hookkit.verdicts.approve.reading import Reading

MODES = ("+x", "u+x", "a+x", "755", "644", "0755", "0644", "700", "600", "u+rw", "-x")


class Written:
    """Files of a command: `changed` get a new content or vanish, `read` are copied."""

    __slots__ = ("changed", "read")

    def __init__(self) -> None:
        self.changed: list[str] = []
        self.read: list[str] = []


def written(reading: Reading) -> Written:
    """The files of a command whose record is `undoable`, by the roles of its operands."""
    files = Written()
    name, operands = reading.name, reading.operands
    if not operands:
        raise Spoiled(f"{name} names no file")
    roles = effects.roles_of(reading.record, reading.parsed)
    if roles in (["reads*", "writes"], ["moves*", "writes"]):
        _moved(reading, files, moves=roles[0] == "moves*")
    elif any(option in ("-s", "--size") and not _is_small(value) for option, value in reading.values):
        raise Spoiled(f"{name} may fill the disk")
    elif roles in (["makes*"], ["names*"]):
        _inside(operands, reading)  # a directory has no content for git to bring back
    elif name == "chmod":
        if operands[0] not in MODES:
            raise Spoiled(f"chmod {operands[0]} is not known to be harmless")
        _inside(operands[1:], reading)
    else:
        files.changed = [reading.ground.write(path, reading.directory) for path in operands]
    return files


def _is_small(size: str) -> bool:
    """At most a few megabytes: `0`, `+100`, `10K`, `4M`."""
    number, unit = size.lstrip("+-<>/%").rstrip("KMB"), size[-1:]
    most = {"K": 10_000, "M": 10}.get(unit, 10_000_000)
    return number.isdigit() and int(number) <= most


def _inside(paths: list[str], reading: Reading) -> None:
    for path in paths:
        reading.ground.write(path, reading.directory)


def _moved(reading: Reading, written: Written, *, moves: bool) -> None:
    ground, directory = reading.ground, reading.directory
    *sources, goal = reading.operands
    if not sources:
        raise Spoiled(f"{reading.name} names no goal")
    real = ground.write(goal, directory) if goal not in (".", "./") else os.path.realpath(directory or "/")
    into = os.path.isdir(real) or goal.endswith("/")
    if len(sources) > 1 and not into:
        raise Spoiled(f"{goal} is not a directory")
    for source in sources:
        if moves and os.path.islink(os.path.join(directory or "/", source)):
            raise Spoiled(f"{source} is a link, which would lead to another file from its new place")
        if moves:
            written.changed.append(ground.write(source, directory))
            if not os.path.lexists(written.changed[-1]):
                raise Spoiled(f"{source} is not there yet")
        else:
            written.read.append(source)
        place = os.path.join(goal, os.path.basename(source.rstrip("/"))) if into else goal
        written.changed.append(ground.write(place, directory))


def in_place(words: list[str]) -> list[str] | None:
    """The words of sed without `-i`; None without the option. A suffix would make a second file: not known."""
    options: list[str] = []
    is_in_place = False
    for at, word in enumerate(words):
        if word == "--":
            return [*options, *words[at:]] if is_in_place else None
        is_short = len(word) > 1 and word[0] == "-" and word[1] != "-"
        if word == "--in-place" or (is_short and word[-1] == "i" and word[1:-1].strip("nErsuz") == ""):
            is_in_place = True
            options += [word[:-1]] if is_short and len(word) > 2 else []  # noqa: PLR2004 - `-Ei`
        else:
            options.append(word)
    return options if is_in_place else None


def sed(reading: Reading) -> Written:
    checks.sed(reading)
    directory = reading.directory
    if any(" " in path and not os.path.lexists(os.path.join(directory or "/", path)) for path in reading.paths):
        raise Spoiled("a file of sed may be a script on macOS, where -i has a value")
    files = Written()
    files.changed = [reading.ground.write(path, directory) for path in reading.paths]
    return files
