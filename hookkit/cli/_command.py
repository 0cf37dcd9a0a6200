"""Commands and their flags as data: read by the parser, by the help, and by typer for completion and mistakes."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# A parameter's type says how its value is read.
KINDS: "dict[Any, type]" = {
    str: str, str | None: str, int: int, int | None: int, float: float, bool: bool, bool | None: bool,
    list[str]: list, list[str] | None: list,
}  # fmt: skip
USUAL = ("table", "json")


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
