"""A tool call, analysed once: the commands that it would run, and the files that it would touch."""

import os

from hookkit.policy.paths import Place, files_of
from hookkit.policy.pattern import SUBJECTS
from hookkit.policy.tools import ADDRESS, EITHER, POWERSHELL, RUNS, effects
from hookkit.programs import effects as files
from hookkit.programs.catalogue import SHIPPED, Catalogue, takes_data
from hookkit.programs.options import Parsed, parse
from hookkit.programs.words import whole
from hookkit.shell.commands import Command
from hookkit.shell.expand import is_pattern
from hookkit.shell.resolve import Resolution
from hookkit.shell.state import UNKNOWN, Budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hookkit.shell.follow.flows import Sending

    Verb = tuple[str, str, Command | None, str]  # effect, its object, the command that has it, why it is only possible
    Touch = tuple[str, str, Command | None]  # effect, path as written, the command that has it
    Reached = tuple[str, str, Command | None, str | None, tuple[str, str | None, bool] | None]


HARMLESS = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/random",
            "/dev/urandom", "/dev/full")  # fmt: skip
FILE_WORDS = ("open", "read", "write", "File", "Path", "link", "chmod", "chown", "remove", "getline", "print >",
              "print>", "cp(", "copy", "put_contents")  # fmt: skip
MARKS = ("env", "ENV", "$", "/dev/", "yes ", "declare", "typeset", "export", "://", "config(")  # of line_effects
REGISTRIES = ("docker", "podman", "nerdctl", "helm", "oras", "crane", "skopeo")  # take a password from stdin
REMOTE = ("mcp__", "Web")  # tools that work on other machines


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
        catalogue: Catalogue = SHIPPED,
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
        self.catalogue = catalogue
        self.shell = self._resolved()
        self.commands: list[Command] = self.shell.commands if self.shell else []
        self._parsed: dict[int, Parsed] = {}
        self.acts: list[Verb] | None = None
        self.is_inner = False  # the content of a file that another call writes
        self._quoted: dict[int, list[str]] = {}
        self._files: dict[int, list[tuple[str, str]]] = {}
        self.touches: list[Touch] | None = None
        self.hides: list[Touch] | None = None
        self.reaches: list[Reached] | None = None
        self._sent: list[Sending] | None = None

    def _resolved(self) -> Resolution | None:
        """Several command lines of one call are looked at as if they stood in one."""
        scripts = [text for kind, text in self.effects if kind == POWERSHELL]
        lines = scripts or [text for kind, text in self.effects if kind == RUNS]
        if self.tool == "Bash" and not lines:
            lines = [""]
        if not lines:
            return None
        return Resolution(
            "\n".join(lines),
            directory=self.cwd,
            home=self.place.home,
            project=self.place.project,
            catalogue=self.catalogue,
            is_directory=_is_directory,
            budget=self.budget,
            folds=self.place.folds,
            language="powershell" if scripts else "",
        )

    def parsed(self, command: Command) -> Parsed:
        if id(command) not in self._parsed:
            self._parsed[id(command)] = parse(command.words, self.catalogue)
        return self._parsed[id(command)]

    def verbs(self) -> "list[Verb]":
        """Effects of the commands on more than files. A possible effect has a reason why nobody can tell."""
        if self.acts is None:
            self.acts = [verb for command in self.commands for verb in self._verbs_of(command)]
            if self.shell is not None and any(mark in self.shell.line for mark in MARKS):
                from hookkit.policy import line_effects  # late: most lines hold no such word

                self.acts += line_effects.effects(self)
            if self.tool.startswith(REMOTE):
                from hookkit.policy import mcp  # late: most calls are of the client's own tools

                self.acts += [(kind, object_, None, "") for kind, object_ in mcp.verbs(self.tool, self.tool_input)]
        return self.acts

    def _verbs_of(self, command: Command) -> "list[Verb]":
        if UNKNOWN in command.words[0]:
            return []
        parsed = self.parsed(command)
        certain: list[Verb] = [
            (kind, object_, command, "")
            for kind, object_ in files.verbs(parsed)
            if not (object_ == "unknown" and "/" in command.words[0].lstrip("/"))  # `./manage.sh x` is the project's
            and not (kind == "Print" and self._logs_in(command))
        ]
        if command.moved:  # an agent with other settings runs without the hooks of these
            certain.append(("Open", "permissions", command, ""))
        if any("fetches" in record.row for record in parsed.records) and self._fetches(parsed, command):
            certain.append(("Run", "package", command, ""))
        if command.computed:
            why = f"a word of this {command.words[0]} command is computed"
            return certain + [(kind, object_, command, why) for kind, object_ in files.possible_verbs(parsed)]
        words = self.behind(command) if not certain else []
        if not words:
            return certain
        why = f"{command.words[0]} is not known, and may run the words behind it"
        return [(kind, object_, command, why) for kind, object_ in files.verbs(parse(words, self.catalogue))]

    def _logs_in(self, command: Command) -> bool:
        """`aws ecr get-login-password | docker login --password-stdin x`: nobody sees the password."""
        *above, (pipeline, stage) = command.places or ((0, 0),)
        following = (*above, (pipeline, stage + 1))
        return any(
            other.places == following and other.words[0] in REGISTRIES and "login" in other.words[1:3]
            for other in self.commands
        )

    def _fetches(self, parsed: Parsed, command: Command) -> bool:
        """Whether a runner such as npx fetches a package that is neither widely used nor installed here."""
        from hookkit.policy import line_effects  # late: few commands fetch a package
        from hookkit.programs.sending import fetched_package

        package = fetched_package(parsed, self.catalogue)
        return bool(package) and not line_effects.is_installed(package, command.directory, self.place)

    def files(self, command: Command) -> list[tuple[str, str]]:
        """Files that the command reads, writes or deletes; devices such as /dev/null are none."""
        if id(command) not in self._files:
            touched = files.files(
                self.parsed(command), command.files, lambda path: self.place.is_directory(path, command.directory)
            )
            touched += _of_commits(self.parsed(command).operands)
            touched += self._of_venv(command.words[0], self.parsed(command).operands)
            if (files.WRITE, f"{self.place.home}/*") in touched:  # what is unpacked there may bring a .bashrc
                touched.append((files.WRITE, f"{self.place.home}/.*"))
            self.budget.spend(3 * len(touched))  # each is looked up, and matched with rules
            self._files[id(command)] = [(kind, path) for kind, path in touched if not is_device(path)]
        return self._files[id(command)]

    def _of_venv(self, program: str, operands: list[str]) -> list[tuple[str, str]]:
        """`/opt/venv/bin/pip install x` changes the packages of that venv; one in the project is the project's own."""
        prefix = os.path.dirname(os.path.dirname(program))
        is_change = operands[0].startswith("pip") and operands[1:2] in (["install"], ["uninstall"])
        is_outside = is_change and prefix[:1] == "/" and not prefix.startswith(f"{self.place.project}/")
        return [(files.FILL, prefix)] * is_outside

    def touched(self) -> "list[Touch]":
        """Every file of the call, once for each command that touches it: an exception may spare only one of them."""
        if self.touches is None:
            seen: dict[tuple[str, str, str | None, tuple[str, ...]], Command] = {}
            made = self.shell.made if self.shell else None
            for command in self.commands:
                for kind, path in self.files(command):
                    words = tuple(command.words)
                    seen.setdefault((kind, path, command.directory, words), command)
                    if made is not None and made.links:
                        where = os.path.normpath(os.path.join(command.directory or "", path))
                        target = made.resolve(where)
                        if target != where:  # a link that the line made
                            seen.setdefault((kind, target + ("/" if path.endswith("/") else ""), None, words), command)
            self.touches = [(kind, path, command) for (kind, path, *_), command in seen.items()]
            self.touches += [
                touch for kind, path in self.effects for touch in _environment_touches(kind, self.place.expand(path))
            ]
            if any(self.may_send(command) for command in self.commands):
                self.touches += [
                    (files.SEND, path, sent.command)
                    for sent in self.sent()
                    for name in sent.files
                    for path in (name, *self._held(name, sent.command))
                ]
        return self.touches

    def _held(self, path: str, command: "Command | None") -> list[str]:
        """The files of a directory that is sent whole: `scp -r certs host:`, `scp certs/* host:`."""
        where = os.path.join((command.directory if command else None) or self.cwd, path.removesuffix("/*"))
        if UNKNOWN in where or is_pattern(where):
            return []
        values = self.parsed(command).values if command else []
        held = files_of(where, [value.rstrip("/") for option, value in values if option == "--exclude"])
        self.budget.spend(len(held))
        return held

    def may_send(self, command: Command) -> bool:
        return any("sends" in record.row for record in self.parsed(command).records)

    def reached(self) -> "list[Reached]":
        """The touched files with their directories, and what a pattern or a whole tree among them may be or hold."""
        if self.reaches is None:
            self.reaches = []
            for kind, path, command in self.touched():
                directory = command.directory if command else self.cwd
                below = kind == files.READ and self._reads_below(command)
                start = whole(path) if below else self.place.opened(path, directory) if kind != files.READ else path
                is_open = below or is_pattern(start) or is_pattern(directory or "")
                self.reaches.append((kind, path, command, directory, (start, directory, below) if is_open else None))
        return self.reaches

    def _reads_below(self, command: Command | None) -> bool:
        """Whether the command reads everything below a directory."""
        if command is None:
            return self.tool == "Grep"
        return files.reads_below(self.parsed(command)) or any(name.startswith("find ") for name in command.via)

    def sent(self) -> "list[Sending]":
        """Data that the call sends out of the machine: which command, which files, to where."""
        if self._sent is None:
            from hookkit.shell.follow import flows  # late: most calls send nothing

            self._sent = flows.sendings(self.commands, self.files, self.parsed, self.budget)
            own = [path for kind, path in self.effects if kind == files.SEND]
            self._sent += [flows.Sending(None, self.tool, own, has_body=True)] if own else []
            self._sent += [
                flows.Sending(None, text, [], has_body=False) for kind, text in self.effects if kind == ADDRESS
            ]
        return self._sent

    def quoted(self, command: Command) -> list[str]:
        """Texts inside a program of another language that works with files: they may be files' names."""
        words = self._quoted.get(id(command))
        if words is None:
            code = command.code
            texts = [text for quote in "\"'`" for text in code.split(quote)[1::2]] if _has_files(code) else []
            texts += [self.place.expand(text) for text in texts if text[:1] == "~"]  # expanduser, File.expand_path
            # Behind a variable with the home, or with the variable inside: `$ENV{HOME}/.x`, `#{Dir.home}/.x`.
            hidden = [text[text.find("/.") :] for text in texts if text[:1] in ("/", "$", "#", "{")]
            texts += [self.place.home + text for text in hidden if text[:2] == "/."]
            words = self._quoted[id(command)] = list(dict.fromkeys(texts))
        return words

    def hidden(self) -> "list[Touch]":
        """Files that a program without a row may touch: named by its words, or by a command behind it."""
        if self.hides is None:
            self.hides = []
            for command in self.commands:
                if command.followed or len(command.words) < 2 or self._tells_files(command):  # noqa: PLR2004
                    continue
                inner = self.behind(command)
                touches = files.files(parse(inner, self.catalogue), [], lambda _: False) if inner else []
                self.hides += [(kind, path, command) for kind, path in touches]
                self.hides += [(kind, path, command) for kind, path in _named_files(command)]
                self.budget.spend(len(touches) + 1)
        return self.hides

    def _tells_files(self, command: Command) -> bool:
        """Whether the program's record says which files it touches."""
        name = command.words[0].rpartition("/")[2]
        records = self.parsed(command).records
        return name in files.ODD or any("operands" in record.row or "contentless" in record.row for record in records)

    def behind(self, command: Command) -> list[str]:
        """The command that an unknown program may run: from the first word on that is a program's name."""
        if command.followed or len(command.words) < 2 or takes_data(self.parsed(command).records[0]):  # noqa: PLR2004
            return []
        for place, word in enumerate(command.words):
            record = self.catalogue.find(word.rpartition("/")[2]) if place else None
            if record is not None and takes_data(record):
                return command.words[place:]
        return []

    def writes_text(self) -> bool:
        """Whether the call itself holds the text of a file that it writes."""
        if self.shell is not None:
            return bool(self.shell.made.files)
        return any(kind == files.WRITE for kind, _, _ in self.touched())

    def inside(self, line: str) -> "Call":
        """A command line that this call leaves behind in a file, as a call of its own."""
        place = self.place
        call = Call("Bash", {"command": line}, cwd=self.cwd, project=place.project, home=place.home,
                    catalogue=self.catalogue)  # fmt: skip
        call.is_inner = True
        return call

    def doubt(self) -> "tuple[Command | None, str]":
        """The first reason why other commands than these might run, with its command."""
        if self.shell is not None and self.shell.doubts:
            return None, self.shell.doubts[0]
        for command in self.commands:
            if command.doubt:
                return command, command.doubt
        return None, ""


def _of_commits(operands: list[str]) -> list[tuple[str, str]]:
    """`git show HEAD:.env`: a file of a commit holds the same secrets as the file itself."""
    if operands[:1] != ["git"] or operands[1:2] not in (["show"], ["cat-file"]):
        return []
    return [(files.READ, path) for word in operands[2:] if (path := word.partition(":")[2])]


def is_device(path: str) -> bool:
    """A device such as /dev/null, or an open file; `/dev/fd/../environ` is neither."""
    return path in HARMLESS or (path.startswith("/dev/fd/") and path[8:].isdigit())


def _environment_touches(kind: str, path: str) -> "list[Touch]":
    """The file effects of a tool that is no shell."""
    kinds = {
        RUNS: (), POWERSHELL: (), ADDRESS: (), EITHER: (files.READ, files.WRITE),
        files.DELETE: (files.WRITE, files.DELETE),
        files.SEND: (files.READ, files.SEND),
    }.get(kind, (kind,))  # fmt: skip
    return [(effect, path, None) for effect in kinds]


def _is_directory(path: str) -> bool:
    try:
        return UNKNOWN not in path and os.path.isdir(path)
    except ValueError:
        return False


def _has_files(code: str) -> bool:
    return any(word in code for word in FILE_WORDS)


def _named_files(command: Command) -> list[tuple[str, str]]:
    """Paths among the words of a program whose record does not tell its files: it may read or write them."""
    paths: list[tuple[str, str]] = []
    for word in command.words[1:]:
        option, equals, value = word.partition("=")
        path = value if equals and option[:1] == "-" else word
        if path[:1] == "-" and len(path) > 2 and path[1] != "-":  # noqa: PLR2004 - `-o/path`
            path = path[2:]
        if path[:1] != "-" and ("/" in path or "." in path) and "://" not in path:
            paths += [(files.READ, path), (files.WRITE, path)]
    return paths
