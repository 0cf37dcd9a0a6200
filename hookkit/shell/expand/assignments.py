"""`name=value` alone, before a command, and behind `export` or `declare`."""

from hookkit.shell.commands import files_of
from hookkit.shell.follow import environment
from hookkit.shell.state import UNKNOWN, Variable, listed, scalar
from hookkit.shell.syntax import ARRAY, LITERAL, Part, Simple, Word, is_name, value_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.expand import Expander
    from hookkit.shell.resolve import Resolution
    from hookkit.shell.state import Shell


def assign(line: "Resolution", word: Word, context: "Context", expander: "Expander", traits: str = "") -> None:
    """`name=value`, `name=(…)`, `name+=value`, `name[subscript]=value`."""
    name, subscript, adds, value = _read(word, expander)
    array = next((part for part in word.parts if part.kind == ARRAY), None)
    shell = context.shell
    known = shell.variables.get(name)
    traits = traits or (known.traits if known else "")
    line.budget.spend(2, len(value))
    if known is not None and "r" in known.traits:
        return  # readonly
    if "$(" in subscript or "`" in subscript:
        line.again(subscript, context)
    if name == "BASH_ALIASES" and subscript:
        shell.aliases[subscript.strip("\"'")] = value
    if array is not None:
        shell.put(name, _array(array, expander, known if adds else None, traits))
        return
    if "i" in traits:
        line.again(value, context)
        value = value if value.isdigit() else UNKNOWN
    if known is not None and len(known.options) > 1 and (adds or subscript):
        shell.forget(name)
    elif subscript or (adds and known is not None):
        shell.put(name, _element(known, subscript, value, traits, adds=adds))
    elif adds:
        shell.set(name, UNKNOWN + value)
    else:
        shell.put(name, scalar(value, traits))
        if "l" in traits or "u" in traits:
            shell.set(name, value)
    if environment.watches(name):
        environment.check(line, name, value, None, context)


def _read(word: Word, expander: "Expander") -> tuple[str, str, bool, str]:
    """Name, subscript, whether the value is appended (`+=`), and the value."""
    number, at = value_place(word.parts) or (0, 0)
    part = word.parts[number]
    left = [*word.parts[:number], Part(LITERAL, part.text[:at], quoted=True)]
    right = [Part(LITERAL, part.text[at:], quoted=part.quoted)] if part.text[at:] else []
    right += [piece for piece in word.parts[number + 1 :] if piece.kind != ARRAY]
    head = expander.text(Word(0, 0, left, plain=False)).removesuffix("=")
    adds = head.endswith("+")
    name, _, subscript = head.removesuffix("+").partition("[")
    return name, subscript.removesuffix("]"), adds, expander.text(Word(0, 0, right, plain=False))


def _array(part: Part, expander: "Expander", before: Variable | None, traits: str) -> Variable:
    values = dict(before.options[0]) if before else {}
    for element in part.words:
        place = value_place([Part(LITERAL, "x"), *element.parts]) if element.parts[0].text[:1] == "[" else None
        fields = expander.fields(element)
        if place is None and fields and fields[0][:1] == "[" and "]=" in fields[0]:
            key, _, text = fields[0][1:].partition("]=")
            values[key.strip("\"'")] = text
            continue
        for text in fields:
            values[str(len(values))] = text
    return Variable((values,), traits or "a")


def _element(known: Variable | None, subscript: str, value: str, traits: str, *, adds: bool) -> Variable:
    values = dict(known.options[0]) if known else {}
    key = subscript.strip("\"'") or "0"
    if UNKNOWN in key:
        return scalar(UNKNOWN, traits)
    values[key] = values.get(key, "") + value if adds else value
    return Variable((values,), traits)


def declare(line: "Resolution", command: Simple, context: "Context", expander: "Expander") -> str:
    """`export x=1`, `declare -a list=(…)`: the values are assignments, not words."""
    shell, words = context.shell, command.words
    options: list[str] = []
    added = line.add([words[0].text or ""], context)
    added.followed = True
    added.files += files_of(line, command.redirects, context)
    spread_out = [word for word in words[1:] if word.assigns and _has_braces(word)]
    for word in words[1:]:
        if word.assigns and word not in spread_out:
            added.words.append(_word_text(word, expander))
        else:
            fields = expander.fields(word)
            options += fields
            added.words += fields
    traits = "".join(option[1:] for option in options if option[:1] == "-") + "r" * (words[0].text == "readonly")
    for word in words[1:]:
        if word in spread_out:
            continue
        if word.assigns and "n" in traits:
            name, _, target = _word_text(word, expander).partition("=")
            shell.put(name, scalar(target, "n"))
        elif word.assigns:
            assign(line, word, context, expander, traits)
    for option in options:
        _declare_option(line, option, traits, context)
    if words[0].text == "local":
        context.shell.changes += 1
    return ""


def _has_braces(word: Word) -> bool:
    """`declare x={a,b}` is `declare x=a x=b`; a plain assignment has no such expansion."""
    return any(part.kind == LITERAL and not part.quoted and "{" in part.text for part in word.parts)


def _declare_option(line: "Resolution", option: str, traits: str, context: "Context") -> None:
    """A name without a value, or a value from inside a quoted word."""
    name, equals, value = option.partition("=")
    if "[" in name:
        line.again(option, context)
    if equals and is_name(name.rstrip("+").partition("[")[0]):
        context.shell.put(name, scalar(value.lower() if "l" in traits else value, traits))
        if environment.watches(name):
            environment.check(line, name, value, None, context)
    elif is_name(name) and traits.strip("xr"):
        known = context.shell.variables.get(name)
        context.shell.put(name, Variable(known.options if known else ({"0": ""},), traits))


def _word_text(word: Word, expander: "Expander") -> str:
    """The assignment as rules spell assignments: `NAME=value`."""
    name, subscript, adds, value = _read(word, expander)
    return f"{name}{f'[{subscript}]' if subscript else ''}{'+' if adds else ''}={value}"


class Temporary:
    """`NAME=value command`: the values hold while the command runs."""

    __slots__ = ("before", "shell", "watched")

    def __init__(self, line: "Resolution", words: list[Word], context: "Context", expander: "Expander") -> None:
        self.shell: Shell = context.shell
        self.before: dict[str, Variable | None] = {}
        self.watched: list[tuple[str, str]] = []
        for word in words:
            name, _, _, value = _read(word, expander)
            line.budget.spend(1, len(value))
            self.before.setdefault(name, self.shell.variables.get(name))
            self.shell.put(name, scalar(value))
            if environment.watches(name):
                self.watched.append((name, value))

    def check(self, line: "Resolution", command: "Command", context: "Context") -> None:
        for name, value in self.watched:
            environment.check(line, name, value, command, context)

    def restore(self) -> None:
        for name, variable in self.before.items():
            if variable is None:
                self.shell.variables.pop(name, None)
            else:
                self.shell.variables[name] = variable


def spread(shell: "Shell", name: str, texts: list[str]) -> None:
    """Set an array."""
    shell.put(name, listed(texts))
