"""A pattern over the words of one command: `s3 rm --recursive *`. Rules and records are written with it.

Options are a set, other words stand in their order, and a `*` alone is any number of words.
"""

from hookkit.programs.options import Parsed, spellings
from hookkit.programs.program import Program
from hookkit.programs.words import ALL, UNKNOWN, base_name, glob, is_option, split, starred

LONGEST_CLUSTER = 5  # -xvfz; a longer word is one option with one dash


class Stage:
    """One command of a pattern."""

    __slots__ = ("crosses", "globs", "open", "program", "shaped", "text", "words")

    def __init__(self, text: str) -> None:
        self.shaped: dict[Program, tuple[set[str], list[tuple[str, str]], list[str]]] = {}  # by whose options they are
        self.words = words = split(text)
        plain = [word for word in words if not is_option(word)]
        self.globs = [base_name(word) if number == 0 else word for number, word in enumerate(plain)] or [ALL]
        self.open = ALL in plain
        self.program = "" if "*" in self.globs[0] else self.globs[0]
        self.text = " ".join([base_name(words[0]), *words[1:]]) if words else ALL
        inner = [word for word in words[1:] if "*" in word.replace("\\*", "") and word.strip("*")]
        self.crosses = bool(inner) and not any(word != ALL and not word.strip("*") for word in words)


def matches_words(stage: Stage, parsed: Parsed, *, wide: bool, onward: bool = False, home: str = "") -> bool:
    """Whether a command matches the stage.

    Without a `*` a pattern means exactly its words. For deny and ask (`wide`) further options do not save a command,
    and `onward` lets a stage of a pipeline go on with any words.
    """
    if stage.program not in ("", parsed.operands[0]):
        return False
    if wide and stage.crosses and _crosses(stage, parsed, home):
        return True
    wanted, values, globs = shaped(stage, parsed.record)
    if not all(_has(flag, parsed) for flag in wanted) or not all(_given(flag, value, parsed) for flag, value in values):
        return False
    if not (stage.open or wide) and any("*" in glob for glob in globs) and _climbs(parsed):
        return False
    if not (stage.open or wide) and not {flag for flag in parsed.flags if not _is_cluster(flag)} <= {*wanted, "--"}:
        return False
    if home:
        globs = [home + glob[1:] if glob[:1] == "~" and glob[1:2] in ("", "/", "*") else glob for glob in globs]
    return starred([*globs, ALL] if onward and not stage.open else globs, parsed.operands, _one)


def required_word(stage: Stage) -> str:
    """A plain word behind the program. A word behind an option may be its value, and values have several spellings."""
    plain = [place for place, word in enumerate(stage.words) if not is_option(word)]
    for place in plain[1:]:
        word = stage.words[place]
        if "*" not in word and word[:1] != "~" and not is_option(stage.words[place - 1]):
            return word
    return ""


def _climbs(parsed: Parsed) -> bool:
    """Whether an operand may lead upward: the `tests/*` of an allow rule is not `tests/../../x`, and not `tests/$x`."""
    return any(".." in word.split("/") or (UNKNOWN in word and "/" in word) for word in parsed.operands)


def shaped(stage: Stage, record: Program) -> tuple[set[str], list[tuple[str, str]], list[str]]:
    """The pattern's words as this program would sort them: options, options with values, operands."""
    if record not in stage.shaped:
        stage.shaped[record] = _shaped(stage, record)
    return stage.shaped[record]


def _crosses(stage: Stage, parsed: Parsed, home: str) -> bool:
    """A star inside a word may stand for several words: `dd *of=/dev/*`, as people write it in deny and ask rules."""
    text = " ".join(parsed.words)
    pattern = stage.text.replace(" ~", f" {home}") if home else stage.text
    return glob(pattern, text) or (pattern.endswith(" *") and glob(pattern[:-2], text))


def _shaped(stage: Stage, record: Program) -> tuple[set[str], list[tuple[str, str]], list[str]]:
    flags: set[str] = set()
    values: list[tuple[str, str]] = []
    globs: list[str] = []
    rest = iter(stage.words)
    for word in rest:
        if not is_option(word):
            globs.append(word if globs else base_name(word))
            continue
        names = {word} if "*" in word else spellings(word, record)
        flags |= {flag for flag in names if not _is_cluster(flag) or len(word) > LONGEST_CLUSTER or record.words}
        last = word if word.startswith("--") or record.words else f"-{word[-1]}"
        if "=" not in word and last in record.value:
            value = next(rest, None)
            if value is not None:
                values.append((record.same.get(last, last), value))
            if value == ALL and stage.words[-1] == ALL and stage.words.count(ALL) == 1:
                globs.append(ALL)  # a star at the end is the rest of the line, not just the value of an option
    return flags, values, globs or [ALL]


def _given(flag: str, value: str, parsed: Parsed) -> bool:
    return value == ALL or any(name == flag and glob(value, have) for name, have in parsed.values)


def _is_cluster(flag: str) -> bool:
    return flag[:2] != "--" and len(flag) > 2  # noqa: PLR2004


def _has(flag: str, parsed: Parsed) -> bool:
    if "*" in flag:
        return any(glob(flag, have) for have in parsed.flags) or any(
            glob(flag, f"{name}={value}") for name, value in parsed.values
        )
    name, equals, value = flag.partition("=")
    return flag in parsed.flags or (bool(equals) and (name, value) in parsed.values)


def _one(pattern: str, word: str) -> bool:
    return glob(pattern, word) if UNKNOWN not in word else glob(pattern, word) and "*" in pattern
