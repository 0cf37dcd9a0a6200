"""A program on a command line, and its position in the line."""

from hookkit.shell.state import UNKNOWN, Shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.syntax import Simple


class Command:
    """A program with its words, or a program without a known name (`doubt` says why)."""

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
        self.followed = False  # hookkit knows which programs this program runs
        self.computed = False  # some word may be any option or sub-command
        self.files: list[tuple[str, str]] = []  # redirections: operator and path
        self.doubt = ""
        self.transparent = False  # a wrapper without influence on the wrapped program: `time`, `env`

    def __str__(self) -> str:
        return " ".join(word.replace(UNKNOWN, "…") or "''" for word in self.words).replace("\n", " ")


class Context:
    """Everything around a command: the shell's state, stdin, the pipelines and functions around the command."""

    __slots__ = (
        "bodies", "depth", "forks", "negated", "node", "outputs", "places", "read", "shell", "stdin", "via",
    )  # fmt: skip

    def __init__(self, shell: Shell, depth: int = 0, via: tuple[str, ...] = ()) -> None:
        self.shell = shell
        self.depth = depth
        self.via = via
        self.places: tuple[tuple[int, int], ...] = ()  # the pipelines around this command, each with the stage number
        self.bodies: tuple[int, ...] = ()  # the running functions, to end recursion
        self.forks = False  # other commands run at the same time
        self.negated = False
        self.node: Simple | None = None  # the command in the tree of the line itself, not of a nested line
        self.stdin: str | None = None  # the text on stdin; None if stdin is not redirected
        self.read = False  # whether the output is used: a pipe, a substitution, a file
        self.outputs: dict[int, str] = {}  # of finished command substitutions

    def inside(self, name: str = "", shell: Shell | None = None) -> "Context":
        """The context of a command started by this command; `name` is shown as the origin."""
        context = Context(shell or self.shell, self.depth + 1, (*self.via, name) if name else self.via)
        context.places, context.stdin = self.places, self.stdin
        context.forks, context.bodies, context.read = self.forks, self.bodies, self.read
        return context
