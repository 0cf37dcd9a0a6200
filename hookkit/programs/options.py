"""The one parser of options: the words of a command, sorted as the command's program would sort them."""

from hookkit.programs.catalogue import SHIPPED, Catalogue
from hookkit.programs.program import Program
from hookkit.programs.words import UNKNOWN, is_option

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
