"""Programs that run other programs: each kind has its own module."""

import os

from hookkit.programs.program import takes_data
from hookkit.shell.follow import wrappers
from hookkit.shell.follow.kinds import KIND, SHELLS, WRITERS
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution
    from hookkit.shell.state import Shell


def follow(line: "Resolution", command: "Command", context: "Context") -> str:
    """Add the commands run by a command; return the command's output.

    Each kind of program has a module of its own. The module loads when a line has a program of this kind.
    """
    words, shell = command.words, context.shell
    if UNKNOWN in words[0]:
        command.doubt = "the name of the program is computed"
        return UNKNOWN
    name = _plain_name(line, command, shell)
    words = command.words
    if _made_here(line, command, context, name):
        return UNKNOWN
    if words[0] in shell.aliases or words[0] in shell.functions:
        from hookkit.shell.follow import builtins

        return builtins.follow(line, command, context)
    if name in WRITERS:
        from hookkit.shell.follow import writers

        writers.keep(line, command, name, context)
    kind = KIND.get(name)
    if kind == "directories":
        from hookkit.shell.follow.directories import MOVES

        command.followed = True
        return MOVES[name](line, command, context)
    if kind == "builtins":
        from hookkit.shell.follow.builtins import BUILTINS

        command.followed = True
        return BUILTINS[name](line, command, context)
    if kind == "shells":
        from hookkit.shell.follow import shells

        command.followed = True
        return shells.follow(line, command, context, name)
    return _program(line, command, context, name)


def _plain_name(line: "Resolution", command: "Command", shell: "Shell") -> str:
    """The program's name without directory, ending and capitals; the command's first word changes with it."""
    words = command.words
    if words[0][:1] == "=" and len(words[0]) > 1:  # zsh: `=rm` is the path of rm
        command.words = words = [words[0][1:], *words[1:]]
    name = words[0].rpartition("/")[2]
    if name[:3] == "zf_":  # the builtins of zsh/files
        name = name[3:]
        command.words = words = [name, *words[1:]]
    if name[-4:].lower() == ".exe" and len(name) > 4:  # noqa: PLR2004 - `curl.exe` is curl
        place = words[0][: -len(name)]
        name = name[:-4].lower()
        command.words = words = [place + name, *words[1:]]
    if name not in KIND and name != name.lower() and words[0] not in shell.functions and words[0] not in shell.aliases:
        folded = name.lower()  # `RM` is rm on a case-insensitive file system; elsewhere no program is called `RM`
        if line.folds or folded in KIND or folded in WRITERS or folded == "sudo":
            name = folded
            command.words = words = [words[0].lower(), *words[1:]]
    if name[:4] == "git-" and name[4:] in GIT_FILES:  # `git-push` is `git push`
        command.words = ["git", name[4:], *words[1:]]
        return "git"
    return name


def _program(line: "Resolution", command: "Command", context: "Context", name: str) -> str:
    """A program outside the shell: a batch, an interpreter, a carrier, a wrapper, or plain."""
    kind = KIND.get(name)
    unversioned = name.rstrip("0123456789.-")
    if kind is None and KIND.get(unversioned) == "languages":
        kind, name = "languages", unversioned  # lua5.4, ruby3.2
    if kind == "batches":
        from hookkit.shell.follow.batches import RUNNERS

        command.followed = True
        return RUNNERS[name](line, command, context)
    if kind == "languages":
        from hookkit.shell.languages import interpreters

        interpreters.interpret(line, command, context, name)
    elif kind == "carriers" and not (name == "git" and _is_plain_git(line, command)):
        from hookkit.shell.follow import carriers

        carriers.beside(line, command, context, name)
    record = line.catalogue.find(name)
    if record is not None and wrappers.may_wrap(record):
        from hookkit.shell.follow.directories import wrapped

        output = wrapped(line, command, context)
        if output is not None:
            return output
    is_known = record is not None and (takes_data(record) or wrappers.is_wrapper(record))
    if kind is None and not is_known:
        _behind_unknown(line, command, context, name)
    if line.made.files and name in PROJECTS:
        from hookkit.shell.follow import projects

        projects.follow(line, command, context, name)
    if not context.read:
        return UNKNOWN
    from hookkit.shell.follow.outputs import printed_by

    return printed_by(line, command.words, context)


def _behind_unknown(line: "Resolution", command: "Command", context: "Context", name: str) -> None:
    """`tool sh -c code`: an unknown program may run the shell named in its arguments."""
    words = command.words
    for at in range(1, len(words) - 2):
        option = words[at + 1]
        is_shell = words[at].rpartition("/")[2] in SHELLS and option[:1] == "-" and option[1:2] != "-"
        if is_shell and option[-1:] == "c":
            line.run(words[at:], context.inside(name))
            return
    if any(" " in word for word in words[2:]) or any(" " in word for word in words[1:2] if "=" in word):
        from hookkit.shell.follow import (
            kinds,  # late: few programs get a text with blanks
            shells,
        )

        for text in kinds.carried(words):
            shells.code(line, text, command, context, name)


def _is_plain_git(line: "Resolution", command: "Command") -> bool:
    """Most calls of git: a well-known sub-command first, and no settings that change the sub-command's meaning."""
    plain = command.words[1:2] != [] and command.words[1] in PLAIN_GIT and not line.git and not line.made.files
    return plain and command.words[1] != "restore" and not (command.words[1] == "checkout" and "--" in command.words)


GIT_FILES = ("push", "send-pack", "reset", "clean", "checkout", "branch", "update-ref", "reflog", "gc", "rm", "config")
# Programs that run what the files of a project say.
PROJECTS = frozenset("npm yarn pnpm bun just task pytest py.test tox nox pip pip3 cargo rake python python3 uv".split())
PLAIN_GIT = frozenset(
    "status add commit checkout branch pull fetch merge rebase stash reset restore switch tag blame remote rev-parse "
    "cherry-pick ls-files worktree".split()
)


def _made_here(line: "Resolution", command: "Command", context: "Context", name: str) -> bool:
    """A program written by this very line: followed if its text is known, else a doubt."""
    word = command.words[0]
    paths = [word, f"{word}.exe"] if "/" in word else _on_path(line, word, context)
    for path in paths:
        text = line.made.find(path, context)
        place = line.made.place(path, context)
        if text is None and place in line.made.fetched:
            text = UNKNOWN
        if text is None and os.path.normpath(os.path.join(context.shell.directory or "", path)) in line.made.links:
            line.run([place, *command.words[1:]], context.inside(name))  # a link to a program runs the program
            return True
        if text is not None:
            from hookkit.shell.follow import shells

            shells.script(line, text, command, context, name)
            return True
    return False


def _on_path(line: "Resolution", name: str, context: "Context") -> list[str]:
    """Paths of a program in the directories of PATH, if the line made a file with the program's name."""
    ends = f"/{name}"
    if not line.made.files and not line.made.links:
        return []
    if not any(path.endswith(ends) for path in (*line.made.files, *line.made.links)):
        return []
    path = context.shell.variables.get("PATH")
    text = path.options[0].get("0", "") if path else ""
    return [f"{entry or '.'}/{name}" for entry in text.split(":") if entry and UNKNOWN not in entry]
