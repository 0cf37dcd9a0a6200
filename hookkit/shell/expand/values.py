"""`$x` and `${x…}`: defaults, slices, cut prefixes and suffixes, replacements, indirection, arrays."""

from hookkit.shell.expand import fits, is_pattern
from hookkit.shell.scan.expansions import decode
from hookkit.shell.state import UNKNOWN, UNSET, Variable
from hookkit.shell.syntax import EXPANSIONS, LITERAL, NAME, Part, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.expand import Expander

WHOLE = ("@", "*")
NUMBER = f"1{UNKNOWN}"  # `$!`, `$?`, `$$`: digits, so neither an option nor a path outside the directory
COUNTERS = ("RANDOM", "SECONDS", "UID", "EUID", "PPID", "LINENO", "BASHPID", "SRANDOM", "EPOCHSECONDS")
LINKS = 6  # references to other names: `declare -n`, `${!x}`
BIGGEST = 7  # digits of a number in calculations


def expand(expander: "Expander", part: Part) -> list[str]:
    """The values of a VARIABLE part."""
    text = part.text
    if text[:1] == "!" and len(text) > 1:
        return _indirect(expander, text[1:])
    if text[:1] == "#" and len(text) > 1:
        return [_length(expander, text[1:])]
    name, subscript, rest = split(text)
    values = lookup(expander, name, subscript)
    if name in WHOLE or subscript in WHOLE:
        values = _whole(values, part, star=(subscript or name) == "*")
    if not rest:
        return [UNSET] if values is None else values
    operator = next((candidate for candidate in EXPANSIONS.get(rest[0], ()) if rest.startswith(candidate)), "")
    operand = part.words[0] if part.words else _plain(rest[len(operator) :])
    if operator in ("-", ":-", "=", ":=", "?", ":?", "+", ":+"):
        return _default(expander, name, values, operator, operand)
    return _changed(expander, (name, subscript), values, operator, operand)


def split(text: str) -> tuple[str, str, str]:
    """Name, subscript and the rest of the text inside `${…}`."""
    end = 1 if text[:1] in tuple("@*?$!#-") else 0
    if text[:1].isascii() and text[:1].isdigit():
        while text[end : end + 1].isascii() and text[end : end + 1].isdigit():
            end += 1
    elif not end:
        while end < len(text) and text[end] in NAME:
            end += 1
    name, rest = text[:end], text[end:]
    if rest[:1] != "[":
        return name, "", rest
    level = 0
    for at, char in enumerate(rest):
        level += (char == "[") - (char == "]")
        if not level:
            return name, rest[1:at], rest[at + 1 :]
    return name, "", rest


def lookup(expander: "Expander", name: str, subscript: str) -> list[str] | None:
    """The values under a name, or None for a variable never set in the line."""
    given = expander.shell.positional
    if name in WHOLE:
        return given if given is not None else [UNKNOWN]
    if name.isascii() and name.isdigit() and name != "0":
        at = number(name)
        return [UNKNOWN] if given is None or at is None else given[at - 1 : at] or [""]
    if not name or name in "?$!#-":
        return [str(len(given))] if name == "#" and given is not None else [NUMBER]
    variable = _target(expander, name)
    if variable is None:
        return [NUMBER] if name in COUNTERS else None
    if len(variable.options) > 1:
        return [UNKNOWN]
    values = variable.options[0]
    if subscript in WHOLE:
        return [values[key] for key in values]
    if UNKNOWN in values.values() and len(values) == 1:
        return [UNKNOWN]
    key = _subscript(expander, subscript, values) if subscript else "0"
    return [UNKNOWN] if key is None else [values.get(key, "")]


def _target(expander: "Expander", name: str) -> Variable | None:
    """The variable, through `declare -n` references."""
    variables = expander.shell.variables
    variable = variables.get(name)
    for _ in range(LINKS):
        if variable is None or "n" not in variable.traits:
            return variable
        variable = variables.get(variable.options[0].get("0", ""))
    return None


def _subscript(expander: "Expander", text: str, values: dict[str, str]) -> str | None:
    """The key for a subscript: a number, a variable with a number, or a word."""
    if "`" in text or "$(" in text:
        return None
    text = text.strip("\"' ")
    name = text[1:].strip("{}") if text[:1] == "$" else text
    if text in values:
        return text
    if all(char in NAME for char in name) and name and not name[0].isdigit():
        known = lookup(expander, name, "")
        text = known[0] if known else text
        expander.again(text)
    at = number(text)
    if at is None:
        return None
    if at >= 0:
        return str(at)
    keys = list(values)
    return keys[at] if -at <= len(keys) else None


def number(text: str) -> int | None:
    """A whole number of a sensible size, or None."""
    digits = text.strip().removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > BIGGEST:
        return None
    return int(text)


def arithmetic(expander: "Expander", text: str) -> str:
    """The value of `$((…))` for a number or a variable with a number; everything else is UNKNOWN."""
    inner = text.removeprefix("$").strip("([)] \n\t")
    if inner.replace("_", "a").isidentifier():
        inner = (lookup(expander, inner, "") or [UNKNOWN])[0]
        expander.again(inner)
    return inner if number(inner) is not None else UNKNOWN


def _whole(values: list[str] | None, part: Part, *, star: bool) -> list[str] | None:
    if values is None or not star or not part.quoted:
        return values
    return [" ".join(values)]


def _plain(text: str) -> Word:
    return Word(0, 0, [Part(LITERAL, text)], plain=False)


def _default(expander: "Expander", name: str, values: list[str] | None, operator: str, operand: Word) -> list[str]:
    """The default for a variable never set in the line: assume the default, since the default may be dangerous."""
    is_set = values is not None and not (operator[0] == ":" and values in ([], [""]))
    if operator in ("+", ":+"):
        return [expander.text(operand)] if is_set or values is None else [""]
    if is_set and values is not None and values != [UNSET]:
        return values
    if operator in ("?", ":?"):
        return [f"./{UNKNOWN}"]  # the shell stops where the variable is empty
    text = expander.text(operand)
    if operator in ("=", ":="):
        expander.shell.set(name, text)
    return [text]


def _indirect(expander: "Expander", text: str) -> list[str]:
    """`${!x}` is the variable named by x, `${!x[@]}` lists the subscripts of x, `${!x*}` the names beginning with x."""
    name, subscript, rest = split(text)
    variable = expander.shell.variables.get(name)
    if rest in WHOLE:
        return sorted(known for known in expander.shell.variables if known.startswith(name))
    if subscript in WHOLE:
        return list(variable.options[0]) if variable and len(variable.options) == 1 else [UNKNOWN]
    if variable is not None and "n" in variable.traits:
        return [variable.options[0].get("0", "")]
    meant = (lookup(expander, name, subscript) or [UNKNOWN])[0]
    target, inner, more = split(meant)
    if rest or more or not target or UNKNOWN in meant:
        return [UNKNOWN]
    values = lookup(expander, target, inner)
    return [UNSET] if values is None else values


def _length(expander: "Expander", text: str) -> str:
    name, subscript, rest = split(text)
    values = lookup(expander, name, subscript)
    if rest or values is None or any(UNKNOWN in value for value in values):
        return UNKNOWN
    return str(len(values) if subscript in WHOLE or name in WHOLE else len(values[0]))


# -- changed values --------------------------------------------------------------------------------


def _changed(
    expander: "Expander", name: tuple[str, str], values: list[str] | None, operator: str, operand: Word
) -> list[str]:
    values = [UNSET] if values is None else values
    argument = expander.text(operand)
    if operator == ":":
        return _slice(expander, name, values, argument)
    expander.budget.spend(len(values), sum(map(len, values)))
    if operator in ("#", "##", "%", "%%"):
        return [_cut(expander, value, operator, argument) for value in values]
    if operator[:1] == "/":
        return [_replaced(value, operator, argument) for value in values]
    if operator[:1] in ("^", ","):
        return [_cased(value, operator) for value in values]
    return [_transformed(expander, value, argument) for value in values] if operator == "@" else [UNKNOWN]


def _slice(expander: "Expander", name: tuple[str, str], values: list[str], argument: str) -> list[str]:
    """`${x:1:2}`; of a whole array, elements instead of characters."""
    first, colon, second = argument.partition(":")
    start, count = _position(expander, first), _position(expander, second) if colon else None
    if start is None or (colon and count is None):
        return [UNKNOWN]
    if "@" in name or "*" in name:
        if name[0] in WHOLE and start > 0:
            start -= 1
        part = values[start:]
        return part if count is None else part[:count] if count >= 0 else part
    if any(UNKNOWN in value for value in values):
        return values if start == 0 and count is None else [UNKNOWN]
    text = values[0][start:] if values else ""
    return [text if count is None else text[:count]]


def _position(expander: "Expander", text: str) -> int | None:
    text = text.strip()
    if text.replace("_", "a").isidentifier():
        text = (lookup(expander, text, "") or ["0"])[0]
    return 0 if not text else number(text.replace(" ", "").strip("()"))


def _cut(expander: "Expander", value: str, operator: str, pattern: str) -> str:
    """Take the pattern off the front or the back; the doubled operator takes as much as possible."""
    front, longest = operator[0] == "#", len(operator) > 1
    if UNKNOWN in pattern:
        return UNKNOWN
    if UNKNOWN in value:  # the known front of a text stays known if its back is cut
        return value[: value.index(UNKNOWN) + 1] if not front else UNKNOWN if value[0] == UNKNOWN else value
    if not is_pattern(pattern):
        return value.removeprefix(pattern) if front else value.removesuffix(pattern)
    if pattern[:1] == "*" and front and not is_pattern(pattern[1:]):
        at = value.rfind(pattern[1:]) if longest else value.find(pattern[1:])
        return value[at + len(pattern) - 1 :] if at >= 0 else value
    if pattern[-1:] == "*" and not front and not is_pattern(pattern[:-1]):
        at = value.find(pattern[:-1]) if longest else value.rfind(pattern[:-1])
        return value[:at] if at >= 0 else value
    ends = range(len(value) + 1)
    expander.budget.spend(len(value), len(value) * len(value))
    for size in reversed(ends) if longest else ends:
        piece = value[:size] if front else value[len(value) - size :]
        if fits(pattern, piece):
            return value[size:] if front else value[: len(value) - size]
    return value


def _replaced(value: str, operator: str, argument: str) -> str:
    pattern, _, new = argument.partition("/")
    if UNKNOWN in value or UNKNOWN in argument or is_pattern(pattern) or (pattern and len(new) > len(pattern) * 8):
        return UNKNOWN
    if not pattern:
        return value
    if operator == "/#":
        return new + value[len(pattern) :] if value.startswith(pattern) else value
    if operator == "/%":
        return value[: -len(pattern)] + new if value.endswith(pattern) else value
    return value.replace(pattern, new) if operator == "//" else value.replace(pattern, new, 1)


def _cased(value: str, operator: str) -> str:
    if len(operator) > 1:
        return value.upper() if operator[0] == "^" else value.lower()
    first = value[:1].upper() if operator == "^" else value[:1].lower()
    return first + value[1:]


def _transformed(expander: "Expander", value: str, letter: str) -> str:
    """`${x@U}` and the like; `@P` has bash read the value again, and so run the commands in the value."""
    if letter == "P":
        expander.again(value)
        return value if "$" not in value and "`" not in value and "\\" not in value else UNKNOWN
    if letter == "E" and UNKNOWN not in value:
        decoded, end = decode(value.replace("'", "\\'") + "'", 0)
        return decoded if end >= 0 else UNKNOWN
    simple = {"U": value.upper(), "L": value.lower(), "u": value[:1].upper() + value[1:]}
    if letter == "Q" and value.isalnum():
        return f"'{value}'"
    return simple.get(letter, UNKNOWN)
