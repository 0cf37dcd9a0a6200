"""Queries for databases: statements that destroy data, and shell commands run by a client."""

from hookkit.shell.follow import shells
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution


# Statements that destroy data, by their first words.
DESTROYS = ("drop", "truncate", "delete from", "update", "alter table", "alter database", "delete")
PROGRAMS = ("to program", "from program", "xp_cmdshell")  # the database runs a program
ALWAYS = ("1=1", "1 = 1", "true", "1")  # conditions true for every row
NOISE = ("if", "exists", "only", "concurrently", "table", "ignore", "low_priority", "quick")
MONGO = ("dropdatabase", ".drop(", "deletemany", "remove(", "dropcollection", "updatemany({}", "findanddelete")
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
        _client_command(line, row.strip(), command, context)
    plain = " ".join(_without_comments(text.lower()).split())
    if any(word in plain for word in PROGRAMS):
        command.doubt = "this query runs a program"
    for statement in destroying(text):
        line.run(["sql", *statement], context.inside(command.words[0]))


def destroying(text: str) -> "list[list[str]]":
    """Statements that destroy data, each as words in lower case: rules are about the program `sql`.

    Blanks, comments and case are gone, and so are words like IF EXISTS: `sql drop table users`.
    """
    plain = _without_comments(text.lower()).replace(";", " ; ").replace("(", " ( ").replace(")", " ) ")
    queries = []
    for statement in " ".join(plain.split()).split(" ; ")[:MOST]:
        start = min((at for verb in VERBS if (at := f" {statement} ".find(f" {verb} ")) >= 0), default=-1)
        words = statement[max(start, 0) :].split() if start >= 0 else []
        if words and _is_final(words):
            telling = [word for word in words[1:WORDS] if word not in NOISE[:4]]
            queries.append([words[0], *(word.strip("`\"';") for word in telling)])
    return queries


VERBS = ("drop", "truncate", "delete", "update", "alter", "grant", "create")
MOST, WORDS = 50, 8


def _is_final(words: list[str]) -> bool:
    """Whether a statement destroys more than the rows selected by a condition."""
    verb, rest = words[0], words[1:]
    if verb == "drop":
        return rest[:1] != [] and rest[0] in KINDS
    if verb == "truncate":
        return rest != [] and rest[0] not in ("(", "=", ",", ")")
    if verb in ("alter", "create") and rest[:1] in (["user"], ["role"], ["login"]):
        return any(word in rest for word in POWERS)
    if verb in ("grant", "create"):
        return verb == "grant" and "to" in rest and (rest[0] == "all" or "grant" in rest or rest[0] in POWERS)
    if verb == "alter" and "delete" in rest:
        return rest[:1] == ["table"]
    if verb == "alter":
        return rest[:1] == ["table"] and "drop" in rest and not any(word in rest for word in ("constraint", "default"))
    everything = "where" not in rest or " ".join(rest[rest.index("where") + 1 :]) in ALWAYS
    if verb == "delete":
        return rest[:1] == ["from"] and (everything or "select" in rest)  # another query says which rows
    return len(rest) > 1 and "set" in rest[1:5] and everything


KINDS = frozenset(
    "database schema table owned keyspace view user role tablespace materialized collection column warehouse".split()
)
POWERS = ("superuser", "password", "createrole", "createdb", "bypassrls", "identified", "super", "rds_superuser")


def _client_command(line: "Resolution", row: str, command: "Command", context: "Context") -> None:
    r"""Commands of the client itself: `\! command`, `.shell command`, `.once file`."""
    for start in RUNS:
        if row.startswith(start):
            command.doubt = "this query runs a command"
            shells.code(line, row[len(start) :].strip(), command, context, command.words[0])
    for start, operator in FILES.items():
        if row.startswith(start):
            path = row[len(start) :].strip().strip("'\"")
            if path[:1] == "|":
                shells.code(line, path[1:], command, context, command.words[0])
            elif path and UNKNOWN not in path:
                command.files.append((operator, path))


def _without_comments(text: str) -> str:
    pieces = text.split("/*")
    text = " ".join([pieces[0], *(piece.partition("*/")[2] for piece in pieces[1:])])
    return " ".join(row.partition("--")[0] for row in text.split("\n"))
