"""A tool call, analysed once: the commands that it would run, and the files that it would touch."""

import os

from hookkit.policy.paths import Place
from hookkit.policy.pattern import SUBJECTS
from hookkit.policy.tools import ADDRESS, EITHER, RUNS, TEXT, effects
from hookkit.shell import effects as files
from hookkit.shell.budget import Budget
from hookkit.shell.commands import Command
from hookkit.shell.effect_rows import EFFECTS
from hookkit.shell.globs import is_pattern
from hookkit.shell.kinds import NETWORK
from hookkit.shell.programs import Shape, sort_words
from hookkit.shell.resolve import Resolution
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hookkit.shell.flows import Sending
    from hookkit.shell.wrapper_rows import Wrapper

    Touch = tuple[str, str, Command | None]  # effect, path as written, the command that has it
    Reached = tuple[str, str, Command | None, str | None, tuple[str, str | None, bool] | None]

HARMLESS = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/random",
            "/dev/urandom", "/dev/full")  # fmt: skip
ORDINARY = ("git", "grep", "cat", "head", "tail", "ls", "echo", "sed", "sort", "wc")  # known without looking it up
FILE_WORDS = (
    "open",
    "read",
    "write",
    "File",
    "Path",
    "unlink",
    "remove",
    "getline",
    "print >",
    "print>",
    "cp(",
    "copy",
)
NOT_BASH = "this is a command line of another shell"


class Call:
    """`kind` is the kind of the tool's subject; `shell` the resolved command line of a tool that runs one."""

    def __init__(
        self,
        tool: str,
        tool_input: dict[str, object],
        *,
        cwd: str,
        project: str,
        home: str,
        wrappers: "dict[str, Wrapper] | None" = None,
        tools: "Sequence[dict[str, Any]]" = (),
    ) -> None:
        self.tool = tool
        self.tool_input = tool_input
        self.cwd = cwd
        self.place = Place(project, home)
        self.budget = Budget()
        field, self.kind = SUBJECTS.get(tool, ("", ""))
        value = tool_input.get(field)
        self.subject = value if isinstance(value, str) else ""
        self.effects = effects(tool, tool_input, tools)
        self.shell = self._resolved(wrappers)
        self.commands: list[Command] = self.shell.commands if self.shell else []
        self._shapes: dict[int, Shape] = {}
        self._quoted: dict[int, list[str]] = {}
        self._files: dict[int, list[tuple[str, str]]] = {}
        self.touches: list[Touch] | None = None
        self.hides: list[Touch] | None = None
        self.reaches: list[Reached] | None = None
        self._sent: list[Sending] | None = None

    def _resolved(self, wrappers: "dict[str, Wrapper] | None") -> Resolution | None:
        """Several command lines of one call are looked at as if they stood in one."""
        lines = [text for kind, text in self.effects if kind == RUNS]
        if self.tool == "Bash" and not lines:
            lines = [""]
        if not lines:
            return None
        return Resolution(
            "\n".join(lines),
            directory=self.cwd,
            home=self.place.home,
            project=self.place.project,
            wrappers=wrappers,
            is_directory=_is_directory,
            budget=self.budget,
            folds=self.place.folds,
        )

    def shape(self, command: Command) -> Shape:
        if id(command) not in self._shapes:
            self._shapes[id(command)] = sort_words(command.words)
        return self._shapes[id(command)]

    def files(self, command: Command) -> list[tuple[str, str]]:
        """Files that the command reads, writes or deletes; devices such as /dev/null are none."""
        if id(command) not in self._files:
            touched = files.files_of(
                self.shape(command), command.files, lambda path: self.place.is_directory(path, command.directory)
            )
            self.budget.spend(3 * len(touched))  # each is looked up, and matched with rules
            self._files[id(command)] = [(kind, path) for kind, path in touched if not is_device(path)]
        return self._files[id(command)]

    def touched(self) -> "list[Touch]":
        """Every file of the call once, however many commands touch it."""
        if self.touches is None:
            seen: dict[tuple[str, str, str | None], Command] = {}
            made = self.shell.made if self.shell else None
            for command in self.commands:
                for kind, path in self.files(command):
                    seen.setdefault((kind, path, command.directory), command)
                    if made is not None and made.links:
                        where = os.path.normpath(os.path.join(command.directory or "", path))
                        target = made.resolve(where)
                        if target != where:  # a link that the line made
                            seen.setdefault((kind, target + ("/" if path.endswith("/") else ""), None), command)
            self.touches = [(kind, path, command) for (kind, path, _), command in seen.items()]
            self.touches += [touch for kind, path in self.effects for touch in _own(kind, self.place.expand(path))]
            if any(command.words[0].rpartition("/")[2] in NETWORK for command in self.commands):
                self.touches += [(files.SEND, path, sent.command) for sent in self.sent() for path in sent.files]
        return self.touches

    def reached(self) -> "list[Reached]":
        """The touched files with their directories, and what a pattern or a whole tree among them may be or hold."""
        if self.reaches is None:
            self.reaches = []
            for kind, path, command in self.touched():
                directory = command.directory if command else self.cwd
                below = kind == files.READ and self._reads_below(command)
                start = files.whole(path) if below else path
                is_open = below or is_pattern(start) or is_pattern(directory or "")
                self.reaches.append((kind, path, command, directory, (start, directory, below) if is_open else None))
        return self.reaches

    def _reads_below(self, command: Command | None) -> bool:
        """Whether the command reads everything below a directory."""
        if command is None:
            return self.tool == "Grep"
        return files.reads_below(self.shape(command)) or any(name.startswith("find ") for name in command.via)

    def sent(self) -> "list[Sending]":
        """Data that the call sends out of the machine: which command, which files, to where."""
        if self._sent is None:
            from hookkit.shell import flows  # late: most calls send nothing

            self._sent = flows.sendings(self.commands, self.files, self.budget)
            own = [path for kind, path in self.effects if kind == files.SEND]
            self._sent += [flows.Sending(None, self.tool, own, has_body=True)] if own else []
            self._sent += [
                flows.Sending(None, text, [], has_body=False) for kind, text in self.effects if kind == ADDRESS
            ]
        return self._sent

    def quoted(self, command: Command) -> list[str]:
        """Texts inside a program of another language that works with files: they may be files' names."""
        found = self._quoted.get(id(command))
        if found is None:
            code = command.code
            texts = [text for quote in "\"'`" for text in code.split(quote)[1::2]] if _has_files(code) else []
            found = self._quoted[id(command)] = list(dict.fromkeys(texts))
        return found

    def hidden(self) -> "list[Touch]":
        """Files that a program without a row may touch: named by its words, or by a command behind it."""
        if self.hides is None:
            self.hides = []
            for command in self.commands:
                name = command.words[0].rpartition("/")[2]
                if command.followed or name in ORDINARY or name in EFFECTS or len(command.words) < 2:  # noqa: PLR2004
                    continue
                inner = behind(command)
                found = files.files_of(sort_words(inner), [], lambda _: False) if inner else []
                self.hides += [(kind, path, command) for kind, path in found]
                self.hides += [(kind, path, command) for kind, path in _named(command)]
                self.budget.spend(len(found) + 1)
        return self.hides

    def doubt(self) -> "tuple[Command | None, str]":
        """The first reason why other commands than these might run, with its command."""
        if self.shell is not None and self.shell.doubts:
            return None, self.shell.doubts[0]
        for kind, _ in self.effects:
            if kind == TEXT:
                return None, NOT_BASH
        for command in self.commands:
            if command.doubt:
                return command, command.doubt
        return None, ""


def is_device(path: str) -> bool:
    """A device such as /dev/null, or an open file; `/dev/fd/../environ` is neither."""
    return path in HARMLESS or (path.startswith("/dev/fd/") and path[8:].isdigit())


def _own(kind: str, path: str) -> "list[Touch]":
    """The file effects of a tool that is no shell."""
    kinds = {
        RUNS: (), TEXT: (), ADDRESS: (), EITHER: (files.READ, files.WRITE), files.DELETE: (files.WRITE, files.DELETE),
        files.SEND: (files.READ, files.SEND),
    }.get(kind, (kind,))  # fmt: skip
    return [(each, path, None) for each in kinds]


def _is_directory(path: str) -> bool:
    try:
        return UNKNOWN not in path and os.path.isdir(path)
    except ValueError:
        return False


def _has_files(code: str) -> bool:
    return any(word in code for word in FILE_WORDS)


def behind(command: Command) -> list[str]:
    """The command that an unknown program may run: from the first word on that is a program's name."""
    if command.followed or len(command.words) < 2 or command.words[0] in ORDINARY:  # noqa: PLR2004
        return []
    name = command.words[0].rpartition("/")[2]
    if name in EFFECTS:
        return []
    from hookkit.shell.data_programs import KNOWN  # late: only for programs without a row

    if name in KNOWN:
        return []
    for at, word in enumerate(command.words):
        base = word.rpartition("/")[2]
        if at and base in KNOWN:
            return command.words[at:]
    return []


def _named(command: Command) -> list[tuple[str, str]]:
    """Paths among the words of a program that has no row in the table of effects: it may read or write them."""
    name = command.words[0].rpartition("/")[2]
    if command.followed or name in EFFECTS or name in files.OWN:
        return []
    from hookkit.shell.data_programs import CONTENT_FREE

    if name in CONTENT_FREE:
        return []
    found: list[tuple[str, str]] = []
    for word in command.words[1:]:
        option, equals, value = word.partition("=")
        path = value if equals and option[:1] == "-" else word
        if path[:1] == "-" and len(path) > 2 and path[1] != "-":  # noqa: PLR2004 - `-o/path`
            path = path[2:]
        if path[:1] != "-" and ("/" in path or "." in path) and "://" not in path:
            found += [(files.READ, path), (files.WRITE, path)]
    return found
