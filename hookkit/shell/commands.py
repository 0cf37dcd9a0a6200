"""A program on a command line with its position in the line, and the files that the line has made so far."""

import os

from hookkit.shell.state import UNKNOWN, Shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.syntax import Redirect, Simple


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
        "moved",
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
        self.moved = ""  # a variable of the line that leads the program to other settings
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


FILE_TEXT = UNKNOWN + "\1"  # the content of a file on disk: unknown here, and no more suspicious than the file
STDIN = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
HOPS = 8  # links to other links


class Made:
    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.fetched: set[str] = set()  # files with content from elsewhere
        self.links: dict[str, str] = {}  # symbolic links: name to target, both absolute
        self.pipes = 63

    def place(self, path: str, context: "Context") -> str:
        """The absolute name of a path, through links made by the line."""
        return self.resolve(os.path.normpath(os.path.join(context.shell.directory or "", path)))

    def resolve(self, path: str) -> str:
        for _ in range(HOPS if self.links else 0):
            parts = path.split("/")
            heads = ("/".join(parts[:size]) for size in range(len(parts), 0, -1))
            head = next((head for head in heads if head in self.links), None)
            if head is None:
                break
            path = os.path.normpath(self.links[head] + path[len(head) :])
        return path

    def write(self, path: str, text: str, context: "Context", *, append: bool = False) -> str:
        place = self.place(path, context)
        before = self.files.get(place, FILE_TEXT) if append else ""
        self.files[place] = before + text
        return place

    def link(self, target: str, path: str, context: "Context") -> None:
        """`ln -s target path`; a directory as path takes the name of the target."""
        place = os.path.normpath(os.path.join(context.shell.directory or "", path))
        if path.endswith("/") or path in (".", "..") or context.shell.is_directory(place):
            place = f"{place}/{target.rstrip('/').rpartition('/')[2]}"
        self.links[place] = os.path.normpath(os.path.join(os.path.dirname(place), target))

    def find(self, path: str, context: "Context") -> str | None:
        """The content of a file made by the line, or None."""
        if path in STDIN:
            return context.stdin
        return self.files.get(self.place(path, context))

    def text(self, path: str, context: "Context") -> str:
        """The content of any file, FILE_TEXT for a file on disk."""
        text = self.find(path, context)
        return FILE_TEXT if text is None else text

    def matching(self, pattern: str, context: "Context") -> list[str]:
        """Files made by the line that match a glob."""
        from hookkit.shell.expand.globs import fits

        wanted = self.place(pattern, context)
        start, deep, name = wanted.partition("/**/")
        if deep:  # find looks at every depth
            return [path for path in self.files if path.startswith(f"{start}/") and fits(name, path.rpartition("/")[2])]
        return [path for path in self.files if fits(wanted, path)]

    def pipe(self, text: str) -> str:
        """A name for the pipe of `<(command)`; reading the pipe gives the text."""
        path = f"/dev/fd/{self.pipes}"
        self.pipes -= 1
        self.files[path] = text
        return path


def opens(redirect: "Redirect") -> bool:
    """Whether the redirection opens a file: not a copy of another descriptor, nor text."""
    if redirect.operator in ("<<", "<<-", "<<<"):
        return False
    text = redirect.target.text or ""
    return not (redirect.operator in ("<&", ">&") and (text.rstrip("-").isdigit() or text == "-"))
