"""The module for each program, by the program's name. A module loads when a line needs the module."""

SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "fish", "csh", "tcsh", "posh", "yash", "pwsh",
          "nu", "elvish", "xonsh", "osh", "oil")  # fmt: skip
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
    rsync tar zip curl man gdb lldb ssh scp sftp vim nvim vi ex view sed gsed make gmake git patch
"""
KIND = {
    **dict.fromkeys(CARRIERS.split(), "carriers"),
    **dict.fromkeys(BATCHES.split(), "batches"),
    **dict.fromkeys(LANGUAGES.split(), "languages"),
    **dict.fromkeys(SHELLS, "shells"),
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
