"""Data flow through a line: from the files read by a command to the command that sends the data away.

Copied and packed files keep their origin, and so does output passed through a pipe or a substitution.
"""

from hookkit.programs.effects import READ, WRITE
from hookkit.programs.sending import parcel
from hookkit.shell.state import UNKNOWN
from hookkit.shell.syntax import variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.programs.options import Parsed
    from hookkit.shell.commands import Command
    from hookkit.shell.state import Budget

    Files = Callable[[Command], list[tuple[str, str]]]

ENVIRONMENT = "$ENVIRONMENT"  # stands for all variables of the environment, where a command prints or sends them
MOST = 400  # commands of a line with their data followed
PRINTERS = {"env": (), "printenv": (), "set": (), "export": ("-p",), "declare": ("-p", "-x"), "typeset": ("-p", "-x")}
# Options of senders that normally hold secrets: a token in a header is the usual login.
USUAL = ("-H", "--header", "-u", "--user", "-b", "--cookie", "-o", "-x", "--proxy", "-A")


class Sending:
    """A command that sends data: `where` is a host or an address, `files` are the known files sent.

    `has_body` is off for a plain request: only its address leaves the machine.
    """

    __slots__ = ("command", "files", "has_body", "where")

    def __init__(self, command: "Command | None", where: str, files: list[str], *, has_body: bool) -> None:
        self.command = command
        self.where = where
        self.files = files
        self.has_body = has_body


def sendings(
    commands: "list[Command]", files: "Files", parsed: "Callable[[Command], Parsed]", budget: "Budget"
) -> list[Sending]:
    """Every sending command of a line, with the files of origin of its data."""
    parcels = [(at, sent) for at, command in enumerate(commands[:MOST]) if (sent := parcel(parsed(command)))]
    if not parcels:
        return []
    flow = _Flow(commands[:MOST], files, budget)
    sendings_: list[Sending] = []
    for at, sender in parcels:
        sources = flow.origins(sender.files) + flow.inside(at)
        sources += flow.feeding(at) if sender.stdin else []
        sources += flow.before(at) if any(UNKNOWN in text for text in sender.texts) else []
        sources += [f"${name}" for name in _variables(commands[at], sender.texts)]
        has_body = bool(sources) or len(sender.texts) > 1 or (sender.stdin and flow.is_fed(at))
        sendings_.append(Sending(commands[at], sender.where, list(dict.fromkeys(sources)), has_body=has_body))
    return sendings_


class _Flow:
    """The files of origin of each command's data; a written file has the origins of the command's input."""

    def __init__(self, commands: "list[Command]", files: "Files", budget: "Budget") -> None:
        self.commands = commands
        self.budget = budget
        self.written: dict[str, list[str]] = {}
        self.reads: list[list[str]] = []
        for at, command in enumerate(commands):
            touched = files(command)
            own = self.origins([path for kind, path in touched if kind == READ]) + _printed(command)
            self.reads.append(own)
            written = [path for kind, path in touched if kind == WRITE]
            if written:
                sources = own + self.feeding(at) + self.inside(at)
                for path in written if sources else ():
                    known = self.written.setdefault(_plain(path), [])
                    known += [source for source in sources if source not in known]

    def origins(self, paths: list[str]) -> list[str]:
        """The paths, and the files of origin of their content: `tar cf a.tgz key` makes a.tgz a key."""
        origins = list(paths)
        for path in paths:
            origins += self.written.get(_plain(path), ())
            if self.written and UNKNOWN not in path:
                below = f"{_plain(path).rstrip('/')}/"
                inner = [sources for made, sources in self.written.items() if made.startswith(below) or below == "./"]
                origins += [source for sources in inner for source in sources]
        return origins

    def feeding(self, at: int) -> list[str]:
        """Files behind the stdin of a command: files read by earlier stages of its pipelines, and redirected files."""
        here = self.commands[at].places
        self.budget.spend(at)
        paths = [path for kind, path in self.commands[at].files if kind == "<"]
        paths = self.origins(paths)
        for number, command in enumerate(self.commands[:at]):
            if _is_earlier_stage(command.places, here) and number < len(self.reads):
                paths += self.reads[number]
        return paths

    def inside(self, at: int) -> list[str]:
        """Files read by substitutions in the command's own words."""
        here = self.commands[at].places
        paths: list[str] = []
        for number in range(at - 1, -1, -1):
            places = self.commands[number].places
            if places[: len(here)] != here:
                break
            paths += self.reads[number] if len(places) > len(here) else []
        return paths

    def before(self, at: int) -> list[str]:
        """Files read by earlier commands: a computed word may hold the content of any of them."""
        return [path for read in self.reads[:at] for path in read]

    def is_fed(self, at: int) -> bool:
        command = self.commands[at]
        return bool(command.files) or any(stage for _, stage in command.places)


def _is_earlier_stage(one: "tuple[tuple[int, int], ...]", other: "tuple[tuple[int, int], ...]") -> bool:
    """Whether a command stands in an earlier stage of a pipeline than the other command does."""
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            return mine[0] == theirs[0] and mine[1] < theirs[1]
    return False


def _printed(command: "Command") -> list[str]:
    """`env`, `set`, `export -p` print the environment; `echo "$x"` and `printenv x` print a variable."""
    name = command.words[0].rpartition("/")[2]
    if name in ("echo", "printf"):
        words = command.node.words if command.node is not None else []
        return [f"${variable}" for word in words for variable in variables(word)]
    if name == "printenv" and len(command.words) > 1:
        return [f"${word}" for word in command.words[1:] if word[:1] != "-"]
    options = PRINTERS.get(name)
    rest = command.words[1:]
    prints = options is not None and (rest == [] if not options else any(word in options for word in rest))
    return [ENVIRONMENT] if prints else []


def _plain(path: str) -> str:
    return path.removeprefix("./").rstrip("/") or path


def _variables(command: "Command", texts: list[str]) -> list[str]:
    """Names of variables in words sent out: the body and the address, not the headers."""
    if command.node is None or not any(UNKNOWN in text for text in texts):
        return []
    words = command.node.words
    return [name for at, word in enumerate(words) if at and words[at - 1].text not in USUAL for name in variables(word)]
