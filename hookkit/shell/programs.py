"""The words of a command, sorted as its program would: options under one name each, values, operands."""

from hookkit.shell.program_rows import ALIASES, PROGRAMS, SAME_COMMANDS, Program
from hookkit.shell.state import UNKNOWN
from hookkit.shell.wrapper_rows import WRAPPERS

OFF = ("false", "no", "off")
_NONE = Program()


def program_of(word: str) -> Program:
    name = word.rpartition("/")[2] or word
    return PROGRAMS.get(ALIASES.get(name, name), _NONE)


class Shape:
    """A command's words, sorted: options as a set, everything else in its order."""

    __slots__ = ("flags", "operands", "program", "values", "words")

    def __init__(self) -> None:
        self.words: list[str] = []
        self.program = _NONE
        self.flags: set[str] = set()
        self.operands: list[str] = []
        self.values: list[tuple[str, str]] = []  # options with their values


def sort_words(words: list[str]) -> Shape:
    """Options under a single name each, in any position; the first words are the program and its sub-command."""
    shape = Shape()
    name = words[0].rpartition("/")[2] or words[0]
    shape.words = [name, *words[1:]]
    if name == "tar" and len(words) > 1 and words[1][:1].isalpha() and words[1].isalpha():
        words = [name, f"-{words[1]}", *words[2:]]  # `tar cf x`: the first word is options without a dash
    elif name == "kill":
        words = _kill(words)
    base = ALIASES.get(name, name)
    shape.operands.append(name)
    shape.program = PROGRAMS.get(base) or _wrapper(base) or _NONE
    at = 1
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            shape.flags.add(word)
            shape.operands += words[at:]
            break
        if not is_option(word):
            if word[:1] == "+" and len(shape.operands) == 1 and base in ("cargo", "rustc", "rustup"):
                continue  # `cargo +nightly publish`: a toolchain, no sub-command
            word = SAME_COMMANDS.get(f"{base} {word}", word) if len(shape.operands) == 1 else word
            shape.operands.append(word)
            if len(shape.operands) == 2:  # noqa: PLR2004 - the sub-command may have options of its own
                shape.program = PROGRAMS.get(f"{base} {word}", shape.program)
            elif word[0:1] == "+" and shape.operands[:2] == ["git", "push"]:
                shape.flags.add("-f")  # `git push origin +main` forces the branch
            continue
        at += _note(shape, word, words[at] if at < len(words) else None)
    return shape


def _kill(words: list[str]) -> list[str]:
    """The first option of kill is a signal; a later `-1` means every process, other negative numbers are groups.

    `kill -1` alone, or `-1` behind `-s NAME`, means every process too.
    """
    if words[1:] == ["-1"]:
        return [words[0], "every-process"]
    found = words[:1]
    for at, word in enumerate(words[1:]):
        is_signal = word[:1] == "-" and (word[1:].isdigit() or word[1:].isupper())
        if word == "--":
            continue
        if word[:1] == UNKNOWN:
            found.append("computed-process")  # the number of a process, and no option
        elif at and word[:1] == "-" and word[1:].isdigit():
            found.append("every-process" if word == "-1" else word[1:])
        else:
            found.append(f"--signal={word[1:]}" if is_signal else word)
    return found


def _completed(name: str, program: Program) -> str:
    """`--recurs` for `--recursive`: a program accepts an unambiguous prefix of an option."""
    if name[:2] != "--" or len(name) < 3 or name in program.valued:  # noqa: PLR2004
        return name
    longer = [long for long in program.longs if long.startswith(name)]
    return program.aliases.get(longer[0], longer[0]) if len(longer) == 1 else name


def _wrapper(name: str) -> Program | None:
    """A wrapper's own options bring values too: `sudo -u root rm x` is about rm."""
    row = WRAPPERS.get(name)
    return Program(" ".join(row.valued)) if row is not None else None


def is_option(word: str) -> bool:
    """A number is none (`kill -9` is: its signal is named so), nor is a lone dash."""
    return len(word) > 1 and word[0] == "-" and word[1] not in " \t"


def _note(shape: Shape, word: str, following: str | None) -> int:
    """Add an option to the shape; 1 if the next word is its value."""
    program = shape.program
    shape.flags.update(spellings(word, program))
    if program.single or word[:2] == "--":
        name, equals, value = word.partition("=")
        known = name if program.single else _completed(name, program)
        takes = not equals and known in program.valued
        if equals or (takes and following is not None):
            shape.values.append((program.aliases.get(known, known), value if equals else following or ""))
        return int(takes and following is not None)
    for place, letter in enumerate(word[1:], 2) if program.valued else ():
        if f"-{letter}" in program.valued:
            rest = word[place:]
            shape.values.append((program.aliases.get(f"-{letter}", f"-{letter}"), rest or following or ""))
            return int(not rest and following is not None)
    return 0


def spellings(word: str, program: Program) -> set[str]:
    """The names of the options in a word: each letter of a cluster, up to the first option with a value."""
    if program.single or word[:2] == "--":
        name, equals, value = word.partition("=")
        known = program.aliases.get(name) or _completed(name, program)
        if equals and value.lower() in OFF:
            return {word}  # `--privileged=false` is the absence of the option
        return {known, word} if equals else {known}
    for short, letters in program.means.items():
        if short[1] in word[1:]:  # -D in a cluster like -Dv
            word = word.replace(short[1], letters[1:])
    flags = set()
    for letter in word[1:]:
        flags.add(program.aliases.get(f"-{letter}", f"-{letter}"))
        if f"-{letter}" in program.valued:
            return flags
    return {*flags, word}
