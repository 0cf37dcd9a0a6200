"""The table of read-only programs, put together from its parts.

A row is found by the program, or by the program and its sub-command: `git log`. Users add rows under `[[approvals]]`.
"""

from hookkit.approve import file_rows, git_rows, tool_rows
from hookkit.approve.row import Row

ROWS = {**file_rows.ROWS, **git_rows.ROWS, **tool_rows.ROWS}
# Options of git in front of its sub-command; `-c` and the like could make git run a program.
GLOBALS = {"git": (("--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"), ("-C",))}
# Wrappers without effect on the program behind them; the names that xargs adds are words of the inner command.
WRAPPERS = {
    "timeout": Row("-vp --foreground --preserve-status --verbose", "-ks --kill-after --signal"),
    "time": Row("-pv --portability --verbose"),
    "nice": Row("", "-n --adjustment"),
    "ionice": Row("-t", "-cn --class --classdata"),
    "stdbuf": Row("", "-ioe --input --output --error"),
    "command": Row("-p"),
    "builtin": Row(),
    "xargs": Row("-0rt --null --no-run-if-empty --verbose", "-nLPI --max-args --max-lines --max-procs"),
}
