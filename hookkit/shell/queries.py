"""Queries for databases: statements that destroy data, and commands that a client runs."""

from hookkit.shell import nested
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution

DESTROYS = ("drop database", "drop schema", "drop table", "drop owned", "drop keyspace", "drop view", "drop user",
            "drop role", "truncate", "alter table drop", "to program", "from program", "xp_cmdshell")  # fmt: skip
MONGO = ("dropdatabase", ".drop(", "deletemany", "remove(", "dropcollection")
RUNS = ("\\!", ".shell ", ".system ", "system ")  # a client's own commands, with a command line behind them
FILES = {".read ": "<", "\\i ": "<", ".once ": ">", ".output ": ">", "\\o ": ">", ".import ": "<", ".backup ": ">",
         ".save ": ">", ".log ": ">"}  # fmt: skip


def judge(line: "Resolution", text: str, command: "Command", context: "Context", language: str) -> None:
    """Statements in any case, with any blanks and comments between their words."""
    if language == "mongo":
        if any(word in text.lower() for word in MONGO):
            command.doubt = "this query deletes data"
        return
    for row in text.split("\n"):
        _own(line, row.strip(), command, context)
    plain = " ".join(_without_comments(text.lower()).replace(";", " ; ").replace("(", " ( ").split())
    for statement in plain.split(" ; "):
        if any(f" {word}" in f" {statement}" for word in DESTROYS):
            command.doubt = "this query destroys data, or runs a program"
        elif f" {statement}".find(" delete from ") >= 0 and " where " not in statement:
            command.doubt = "this query deletes every row of a table"
        elif f" {statement}".find(" update ") >= 0 and " set " in statement and " where " not in statement:
            command.doubt = "this query changes every row of a table"


def destroys(text: str) -> bool:
    """Whether a text in a program is a statement that destroys a table or all of its rows."""
    plain = " ".join(text.lower().split())
    if plain.startswith("delete from "):
        return " where " not in plain
    return plain.startswith(("drop table", "drop database", "drop schema", "truncate table", "truncate "))


def _own(line: "Resolution", row: str, command: "Command", context: "Context") -> None:
    r"""Commands of the client itself: `\! command`, `.shell command`, `.once file`."""
    for start in RUNS:
        if row.startswith(start):
            command.doubt = "this query runs a command"
            nested.code(line, row[len(start) :].strip(), command, context, command.words[0])
    for start, operator in FILES.items():
        if row.startswith(start):
            path = row[len(start) :].strip().strip("'\"")
            if path[:1] == "|":
                nested.code(line, path[1:], command, context, command.words[0])
            elif path and UNKNOWN not in path:
                command.files.append((operator, path))


def _without_comments(text: str) -> str:
    pieces = text.split("/*")
    text = pieces[0] + " ".join(piece.partition("*/")[2] for piece in pieces[1:])
    return " ".join(row.partition("--")[0] for row in text.split("\n"))
