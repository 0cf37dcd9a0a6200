"""A command that only reads, by the record of its program: every option is known, every operand has a harmless role."""

from hookkit.errors import Spoiled
from hookkit.programs import effects
from hookkit.programs.catalogue import Catalogue, Program
from hookkit.programs.options import Parsed, parse
from hookkit.programs.words import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.verdicts.approve.paths import Ground

LONGEST_WIDTH = 6  # digits of a width in a format
SYSTEM = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")  # a program by its path is known only there
# Columns of options that do more than change the look of a run.
SPOILING = ("unsafe", "writes", "commands", "carries")
SHOWN = ("reads", "tracked")  # roles of operands whose content is shown


class Reading:
    """A command as its checks see it: `paths` are files whose content it shows, or only names and sizes (`names`)."""

    __slots__ = ("directory", "ground", "name", "names", "operands", "options", "parsed", "paths", "record", "words")

    def __init__(self, parsed: Parsed, words: list[str], directory: str | None, ground: "Ground") -> None:
        self.parsed = parsed
        self.record = parsed.record
        self.name = " ".join([parsed.operands[0], *self.record.name.split(" ")[1:]])
        self.options = [option for option, _ in parsed.given]
        self.operands = parsed.operands[len(parsed.records) :]
        self.words = words  # behind the name of the program
        self.directory = directory
        self.ground = ground
        assigned = effects.assigned(effects.roles_of(self.record, parsed), self.operands)
        self.paths = [path for role, path in assigned if role in (*SHOWN, "names")]
        self.names = self.record.has("names") or any(role == "names" for role, _ in assigned)

    @property
    def values(self) -> list[tuple[str, str]]:
        return self.parsed.values


def program(word: str) -> str:
    """The program's name; another program may have the same name in a directory of the project."""
    place, slash, name = word.rpartition("/")
    if slash and f"{place}/" not in SYSTEM:
        raise Spoiled(f"{word} is not a program of the system")
    return name


def read(words: list[str], catalogue: Catalogue) -> Parsed:
    """The command, sorted; raises Spoiled unless its record says that the command only reads."""
    name = program(words[0])
    parsed = parse([name, *words[1:]], catalogue)
    record = parsed.record
    if words[1:] and len(words) == 2 and words[1] in parsed.records[0].words_of("versions"):  # noqa: PLR2004
        return parse([name], catalogue)
    if not record.has("harmless"):
        raise Spoiled(f"{' '.join(parsed.operands[: len(parsed.records)])} is not known to only read")
    if record.has("free"):
        return parsed
    known(name, words, parsed)
    needed = record.words_of("needs")
    if needed and not any(option in needed for option, _ in parsed.given):
        raise Spoiled(f"{name} only reads with {' or '.join(needed[:2])}")
    kinds = {kind for kind, _ in effects.effects(parsed, [], lambda _: False)}
    if not kinds <= {effects.READ}:
        raise Spoiled(f"this {name} command does more than read")
    return parsed


def known(name: str, words: list[str], parsed: Parsed) -> None:
    """Raise for a computed word, for an option that the record does not call harmless, and for too many operands."""
    if any(UNKNOWN in word for word in words[1:]):
        raise Spoiled(f"a word of this {name} command is computed")
    if any(is_wide(word) for word in words[1:]):
        raise Spoiled(f"{name} may print more than anybody reads")
    for option, record in parsed.given:
        if not is_safe(option, record):
            raise Spoiled(f"{option} is not an option of {name} that is known to only read")
    for word in words[1:]:
        long = word.partition("=")[0]
        if word[:2] == "--" and len(word) > 2 and "--" not in parsed.flags and not _is_spelt_out(long, parsed):  # noqa: PLR2004
            raise Spoiled(f"{long} is not an option of {name} that is known to only read")
    roles = effects.roles_of(parsed.record, parsed)
    most = 0 if roles == ["none"] else len(roles)
    is_open = not roles or any(role[-1] == "*" for role in roles)
    if not is_open and len(parsed.operands) - len(parsed.records) > most:
        raise Spoiled(f"{name} takes at most {most} operands to only read")


def is_safe(option: str, record: Program) -> bool:
    """Whether the option is known, and neither runs a program nor writes a file."""
    is_known = option in record.flags or option in record.value or option in record.attached or option in record.number
    return is_known and not any(option in record.words_of(column) for column in SPOILING)


def is_wide(text: str) -> bool:
    """`%999999999d`, `%<(999999999)`, `%(align:999999999)`: a format that prints blanks without an end."""
    widths = [piece.removeprefix("(align:").lstrip("-+ #'_^<>|(.,") for piece in text.split("%")[1:]]
    return any(width[:LONGEST_WIDTH].isdigit() and len(width) > LONGEST_WIDTH for width in widths)


def _is_spelt_out(long: str, parsed: Parsed) -> bool:
    """An option in its full length: an abbreviation may stand for an option that the record does not have."""
    return any(option == long for option, _ in parsed.given) or any(value == long for _, value in parsed.values)
