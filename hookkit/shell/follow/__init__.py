"""Follows the programs that run other programs: builtins, branches, wrappers, shells, batches, git, make.

Each kind of program has a module of its own. The module loads when a line has a program of this kind.
"""

import os

from hookkit.programs.catalogue import SHIPPED, takes_data
from hookkit.shell.follow import wrappers
from hookkit.shell.state import UNKNOWN, Shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution


# -- the most common builtins ----------------------------------------------------------------------


def cd(line: "Resolution", command: "Command", context: "Context") -> str:
    """Change the directory; a missing directory leaves the shell in the old directory."""
    operands = [word for word in command.words[1:] if word not in ("-P", "-L", "-e", "-@", "--")]
    shell = context.shell
    goal = operands[0] if operands else shell.home
    before = shell.copy()
    if goal == "-":
        shell.move(shell.old)
        return ""
    shell.go(goal)
    cdpath = shell.variables.get("CDPATH")
    if cdpath is not None and goal[:1] not in ("/", ".") and cdpath.options != ({"0": ""},):
        shell.move(shell.directory, None)
    elif not _is_there(line, goal, shell):
        line.failed = before
    return ""


def _is_there(line: "Resolution", goal: str, shell: Shell) -> bool:
    """Whether `cd` surely succeeds: the directory exists, or an earlier command of the line named the directory."""
    place = shell.directory
    if place is None:
        return False
    if place in ("/", shell.home, shell.project) or shell.is_directory(place):
        return True
    name = goal.rstrip("/").rpartition("/")[2].removesuffix(".git")
    return any(name in word for earlier in line.commands[:-1] for word in earlier.words[1:])


def pushd(line: "Resolution", command: "Command", context: "Context") -> str:
    context.shell.stack = (*context.shell.stack, context.shell.directory)
    return cd(line, command, context)


def popd(_: "Resolution", _command: "Command", context: "Context") -> str:
    stack = context.shell.stack
    context.shell.move(stack[-1] if stack else None)
    context.shell.stack = stack[:-1]
    return ""


def end(_: "Resolution", _command: "Command", context: "Context") -> str:
    context.shell.ended = True
    return ""


def quiet(_: "Resolution", _command: "Command", _context: "Context") -> str:
    return ""


MOVES = {
    "cd": cd,
    "pushd": pushd,
    "popd": popd,
    **dict.fromkeys(("exit", "return", "break", "continue"), end),
    **dict.fromkeys((":", "true", "false", "wait", "shopt"), quiet),
}


# -- the module for each program, by the program's name --------------------------------------------


SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "fish", "csh", "tcsh", "posh", "yash", "pwsh",
          "powershell", "nu", "elvish", "xonsh", "osh", "oil")  # fmt: skip
BUILTINS = """
    alias hash set shift unset read mapfile readarray printf getopts let test [ eval trap source . complete
    compgen exec enable
"""
# run text or files
RUNNING = tuple("enable eval source . trap exec complete compgen mapfile readarray".split())
LANGUAGES = """
    python python2 python3 pypy pypy3 ipython python3.6 python3.7 python3.8 python3.9 python3.10 python3.11
    python3.12 python3.13 python3.14 python3.15 node nodejs bun tsx ts-node awk gawk mawk nawk mysql mariadb
    mongosh mongo lua luajit groovy julia elixir Rscript R scala jshell ruby irb perl deno php osascript
    tclsh wish expect go v crystal nim jrunscript swift dart java kotlin rscript psql cqlsh clickhouse-client
    sqlite3 duckdb mycli hive beeline spark-sql cockroach snowsql impala-shell clickhouse usql pgcli vsql gsql sqlcmd
    trino presto bq wrangler ghc runghc ocaml raku gnuplot dc emacs sbcl clisp octave octave-cli ed ftp
    guile racket erl
"""
BATCHES = """
    xargs find fd fdfind gfind parallel sem
"""
CARRIERS = """
    rsync tar zip curl man gdb lldb ssh scp sftp vim nvim vi ex view sed gsed make gmake git patch wget sort less more
    most npm pnpm yarn
"""
KIND = {
    **dict.fromkeys(CARRIERS.split(), "carriers"),
    **dict.fromkeys(BATCHES.split(), "batches"),
    **dict.fromkeys(LANGUAGES.split(), "languages"),
    **dict.fromkeys((*SHELLS, "cmd"), "shells"),
    **dict.fromkeys(BUILTINS.split(), "builtins"),
    **dict.fromkeys(MOVES, "directories"),
}
# Commands for making files, or moving and deleting whole trees.
WRITERS = frozenset(
    """
    aria2c aws cc chattr chgrp chmod chown clang clang++ cp curl dd del-cli fetch g++ gcc go gsutil install
    ln mv rimraf rm rsync rustc scp setfacl shred srm tcc tee trash trash-put unlink wget wipe
    """.split()
)


LONGEST = 2_000  # characters of a text that is looked at
MORE = frozenset(
    "sudo doas eval xargs parallel mkfs shutdown reboot poweroff halt nohup timeout setsid busybox".split()
)
# Parts of an option's name for a command line: `--exec`, `--on-change-cmd`, `--filter`.
NAMED = ("exec", "run", "cmd", "command", "eval", "shell", "script", "hook", "filter", "program")
SHORT = ("-c", "-e", "-x", "-s", "-a", "-E", "-X", "-r")


def is_command_line(text: str) -> bool:
    """Several words, the first of them a well-known program."""
    words = text[:LONGEST].split(None, 1)
    if len(words) < 2 or len(text) > LONGEST:  # noqa: PLR2004
        return False
    first = words[0].rpartition("/")[2]
    if first in SHELLS or first in MORE or first.startswith("mkfs"):
        return True
    record = SHIPPED.find(first)
    return record is not None and takes_data(record)


def carried(words: list[str]) -> list[str]:
    """The values of a program's options that look like command lines."""
    texts = []
    for at, word in enumerate(words[1:], 1):
        option, equals, value = word.partition("=")
        if option[:1] != "-" or " " in option:
            continue
        is_code = option in SHORT or (option[:2] == "--" and any(name in option for name in NAMED))
        text = value if equals else words[at + 1] if at + 1 < len(words) else ""
        if is_code and is_command_line(text):
            texts.append(text)
    return texts


# -- following a command ---------------------------------------------------------------------------


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
        from hookkit.shell.languages import interpret

        interpret(line, command, context, name)
    elif kind == "carriers" and not (name == "git" and _is_plain_git(line, command)):
        from hookkit.shell.follow import carriers

        carriers.beside(line, command, context, name)
    record = line.catalogue.find(name)
    if record is not None and wrappers.may_wrap(record):
        output = wrappers.wrapped(line, command, context)
        if output is not None:
            return output
    is_known = record is not None and (takes_data(record) or wrappers.is_wrapper(record))
    if kind is None and not is_known:
        _behind_unknown(line, command, context, name)
    if line.made.files and name in PROJECTS:
        from hookkit.shell.follow import carriers

        carriers.run_project(line, command, context, name)
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
        from hookkit.shell.follow import shells  # late: few programs get a text with blanks

        for text in carried(words):
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
