"""The module for each program, by the program's name, and a quick look for texts that may run one.

A module loads when a line needs the module.
"""

from hookkit.programs.catalogue import SHIPPED
from hookkit.programs.program import takes_data

SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "fish", "csh", "tcsh", "posh", "yash", "pwsh",
          "powershell", "nu", "elvish", "xonsh", "osh", "oil")  # fmt: skip
MOVES = ("cd", "pushd", "popd", "exit", "return", "break", "continue", ":", "true", "false", "wait", "shopt")
BUILTINS = """
    alias hash set shift unset read mapfile readarray printf getopts let test [ eval trap source . complete
    compgen exec enable
"""
RUNNING = (
    "enable",
    "eval",
    "source",
    ".",
    "trap",
    "exec",
    "complete",
    "compgen",
    "mapfile",
    "readarray",
)  # run text or files
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
