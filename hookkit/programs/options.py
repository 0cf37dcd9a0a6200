"""The one parser of options: the words of a command, sorted as the command's program would sort them.

A pattern over these words, such as `s3 rm --recursive *`, is a Stage: rules and records are written with it. Options
are a set, other words stand in their order, and a `*` alone is any number of words.
"""

from hookkit.programs.catalogue import SHIPPED, Catalogue, Program
from hookkit.programs.words import ALL, UNKNOWN, base_name, glob, is_option, split, starred

OFF = ("false", "no", "off")
SHORTEST = 3  # characters of a long option that may be cut short: `--x`
DEEPEST = 4  # words of a record's name


class Parsed:
    """A command's words, sorted. `flags` and `values` have options under one name each, `given` as they are written.

    `records` are the records of the program and of its sub-commands, `record` the last of them.
    """

    __slots__ = ("flags", "front", "given", "operands", "record", "records", "values", "words")

    def __init__(self, words: list[str], record: Program) -> None:
        self.words = words
        self.record = record
        self.records = [record]
        self.flags: set[str] = set()
        self.given: list[tuple[str, Program]] = []
        self.operands: list[str] = [words[0]]  # the program first
        self.values: list[tuple[str, str]] = []
        self.front: tuple[set[str], int] | None = None  # flags and count of values before the program behind this one

    def outer(self) -> "Parsed":
        """Without the options of the program behind it: the -p of `npx tsc -p tsconfig.json` belongs to tsc."""
        if self.front is None:
            return self
        parsed = Parsed(self.words, self.record)
        parsed.records, parsed.operands, parsed.given = self.records, self.operands, self.given
        parsed.flags, count = self.front
        parsed.values = self.values[:count]
        return parsed

    def values_of(self, column: str) -> list[str]:
        """The values of the options that a column names, of the program or of its sub-command."""
        options = [option for record in self.records for option in record.words_of(column)]
        return [value for option, value in self.values if option in options] if options else []

    def has(self, *options: str) -> bool:
        return not self.flags.isdisjoint(options)


def parse(words: list[str], catalogue: Catalogue = SHIPPED) -> Parsed:
    """Options may stand anywhere; the first operands may be the names of sub-commands with records of their own."""
    name = words[0].rpartition("/")[2] or words[0]
    parsed = Parsed([name, *words[1:]], catalogue.get(name))
    if name in ODD:
        words = ODD[name](words)
    end = len(words)
    at = 1
    while at < end:
        word = words[at]
        at += 1
        if word == "--":
            parsed.flags.add(word)
            parsed.operands += words[at:]
            break
        if is_option(word):
            at += _note(parsed, word, words[at] if at < end else None)
        else:
            _operand(parsed, word, catalogue)
            wraps = parsed.record.text("wraps")
            if wraps and len(parsed.operands) - len(parsed.records) == int(wraps) + 1 and parsed.front is None:
                parsed.front = {*parsed.flags}, len(parsed.values)
    return parsed


def _operand(parsed: Parsed, word: str, catalogue: Catalogue) -> None:
    operands = parsed.operands
    if word[:1] == "+":
        if len(operands) == 1 and operands[0] in TOOLCHAINS:
            return  # `cargo +nightly publish`: a toolchain, no sub-command
        if operands[:2] == ["git", "push"] and len(operands) > 1:
            parsed.flags.add("-f")  # `git push origin +main` forces the branch
    if len(operands) == len(parsed.records) and len(operands) < DEEPEST:
        record = catalogue.below(parsed.record, word)
        if record is not None:
            parsed.record = record
            parsed.records.append(record)
            word = record.text("acts") or word
    operands.append(word)


def _note(parsed: Parsed, word: str, following: str | None) -> int:
    """Add an option; 1 if the next word is its value."""
    record = parsed.record
    parsed.flags.update(spellings(word, record))
    options, taken = read_option(word, following, record)
    for option, value in options:
        parsed.given.append((option, record))
        if value is not None:
            parsed.values.append((record.same.get(option, option), value))
    return taken


def read_option(word: str, following: str | None, record: Program) -> tuple[list[tuple[str, str | None]], int]:
    """The options in a word with their values, and 1 if the next word is a value: in `-rfo x` of -o."""
    if record.words or word[:2] == "--":
        name, equals, value = word.partition("=")
        option = name if record.words else completed(name, record)
        if equals:
            return [(option, value)], 0
        if following is not None and (option in record.value or (option in record.number and following.isdigit())):
            return [(option, following)], 1
        return [(option, None)], 0
    options: list[tuple[str, str | None]] = []
    for place, letter in enumerate(word[1:], 2):
        option, rest = f"-{letter}", word[place:]
        if option in record.value:
            return [*options, (option, rest or following or "")], int(not rest and following is not None)
        if option in record.attached:
            return [*options, (option, rest or None)], 0
        if option in record.number and (rest[:1].isdigit() or (not rest and (following or "").isdigit())):
            return [*options, (option, rest or following)], int(not rest)
        options.append((option, None))
    return options, 0


def completed(name: str, record: Program) -> str:
    """`--recurs` for `--recursive`: programs accept an unambiguous prefix of an option."""
    if name[:2] != "--" or len(name) < SHORTEST or name in record.longs or name in record.flags:
        return name
    longer = [long for long in record.longs if long.startswith(name)]
    return longer[0] if len(longer) == 1 else name


def spellings(word: str, record: Program) -> set[str]:
    """The names of the options in a word: each letter of a cluster, up to the first option with a value."""
    if record.words or word[:2] == "--":
        name, equals, value = word.partition("=")
        known = record.same.get(name) or _full(name, record)
        if equals and value.lower() in OFF:
            return {word}  # `--privileged=false` is the absence of the option
        return {known, word} if equals else {known}
    for short, letters in record.means.items():
        if short[1] in word[1:]:  # -D in a cluster like -Dv
            word = word.replace(short[1], letters[1:])
    flags = set()
    for letter in word[1:]:
        option = f"-{letter}"
        flags.add(record.same.get(option, option))
        if option in record.value or option in record.attached:
            return flags
    return {*flags, word}


def _full(name: str, record: Program) -> str:
    option = completed(name, record)
    return record.same.get(option, option)


def _tar(words: list[str]) -> list[str]:
    """`tar cf x`: the first word is options without a dash."""
    bundled = len(words) > 1 and words[1].isalpha()
    return [words[0], f"-{words[1]}", *words[2:]] if bundled else words


def _kill(words: list[str]) -> list[str]:
    """The first option of kill is a signal; a later `-1` means every process, other negative numbers are groups.

    `kill -1` alone, or `-1` behind `-s NAME`, means every process too.
    """
    if words[1:] == ["-1"]:
        return [words[0], "every-process"]
    sorted_words = words[:1]
    for place, word in enumerate(words[1:]):
        is_signal = word[:1] == "-" and (word[1:].isdigit() or word[1:].isupper())
        if word == "--":
            continue
        if word[:1] == UNKNOWN:
            sorted_words.append("computed-process")  # the number of a process, and no option
        elif place and word[:1] == "-" and word[1:].isdigit():
            sorted_words.append("every-process" if word == "-1" else word[1:])
        else:
            sorted_words.append(f"--signal={word[1:]}" if is_signal else word)
    return sorted_words


TOOLCHAINS = ("cargo", "rustc", "rustup")
ODD = {"tar": _tar, "bsdtar": _tar, "gtar": _tar, "kill": _kill}


# -- patterns --------------------------------------------------------------------------------------


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
    return starred([*globs, ALL] if onward and not stage.open else globs, parsed.operands, _fits_word)


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


def _fits_word(pattern: str, word: str) -> bool:
    return glob(pattern, word) if UNKNOWN not in word else glob(pattern, word) and "*" in pattern
