"""One program that a line would run, and the place in the line at which it runs."""

from hookkit.shell.state import UNKNOWN, Shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.syntax import Simple


class Command:
    """A program with its words, or a program that cannot be named (`doubt` says why)."""

    __slots__ = (
        "code",
        "computed",
        "defined",
        "directory",
        "doubt",
        "files",
        "followed",
        "negated",
        "node",
        "places",
        "transparent",
        "via",
        "words",
    )

    def __init__(self, words: list[str], context: "Context") -> None:
        self.words = words
        self.directory = context.shell.directory
        self.places = context.places
        self.via = context.via
        self.node = context.node
        self.negated = context.negated
        self.code = ""  # a program in another language, as text
        self.defined = False  # the line itself defines the name: a function, an alias
        self.followed = False  # hookkit knows the programs that this one runs
        self.computed = False  # some word may be any option or sub-command
        self.files: list[tuple[str, str]] = []  # redirections: operator and path
        self.doubt = ""
        self.transparent = False  # a wrapper that changes nothing about the wrapped program

    def __str__(self) -> str:
        return " ".join(word.replace(UNKNOWN, "…") or "''" for word in self.words).replace("\n", " ")


class Context:
    """Everything around a command: the shell's state, stdin, the pipelines and functions that it stands in."""

    __slots__ = (
        "bodies", "depth", "forks", "negated", "node", "outputs", "places", "read", "shell", "stdin", "via",
    )  # fmt: skip

    def __init__(self, shell: Shell, depth: int = 0, via: tuple[str, ...] = ()) -> None:
        self.shell = shell
        self.depth = depth
        self.via = via
        self.places: tuple[tuple[int, int], ...] = ()  # the pipelines around this command, each with the stage in it
        self.bodies: tuple[int, ...] = ()  # the functions that are being run, so that recursion ends
        self.forks = False  # other commands run at the same time
        self.negated = False
        self.node: Simple | None = None  # the command in the tree of the line itself, not of a nested line
        self.stdin: str | None = None  # the text on stdin; None if stdin is not redirected
        self.read = False  # whether the output is used: a pipe, a substitution, a file
        self.outputs: dict[int, str] = {}  # of command substitutions that have run

    def inside(self, name: str = "", shell: Shell | None = None) -> "Context":
        """The context of a command that this one runs; `name` is shown as its origin."""
        context = Context(shell or self.shell, self.depth + 1, (*self.via, name) if name else self.via)
        context.places, context.stdin = self.places, self.stdin
        context.forks, context.bodies, context.read = self.forks, self.bodies, self.read
        return context
