"""A command: its flags as data, the parser of its words, the page of its help. Typer reads the same data."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

# A parameter's type says how its value is read.
KINDS: "dict[Any, type]" = {
    str: str, str | None: str, int: int, int | None: int, float: float, bool: bool, bool | None: bool,
    list[str]: list, list[str] | None: list,
}  # fmt: skip
USUAL = ("table", "json")
WIDEST = 80  # columns of the help
EXACT = ("Example:", "{")  # beginnings of lines that are never wrapped
HELP = ("--help", "-h")


class Option:
    """A flag such as --last or -n; without names it has the name of its parameter.

    `metavar` stands for the value in the help. A value is one of `choices`, or a number from `least` to `most`.
    """

    def __init__(
        self,
        *names: str,
        help: str = "",  # noqa: A002 - as in typer
        metavar: str = "",
        choices: tuple[str, ...] = (),
        least: float | None = None,
        most: float | None = None,
    ) -> None:
        self.names, self.help, self.choices = names, help, choices
        self.metavar = metavar or (f"<{'|'.join(choices)}>" if choices else "")
        self.least, self.most = least, most


class Argument:
    """A word without a dash."""

    names: tuple[str, ...] = ()
    least = most = None

    def __init__(self, *, metavar: str, help: str = "", choices: tuple[str, ...] = ()) -> None:  # noqa: A002
        self.metavar, self.help, self.choices = metavar, help, choices


class Param:
    """A parameter of a command's function, or a field of a class of flags."""

    def __init__(self, name: str, annotation: "Any", default: "Any") -> None:
        self.name, self.default = name, default
        self.is_required = default is ...
        self.flag: Option | Argument = annotation.__metadata__[0]
        self.kind = KINDS[annotation.__origin__]
        self.is_option = isinstance(self.flag, Option)
        self.names = self.flag.names or (f"--{name.replace('_', '-')}",) if self.is_option else ()
        self.metavar = self.flag.metavar or ("" if self.kind is bool else name.strip("_").upper())


def formats(*names: str, short: bool = True) -> "Callable[[Any], Any]":
    """Mark a command that offers other formats than a table and JSON; without `short` there is no -o."""

    def mark(function: "Any") -> "Any":
        function.formats, function.has_short = names, short
        return function

    return mark


def output_option(function: "Any") -> "Option | None":
    """The option --output, for all commands that print in more than one format."""
    names = getattr(function, "formats", USUAL)
    short = ("-o",) if getattr(function, "has_short", True) else ()
    return (
        Option("--output", *short, metavar=f"<{'|'.join(names)}>", help="How to print.", choices=names)
        if names
        else None
    )


class CommandSpec:
    """A function with its parameters; `arrange` puts the words of the command line in order before they are read."""

    def __init__(self, function: "Any", name: str, arrange: "Callable[..., list[str]] | None" = None) -> None:
        self.function, self.name, self.arrange = function, name, arrange
        self.is_free = getattr(function, "is_free", False)  # a text may begin with a dash
        self.groups: dict[str, Any] = {}  # classes of flags, by parameter
        self.params = list(self._params())
        self.output = output_option(function)

    @property
    def about(self) -> str:
        return self.function.__doc__ or ""

    def _params(self) -> "Iterator[Param]":
        code, function = self.function.__code__, self.function
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        own = dict(zip(reversed(names[: code.co_argcount]), reversed(function.__defaults__ or ()), strict=False))
        defaults = {**own, **(function.__kwdefaults__ or {})}
        for name in names:
            annotation = function.__annotations__[name]
            if isinstance(annotation, type):
                self.groups[name] = annotation
                for field, inner in annotation.__annotations__.items():
                    yield Param(field, inner, getattr(annotation, field))
            else:
                yield Param(name, annotation, defaults.get(name, ...))

    def call(self, values: "dict[str, Any]") -> "Any":
        for name, kind in self.groups.items():
            fields = {field: values.pop(field) for field in kind.__annotations__}
            values[name] = kind(**fields)
        return self.function(**values)


class Subcommands:
    """A command with sub-commands. `alone` is what runs without one; otherwise the help is printed."""

    def __init__(self, about: str) -> None:
        self.about = self.__doc__ = about
        self.functions: dict[str, Any] = {}
        self.alone: Any = None

    def command(self, name: str = "") -> "Callable[[Any], Any]":
        def add(function: "Any") -> "Any":
            self.functions[name or function.__name__.strip("_")] = function
            return function

        return add

    def default(self, function: "Any") -> "Any":
        self.alone = function
        return function


def free_text(function: "Any") -> "Any":
    """Mark a command that takes a text, which may begin with a dash as lists do."""
    function.is_free = True
    return function


# -- the words on the command line -----------------------------------------------------------------------------------


class Doubt(Exception):  # noqa: N818 - not an error yet: typer decides
    """The words are wrong, or so unusual that only typer can tell."""


class HelpWanted(Exception):  # noqa: N818 - not an error
    """--help is among the words."""


def parse(command: CommandSpec, words: list[str]) -> "tuple[dict[str, Any], str]":
    """The values of the parameters, and the format that was asked for."""
    if command.arrange is not None:
        words = command.arrange(command, words)
    reader = _Reader(command)
    reader.read(words)
    return reader.values(), reader.given.pop("--output", "")


class _Reader:
    def __init__(self, command: CommandSpec) -> None:
        self.command = command
        self.options = {name: param for param in command.params for name in param.names if "/" not in name}
        for param in command.params:
            for pair in (name for name in param.names if "/" in name):
                self.options.update(dict.fromkeys(pair.split("/"), param))
        self.outputs = command.output.names if command.output else ()
        self.help = HELP[:1] if command.is_free else HELP
        self.given: dict[str, Any] = {}
        self.rest: list[str] = []

    def read(self, words: list[str]) -> None:
        left = list(words)
        while left:
            word = left.pop(0)
            if word == "--":
                self.rest += left
                return
            if not word.startswith("-") or word == "-":
                self.rest.append(word)
            else:
                self._option(word, left)

    def _option(self, word: str, left: list[str]) -> None:
        if word in self.help:
            raise HelpWanted
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if name not in self.options and name not in self.outputs:
            has_value = word[:2] in self.options or word[:2] in self.outputs  # `-ojson`: typer reads it
            if not self.command.is_free or has_value:
                raise Doubt
            self.rest.append(word)
            return
        param = self.options.get(name)
        if param is not None and param.kind is bool:
            if equals:
                raise Doubt
            self.given[param.name] = not any(pair.split("/")[1:] == [name] for pair in param.names)
            return
        if not equals:
            if not left:
                raise Doubt
            value = left.pop(0)
        if param is None:
            self.given["--output"] = _chosen(value, self.command.output.choices if self.command.output else ())
        else:
            self.given[param.name] = _value(param, value)

    def values(self) -> "dict[str, Any]":
        """The values of all parameters; words without a dash go to the arguments in their order."""
        rest = list(self.rest)
        arguments = [param for param in self.command.params if not param.is_option]
        for param in arguments:
            if param.kind is list:
                self.given[param.name], rest = rest or None, []
            elif rest:
                self.given[param.name] = _value(param, rest.pop(0))
        if rest or any(param.is_required and param.name not in self.given for param in self.command.params):
            raise Doubt
        return {param.name: self.given.get(param.name, param.default) for param in self.command.params}


def _value(param: Param, text: str) -> "Any":
    if param.kind is str:
        return _chosen(text, param.flag.choices)
    try:
        number = param.kind(text)
    except ValueError:
        raise Doubt from None
    least, most = param.flag.least, param.flag.most
    if (least is not None and number < least) or (most is not None and number > most):
        raise Doubt
    return number


def _chosen(text: str, choices: tuple[str, ...]) -> str:
    if choices and text not in choices:
        raise Doubt
    return text


# -- the page of a command -------------------------------------------------------------------------------------------


def page(path: list[str], command: "CommandSpec | Subcommands") -> str:
    own = command if isinstance(command, CommandSpec) else None
    inner = command if isinstance(command, Subcommands) else None
    if inner is not None and inner.alone is not None:
        own = CommandSpec(inner.alone, path[-1])
    params = own.params if own else []
    arguments = [param for param in params if isinstance(param.flag, Argument)]
    options = [param for param in params if isinstance(param.flag, Option)]
    usage = ["hookkit", *path, "[OPTIONS]", *map(_slot, arguments), *(["COMMAND"] if inner is not None else [])]
    parts = [f"Usage: {' '.join(usage)}", _prose(command.about)]
    if inner is not None:
        about = {
            name: (function.__doc__ or "").strip().partition("\n")[0] for name, function in inner.functions.items()
        }
        parts.append(f"Commands\n{table(about.items())}".rstrip())
    named = [(_slot(param).strip("[]"), param.flag.help) for param in arguments if param.flag.help]
    parts += [f"Arguments\n{table(named)}".rstrip()] if named else []
    rows = [(_spelled(param), _about(param)) for param in options]
    rows += [(_option_names(own.output.names, own.output.metavar), own.output.help)] if own and own.output else []
    parts.append(f"Options\n{table([*rows, ('-h, --help', 'Show this page.')])}".rstrip())
    return "\n\n".join(parts) + "\n"


def _slot(param: Param) -> str:
    name = param.metavar + ("…" if param.kind is list else "")
    return name if param.is_required else f"[{name}]"


def _spelled(param: Param) -> str:
    return _option_names(
        param.names, param.flag.metavar or ("" if param.kind is bool else param.kind.__name__[:1].upper())
    )


def _option_names(names: tuple[str, ...], metavar: str) -> str:
    short = sorted(names, key=len)
    return f"{', '.join(short).replace('/', ', ')} {metavar}".rstrip()


def _about(param: Param) -> str:
    flag, default = param.flag, param.default
    limits = [f"{sign} {number:g}" for sign, number in (("from", flag.least), ("to", flag.most)) if number is not None]
    if default not in (None, "", False, 0) and not isinstance(default, bool):
        limits.append(f"default {default}")
    return f"{flag.help} [{', '.join(limits)}]" if limits else flag.help


def _prose(text: str) -> str:
    """Paragraphs, wrapped; examples as they are."""
    return "\n\n".join(_paragraph(part) for part in text.strip().split("\n\n"))


def _paragraph(text: str) -> str:
    lines = [line.strip() for line in text.strip().split("\n")]
    return "\n".join(lines) if lines[0].startswith(EXACT) else _wrapped(" ".join(lines), "")


def _wrapped(text: str, indent: str, first: str = "") -> str:
    """The text in lines of at most 80 columns; a line never breaks inside of back quotes' words."""
    lines, line = [], first or indent
    for word in text.split():
        if len(line) + len(word) + 1 > WIDEST and line.strip():
            lines.append(line.rstrip())
            line = indent
        line += f"{word} "
    return "\n".join([*lines, line.rstrip()])


def table(rows: "Iterable[tuple[str, str]]", wide: int = 0) -> str:
    """Names and what they mean; a long name has its meaning on the next line."""
    pairs = list(rows)
    wide = wide or min(max(len(name) for name, _ in pairs), 28)
    indent = " " * (wide + 4)
    return "".join(_row(name, about, wide, indent) for name, about in pairs)


def _row(name: str, about: str, wide: int, indent: str) -> str:
    if len(name) > wide:
        return f"  {name}\n{_wrapped(about, indent)}\n"
    return _wrapped(about, indent, f"  {name:{wide}}  ") + "\n"
