"""The project's own commands: test, lint, format and build, if the person trusts the files with their definitions."""

import os

from hookkit.approve.paths import Ground
from hookkit.approve.reading import known, program
from hookkit.approve.spoiled import Spoiled
from hookkit.programs.options import Parsed, parse
from hookkit.redirect import sources
from hookkit.redirect.search import CommandSearch
from hookkit.redirect.targets import TaskFiles
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings
    from hookkit.shell.commands import Command


class Commands:
    """Finds commands defined by the project in trusted files."""

    def __init__(self, settings: "Settings") -> None:
        self.settings = settings

    def is_own(self, command: "Command", ground: Ground) -> bool:
        task = _task(command.words, ground)
        if task is None or command.directory is None or not ground.is_project:
            return False
        name, action, words, parsed = task
        known(name, words, parsed)
        operands = parsed.operands[len(parsed.records) :]
        _no_words_beyond(name, words, operands, parsed)
        for path in operands if parsed.record.text("operands") == "tracked*" else ():
            plain = path.partition("::")[0].removesuffix("/...")
            ground.read(plain or ".", command.directory)
            ground.write(plain, command.directory) if plain not in (".", "./", "") else None
        if not self._is_trusted(name, action, command.directory, ground):
            raise Spoiled(f"{name} is a command of the project, and the project is not trusted: hookkit trust")
        return True

    def _is_trusted(self, name: str, action: str, directory: str, ground: Ground) -> bool:
        """Whether the person trusts the present content of the nearest file with the command's definition."""
        real = os.path.realpath(directory)
        if not f"{real}/".startswith(f"{ground.project}/"):
            return False
        tasks = TaskFiles()
        search = CommandSearch(real, files.repository(real), tasks, self.settings.values.get("toolchains", ()))
        tool = name.split(maxsplit=1)[0]
        for _, defined in search.commands(action):
            if defined.own and defined.toolchain != tool:
                continue
            return bool(defined.sources) and sources.are_trusted(defined.sources, self.settings.environ)
        return False


def _no_words_beyond(name: str, words: list[str], operands: list[str], parsed: Parsed) -> None:
    """Words for a second program: behind `--` of cargo, or in a file `@file`, they could write any file."""
    behind = words[words.index("--") + 1 :] if "--" in words else []
    known_behind = parsed.record.words_of("behind")
    unknown = [word for word in behind if word[:1] == "-" and word.partition("=")[0] not in known_behind]
    if name == "cargo fmt":  # each of its operands is a file to write
        unknown += [word for word in operands if word not in known_behind]
    if unknown or any(word[:1] == "@" for word in operands):
        raise Spoiled(f"hookkit does not know what {(unknown or operands)[0]} does")


def _task(words: list[str], ground: Ground) -> tuple[str, str, list[str], Parsed] | None:
    """The name, the action, the words and the record of a project's own command; `python -m pytest` is pytest."""
    try:
        name = program(words[0])
    except Spoiled:
        return None
    catalogue = ground.call.catalogue
    if words[1:2] == ["-m"] and catalogue.get(name).text("language") == "python" and len(words) > 2:  # noqa: PLR2004
        words = words[2:]
    words = [words[0].rpartition("/")[2], *words[1:]]
    parsed = parse(words, catalogue)
    action = parsed.record.text("task")
    named = parsed.operands[: len(parsed.records)]
    return (" ".join(named), named[-1] if action == "*" else action, words, parsed) if action else None
