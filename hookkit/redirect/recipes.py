"""What the recipe of a task file runs: the programs of its commands, and the targets that it calls."""

from hookkit.redirect import toolchains

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator

PREFIXES = "@-+ \t\"'[("  # before a command in a recipe: make's flags, YAML's list marks and quotes
KEYS = ("cmd:", "cmds:", "sh:")  # of a Taskfile
SEPARATORS = ("&&", "||", ";", "|", "\n", ",")
BEFORE = "env time exec command sudo nice timeout xargs cross-env dotenv if elif then else while until do ! {".split()
SHELL = frozenset(
    """
    fi for case esac done select function } [ [[ : . source cd pushd popd export set unset declare local readonly echo
    printf test true false exit return break continue read eval trap wait umask ulimit shift type alias hash let
    getopts kill
    """.split()
)
RUNNERS = ("make", "$make", "gmake", "just", "task")
ELSEWHERE = ("-C", "--directory", "-f", "--file", "-d", "--dir", "--justfile", "--working-directory", "--taskfile")
UNKNOWN = "?"  # the ecosystem of a recipe that another task file defines
# Options that make a recipe another run than the called command: it never ends, opens a window, or changes files.
OTHER_RUN = frozenset(
    "--watch --watchAll --watch-all --ui --fix --write --updateSnapshot --update-snapshots --inspect-brk".split()
)


def of_command(program: str) -> str:
    """The ecosystem of a program; "" for task runners and unknown programs."""
    return toolchains.BY_TOOL.get(program.rpartition("/")[2].lstrip("$"), "")


def ecosystems(body: str, targets: "Container[str]" = ()) -> set[str]:
    """The ecosystems whose tools a recipe plainly runs: as the program of one of its commands."""
    names = {of_command(program) for program in tools(body)}
    if any(target not in targets for target in called(body)):
        names.add(UNKNOWN)
    return names


def tools(body: str) -> set[str]:
    """The known tools that a recipe plainly runs, each as the recipe writes it; `$python` for a variable."""
    for separator in SEPARATORS:
        body = body.replace(separator, "\n")
    return {program for piece in body.split("\n") if of_command(program := _program(_words(piece)))}


def called(body: str) -> "list[str]":
    """The targets that a recipe runs by a task runner: `$(MAKE) unit`; UNKNOWN for those of another task file."""
    names: list[str] = []
    for words, moved in _commands(body):
        if _program(words) in RUNNERS:
            operands = [word for word in words[1:] if word[:1] != "-" and "=" not in word]
            is_elsewhere = moved or any(word.startswith(ELSEWHERE) for word in words)
            names += [UNKNOWN] if is_elsewhere or not operands else operands
    return names


def programs(body: str) -> "Iterator[str]":
    """The programs that must be there for a recipe: plain names. A path may be made by the recipe itself."""
    if body.lstrip().startswith("#!"):
        return  # a script of another language
    for words, _ in _commands(body):
        program = _program(words)
        if program and program not in SHELL and all(char.isalnum() or char in "._+-" for char in program):
            yield program


def is_other_run(body: str, called_with: "Container[str | None]") -> bool:
    """Whether a recipe has an option that the called command has not, and that makes it another run."""
    words = (word.strip("\"',") for word in body.split())
    return any(word in OTHER_RUN and word not in called_with for word in words)


def _commands(body: str) -> "Iterator[tuple[list[str], bool]]":
    """The words of each command, and whether a `cd` stands before it in its line. Quoted texts count as one `$`."""
    for line in body.replace("\\\n", " ").split("\n"):
        first = line.strip(" \t@-").partition(" ")[0]
        if first[:1] == "#" or (first[-1:] == ":" and first not in (*KEYS, ":")):
            continue  # a comment, or another key of a Taskfile
        moved = False
        text = _without_texts(line).partition(" #")[0]
        for separator in ("&&", "||", ";", "|", "&"):
            text = text.replace(separator, "\n")
        for piece in text.split("\n"):
            words = _words(piece)
            if words:
                yield words, moved
            moved = moved or words[:1] == ["cd"]


def _without_texts(line: str) -> str:
    """The line with a `$` in place of each quoted text."""
    pieces: list[str] = []
    at = 0
    while at < len(line):
        char = line[at]
        end = line.find(char, at + 1) if char in "\"'" else -1
        pieces.append("$" if end > 0 else char)
        at = end + 1 if end > 0 else at + 1
    return "".join(pieces)


def _words(piece: str) -> list[str]:
    """The words of a command, from its program on: without assignments, wrappers and words of the shell's grammar."""
    words = piece.lstrip(PREFIXES).split()
    at = 0
    while at < len(words):
        word = words[at]
        is_of_wrapper = at > 0 and (word[0] == "-" or word[0].isdigit())  # timeout -k 5 60 pytest
        if not (word in BEFORE or word in KEYS or "=" in word or is_of_wrapper):
            break
        at += 1
    return words[at:]


def _program(words: list[str]) -> str:
    """`$(PYTHON)` counts as python."""
    word = words[0].lstrip(PREFIXES).rstrip("\"'])") if words else ""
    return "$" + word[2:].rstrip("})").lower() if word.startswith(("$(", "${")) else word
