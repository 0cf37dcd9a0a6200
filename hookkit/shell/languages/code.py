"""Code of other languages: the commands it runs, the files it touches; queries that destroy data.

The code is split into tokens, not parsed: calls of well-known functions with constant arguments are followed, calls
with computed arguments are doubts.
"""

from hookkit.shell.follow import is_command_line, shells
from hookkit.shell.languages import calls
from hookkit.shell.languages.tokens import NAME, STRING, Token, strings, tokenize
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution


LONGEST = 200  # characters of a path in a program
MOST = 64  # paths checked per program


def judge(line: "Resolution", text: str, command: "Command", context: "Context", name: str) -> None:
    """Follow the calls in the program; note the files named by the program."""
    language = line.catalogue.language(name)
    line.budget.spend(len(text) // 16, len(text))
    if language in calls.QUERIES:
        command.code = text
        _query(line, text, command, context, language)
        return
    if UNKNOWN in text and not (language == "perl" and _is_substitution(text)):
        command.doubt = command.doubt or f"the program that {name} runs is computed"
    if _runs_fetched(text):
        command.doubt = command.doubt or f"the code that {name} runs fetches other code and runs it"
    tokens = tokenize(text, language)
    line.budget.spend(len(tokens))
    command.code = _changing(text, tokens)
    command.files += _read_files(text, tokens, context.shell.home)
    _statements(line, text, tokens, context, name)
    _name_modules(tokens)
    if language == "tcl":
        _tcl(line, text, command, context, name)
    _constants(line, text, tokens, command, context, name)
    for at, token in enumerate(tokens):
        if token.kind == STRING and (token.mark == "command" or _is_tagged(tokens, at, language)):
            shells.code(line, token.text.replace("$ENV{HOME}", "~"), command, context, name)
        elif token.kind == NAME:
            calls.follow(line, tokens, at, command, context, name)
        elif language in ("awk", "perl"):
            _piped(line, tokens, at, command, context, name)


def _statements(line: "Resolution", text: str, tokens: list[Token], context: "Context", name: str) -> None:
    """Statements of a database in the code: in its strings, and as methods that remove every row."""
    for token in tokens:
        if token.kind == STRING and token.text.lstrip()[:8].lower().startswith(VERBS):
            for statement in destroying(token.text) if " " in token.text.strip() else ():
                line.run(["sql", *statement], context.inside(f"{name} code"))
    if _empties(text):
        line.run(["sql", "truncate", UNKNOWN], context.inside(f"{name} code"))
    plain = "".join(text.split()).replace('"', "'").lower()
    if any(word in plain for word in calls.REQUESTS):
        addresses = [part for part in strings(tokens) if part.startswith("http")]
        line.run(["curl", "-X", "DELETE", *(addresses[:1] or [UNKNOWN])], context.inside(f"{name} code"))


def _empties(text: str) -> bool:
    """Whether the code removes every row of a table, or every table: `User.objects.all().delete()`."""
    plain = "".join(text.split()).lower()
    if any(word in plain for word in calls.EMPTIES):
        return True
    if not any(word in plain for word in (").delete(", ").del(", ").truncate(", ")->delete(", ")->truncate(")):
        return False
    import re  # late: few programs delete rows

    return re.search(calls.EMPTIED, plain) is not None


def _runs_fetched(text: str) -> bool:
    if "http" not in text and "install_" not in text:
        return False
    plain = "".join(text.split()).replace('"', "'").lower()
    return any(word in plain for word in calls.FETCHES)


def _constants(
    line: "Resolution", text: str, tokens: list[Token], command: "Command", context: "Context", name: str
) -> None:
    """A language without a model: constants that look like command lines may be run, `!command` is."""
    language = line.catalogue.language(name)
    if language != "other":
        _scripts(line, text, tokens, context)
        lower = text.lower()
        if all(any(word in lower for word in words) for words in (calls.HOME, calls.EACH, calls.GOES)):
            command.doubt = command.doubt or "this code deletes files that it finds in your home directory"
        if language == "php" and {"system", "exec", "shell_exec", "passthru", "popen"} & {*strings(tokens)}:
            command.doubt = command.doubt or "this code names a function that runs programs"
        if (language == "js" and "fetch(" in text and "eval" in text) or (language == "lua" and "load(" in text):
            command.doubt = command.doubt or f"the code that {name} runs evaluates other code"
        return
    pieces = [token.text for token in tokens if token.kind == STRING]
    pieces += [row.strip().lstrip(":")[1:] for row in text.split("\n") if row.strip().lstrip(":")[:1] == "!"]
    for piece in pieces[:MOST]:
        if is_command_line(piece):
            shells.code(line, piece, command, context, name)
    if any(word in text.lower() for word in calls.DELETING):
        command.doubt = command.doubt or f"the code that {name} runs deletes files"


def _scripts(line: "Resolution", text: str, tokens: list[Token], context: "Context") -> None:
    """Code that writes a file: command lines among its constants may be the content of any file that it names."""
    if not _writes(text.lower()):
        return
    constants = strings(tokens)
    texts = [constant for constant in constants if is_command_line(constant)]
    for path in constants[:MOST] if texts else ():
        if 0 < len(path) <= LONGEST and " " not in path and "\n" not in path:
            line.made.files.setdefault(line.made.place(path, context), "\n".join(["", *texts]))


def _is_tagged(tokens: list[Token], at: int, language: str) -> bool:
    """A template of Bun or zx, with a dollar sign in front, is a command line."""
    return language == "js" and at > 0 and tokens[at - 1].text in ("$", "Bun.$") and tokens[at - 1].kind == NAME


def _is_substitution(text: str) -> bool:
    """`s/computed/computed/g` of perl: without the flag `e` perl runs no code of the substitution."""
    text = text.strip()
    mark = text[1:2]
    parts = (
        text[2:].split(mark) if text[:1] in ("s", "y") and mark and not mark.isalnum() and mark not in " ({[<" else []
    )
    return len(parts) == 3 and set(parts[2]) <= set("gimsxor") and "(?{" not in text and "@{" not in text  # noqa: PLR2004


def _name_modules(tokens: list[Token]) -> None:
    """`import subprocess as s`: calls of `s.run` are calls of `subprocess.run`."""
    texts = [token.text for token in tokens]
    meant = {
        texts[at + 3]: texts[at + 1]
        for at in range(len(texts) - 3)
        if texts[at] == "import" and texts[at + 2] == "as" and tokens[at + 1].kind == NAME
    }
    for at, mark in enumerate(texts[1:-1], 1):
        function = texts[at + 1].lower().rpartition(".")[2]
        called = texts[at + 2 : at + 3] == ["("]
        if (
            mark == "="
            and function in calls.WATCHED
            and not called
            and tokens[at + 1].kind == tokens[at - 1].kind == NAME
        ):
            meant[texts[at - 1]] = texts[at + 1]  # `delete = shutil.rmtree`
    for token in tokens if meant else ():
        if token.kind == NAME and token.text in meant and meant[token.text].rpartition(".")[2].lower() in calls.WATCHED:
            token.text = meant[token.text]
            continue
        owner, dot, rest = token.text.partition(".")
        if token.kind == NAME and dot and owner in meant:
            token.text = f"{meant[owner]}.{rest}"


def _tcl(line: "Resolution", text: str, command: "Command", context: "Context", name: str) -> None:
    """`exec command words` and `open file`."""
    for piece in text.replace("[", "\n").replace("]", "\n").replace(";", "\n").split("\n"):
        first, _, rest = piece.strip().partition(" ")
        if first in ("exec", "spawn"):
            shells.code(line, rest, command, context, name)
        elif first == "open" and rest:
            command.files.append(("<", rest.split()[0]))


def _piped(line: "Resolution", tokens: list[Token], at: int, command: "Command", context: "Context", name: str) -> None:
    """awk: `print | "command"`, `"command" | getline`, `print > "file"`; perl: `open F, "command|"`."""
    token = tokens[at]
    before = tokens[at - 1] if at else None
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if token.text in ("|", "|&") and token.kind != STRING:
        if before is not None and before.text == ")" and at > 1:
            before = tokens[at - 2]  # `("command") | getline`
        for side in (before, after):
            if side is not None and side.kind == STRING:
                shells.code(line, side.text, command, context, name)
        variable = after is not None and after.kind == NAME and after.text != "getline"
        computed = after is not None and after.text == "getline" and before is not None and before.kind == NAME
        if variable or computed:
            command.doubt = command.doubt or f"the command that {name} runs is computed"
    elif (
        token.text in (">", ">>")
        and after is not None
        and after.kind == STRING
        and line.catalogue.language(name) == "awk"
    ):
        command.files.append((">", after.text))
    elif token.text == "<" and before is not None and before.text == "getline" and after and after.kind == STRING:
        command.files.append(("<", after.text))


def _read_files(text: str, tokens: list[Token], home: str) -> list[tuple[str, str]]:
    """Files probably read or opened by the program: quoted strings that may be paths."""
    lower = text.lower()
    opens = any(word in lower for word in calls.OPENS)
    every = opens and not _writes(lower)
    files: list[tuple[str, str]] = []
    for token in tokens:
        if token.kind != STRING or not 0 < len(token.text) <= LONGEST or "\n" in token.text or len(files) > MOST:
            continue
        path = token.text
        if path[:1] in (">", "+") and path.lstrip(">+< "):
            files.append((">", path.lstrip(">+< ")))
        elif every or (opens and path[:1] == ".") or path[:1] == "~" or "/." in path:
            files += [("<", place) for place in _meant(path, home, lower)]
    return files


def _meant(text: str, home: str, code: str) -> list[str]:
    """`~/x`, `$ENV{HOME}/x`, and `x` in a program with the word "home"."""
    text = text.rpartition("}")[2]
    if text == "~" or text.startswith("~/"):
        return [home + text[1:]] if home else []
    at_home = home if "home" in code or "expand" in code else ""
    return [path for path in (text, f"{at_home}/{text.lstrip('/')}" if at_home else "") if path]


def _changing(text: str, tokens: list[Token]) -> str:
    """The quoted strings of a program that may change files: any of them may name the changed file."""
    lower = text.lower()
    opens = any(word in lower for word in calls.OPENS) or ("print" in lower and ">" in lower)
    if not _writes(lower) or not opens:
        return ""
    return "open " + " ".join('"{}"'.format(token.text.replace('"', "")) for token in tokens if token.kind == STRING)


def _writes(code: str) -> bool:
    return any(word in code for word in calls.WRITES)


# -- queries for databases -------------------------------------------------------------------------


RUNS_PROGRAM = ("to program", "from program", "xp_cmdshell")  # the database runs a program
ALWAYS_TRUE = ("1=1", "1 = 1", "true", "1")  # conditions true for every row
NOISE = ("if", "exists", "only", "concurrently", "table", "ignore", "low_priority", "quick")
MONGO = ("dropdatabase", ".drop(", "deletemany", "remove(", "dropcollection", "updatemany({}", "findanddelete")
CLIENT_RUNS = ("\\!", ".shell ", ".system ", "system ")  # a client's own commands, with a command line behind them
CLIENT_FILES = {
    **dict.fromkeys((".read ", "\\i ", ".import "), "<"),
    **dict.fromkeys((".once ", ".output ", "\\o ", ".backup ", ".save ", ".log "), ">"),
}


def _query(line: "Resolution", text: str, command: "Command", context: "Context", language: str) -> None:
    """Statements in any case, with any blanks and comments between their words."""
    if language == "mongo":
        if any(word in text.lower() for word in MONGO):
            command.doubt = "this query deletes data"
        return
    for row in text.split("\n"):
        _client_command(line, row.strip(), command, context)
    plain = " ".join(_without_comments(text.lower()).split())
    if any(word in plain for word in RUNS_PROGRAM):
        command.doubt = "this query runs a program"
    for statement in destroying(text):
        line.run(["sql", *statement], context.inside(command.words[0]))


def destroying(text: str) -> "list[list[str]]":
    """Statements that destroy data, each as words in lower case: rules are about the program `sql`.

    Blanks, comments and case are gone, and so are words like IF EXISTS: `sql drop table users`.
    """
    plain = _without_comments(text.lower()).replace(";", " ; ").replace("(", " ( ").replace(")", " ) ")
    queries = []
    for statement in " ".join(plain.split()).split(" ; ")[:STATEMENTS]:
        start = min((at for verb in VERBS if (at := f" {statement} ".find(f" {verb} ")) >= 0), default=-1)
        words = statement[max(start, 0) :].split() if start >= 0 else []
        if words and _is_final(words):
            telling = [word for word in words[1:WORDS_OF_STATEMENT] if word not in NOISE[:4]]
            queries.append([words[0], *(word.strip("`\"';") for word in telling)])
    return queries


VERBS = ("drop", "truncate", "delete", "update", "alter", "grant", "create")
STATEMENTS, WORDS_OF_STATEMENT = 50, 8


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
    everything = "where" not in rest or " ".join(rest[rest.index("where") + 1 :]) in ALWAYS_TRUE
    if verb == "delete":
        return rest[:1] == ["from"] and (everything or "select" in rest)  # another query says which rows
    return len(rest) > 1 and "set" in rest[1:5] and everything


KINDS = frozenset(
    "database schema table owned keyspace view user role tablespace materialized collection column warehouse".split()
)
POWERS = ("superuser", "password", "createrole", "createdb", "bypassrls", "identified", "super", "rds_superuser")


def _client_command(line: "Resolution", row: str, command: "Command", context: "Context") -> None:
    r"""Commands of the client itself: `\! command`, `.shell command`, `.once file`."""
    for start in CLIENT_RUNS:
        if row.startswith(start):
            command.doubt = "this query runs a command"
            shells.code(line, row[len(start) :].strip(), command, context, command.words[0])
    for start, operator in CLIENT_FILES.items():
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
