"""A program on a command line: its position in the line, its streams, and the files that the line has made so far."""

import os

from hookkit.shell.state import UNKNOWN, Shell
from hookkit.shell.syntax import PROCESS, Redirect, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.resolve import Resolution
    from hookkit.shell.syntax import Simple


class Command:
    """A program with its words, or a program without a known name (`doubt` says why)."""

    __slots__ = (
        "code", "computed", "defined", "directory", "doubt", "files", "followed", "moved", "negated", "node", "places",
        "transparent", "via", "words",
    )  # fmt: skip

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
        from hookkit.shell.expand import fits

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


# -- streams ---------------------------------------------------------------------------------------


def stdin_of(line: "Resolution", redirects: list[Redirect], context: Context) -> str | None:
    """The text on stdin: a here-document, a here-string, a file, or the stdin of the command around."""
    for redirect in reversed(redirects):
        if redirect.operator in ("<<", "<<-") and redirect.body is not None:
            return line.expander(context).text(redirect.body)
        if redirect.operator == "<<<":
            return line.expander(context).text(redirect.target) + "\n"
        if redirect.operator in ("<", "<>") and redirect.fd in ("", "0"):
            return line.made.text(line.expander(context).text(redirect.target), context)
        if redirect.operator == "<&" and redirect.fd in ("", "0"):
            return UNKNOWN
    return context.stdin


def files_of(line: "Resolution", redirects: list[Redirect], context: Context) -> list[tuple[str, str]]:
    if not redirects:
        return []
    expander = line.expander(context)
    return [
        (redirect.operator, expander.text(redirect.target))
        for redirect in redirects
        if opens(redirect) and not _is_fed(redirect)
    ]


def redirected(
    line: "Resolution",
    redirects: list[Redirect],
    files: list[tuple[str, str]],
    text: str,
    holder: Command | None,
    context: Context,
) -> str:
    """Note the redirect targets of a command; return the rest of the output for the next command."""
    if holder is not None:
        holder.files += files
        if holder.words == ["exec"]:
            _opened(line, redirects, context)
            return ""
    left = text
    for redirect in redirects:
        if redirect.operator[-1] == "<" or not opens(redirect) or redirect.operator == "<>":
            continue
        if _is_fed(redirect):
            _feed(line, redirect.target, text, context)
        elif redirect.fd in ("", "1"):
            path = line.expander(context).text(redirect.target)
            line.made.write(path, text, context, append=redirect.operator in (">>", "&>>"))
        left = "" if redirect.fd in ("", "1") else left
    return left


def _opened(line: "Resolution", redirects: list[Redirect], context: Context) -> None:
    """`exec 3> file`, `exec 3<<< text`: later commands write the file, or read the text."""
    for redirect in redirects:
        if redirect.operator[0] == "<" and redirect.fd.isdigit():
            text = stdin_of(line, [redirect], context) if redirect.operator != "<" else None
            path = line.expander(context).text(redirect.target)
            line.made.files[f"/dev/fd/{redirect.fd}"] = line.made.text(path, context) if text is None else text
        elif _is_fed(redirect):
            _feed(line, redirect.target, UNKNOWN, context)
        elif opens(redirect):
            path = line.expander(context).text(redirect.target)
            if not path.startswith("/dev/"):
                line.made.write(path, UNKNOWN, context)


def _feed(line: "Resolution", word: Word, text: str, context: Context) -> None:
    """`command > >(sh)`: the output is the stdin of another command line."""
    for part in word.parts:
        for script in part.scripts:
            inner = context.inside("", context.shell.copy())
            inner.stdin = text or UNKNOWN
            line.script(script, inner)


def _is_fed(redirect: Redirect) -> bool:
    """`> >(command)`."""
    return any(part.kind == PROCESS and part.text == ">" for part in redirect.target.parts)
