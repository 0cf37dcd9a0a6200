"""Programs of other languages on the command line: the commands they run, the files they touch.

The code is split into tokens, not parsed: calls of well-known functions with constant arguments are followed, calls
with computed arguments are doubts.
"""

from hookkit.shell import likely, nested, queries
from hookkit.shell.effects import DELETERS
from hookkit.shell.made import FILE_TEXT
from hookkit.shell.programs import sort_words
from hookkit.shell.state import UNKNOWN
from hookkit.shell.tokens import MARK, NAME, STRING, Token, tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution

# Interpreters: the options that take a program ("1" is the first operand, "2" the second), and the language.
INTERPRETERS = {
    **dict.fromkeys(("python", "python2", "python3", "pypy", "pypy3", "ipython"), ("-c", "python")),
    **dict.fromkeys((f"python3.{minor}" for minor in range(6, 16)), ("-c", "python")),
    **dict.fromkeys(("node", "nodejs", "bun", "tsx", "ts-node"), ("-e --eval -p --print", "js")),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), ("1", "awk")),
    **dict.fromkeys(("mysql", "mariadb"), ("-e --execute", "sql")),
    **dict.fromkeys(("mongosh", "mongo"), ("--eval", "mongo")),
    **dict.fromkeys(("lua", "luajit"), ("-e", "lua")),
    **dict.fromkeys(("groovy", "julia", "elixir", "Rscript", "R", "scala", "jshell"), ("-e", "other")),
    **dict.fromkeys(("ghc", "runghc", "ocaml", "raku", "gnuplot", "dc"), ("-e", "other")),
    **dict.fromkeys(("emacs", "sbcl", "clisp", "octave", "octave-cli"), ("--eval -eval -x", "other")),
    **dict.fromkeys(("ed", "ftp"), ("", "other")),
    **dict.fromkeys(("guile", "racket", "erl"), ("-c -e -eval", "other")),
    **dict.fromkeys(("go", "v", "nim", "dart", "java", "kotlin"), ("", "other")),
    "crystal": ("eval -e", "other"),
    "swift": ("-e", "other"),
    "jrunscript": ("-e", "js"),
    "rscript": ("-e", "other"),
    "ruby": ("-e", "ruby"),
    "irb": ("-e", "ruby"),
    "perl": ("-e -E", "perl"),
    "deno": ("eval", "js"),
    "php": ("-r", "php"),
    "osascript": ("-e", "other"),
    "tclsh": ("", "tcl"),
    "wish": ("", "tcl"),
    "expect": ("-c", "tcl"),
    "psql": ("-c --command", "sql"),
    "cqlsh": ("-e --execute", "sql"),
    "clickhouse-client": ("-q --query", "sql"),
    "sqlite3": ("2 -cmd", "sql"),
    "duckdb": ("2 -c", "sql"),
    **dict.fromkeys(("mycli", "hive", "beeline", "spark-sql", "cockroach"), ("-e --execute", "sql")),
    **dict.fromkeys(("snowsql", "impala-shell", "clickhouse"), ("-q --query", "sql")),
    **dict.fromkeys(("usql", "pgcli", "vsql", "gsql"), ("-c --command", "sql")),
    "sqlcmd": ("-Q -q", "sql"),
    **dict.fromkeys(("trino", "presto"), ("--execute", "sql")),
    "bq": ("2", "sql"),
    "wrangler": ("--command", "sql"),
}
QUERIES = ("sql", "mongo")
LOADERS = ("-r", "--require", "--import", "-M", "-m")  # options for loading a file of code first
# Functions for running a command: a text for the shell, or a list of words.
RUN = frozenset(
    "system popen popen2 popen3 popen4 exec execsync execfile execfilesync spawn spawnsync run call check_call "
    "check_output getoutput getstatusoutput shell_exec passthru proc_open execute startprocess spawnl spawnv spawnlp "
    "spawnvp execl execv execlp execvp execve execle execvpe posix_spawn create_subprocess_shell "
    "create_subprocess_exec capture2 capture3 capture2e pipeline_r shell pty.spawn".split()
)
# The same, where the name alone is too common: the object in front must be in this list.
OWNERS = {
    "run": ("subprocess", "sp", "deno", "trio", "anyio"),
    "call": ("subprocess", "sp"),
    "exec": ("child_process", "cp", "", "kernel", "process", "require"),
    "execute": ("os",),
    "shell": ("",),
    "spawn": ("child_process", "cp", "", "bun", "pty", "process", "kernel", "require"),
    "popen": ("os", "subprocess", "io", "sp", "", "open3"),
    "system": ("os", "", "kernel", "posix"),
}
DELETE = frozenset(
    "rmtree unlink remove rmdir removedirs rmsync unlinksync rmdirsync rm rm_rf rm_r remove_tree removesync rimraf "
    "remove_dir remove_entry delete rmtree_async emptydirsync".split()
)
DELETE_OWNERS = {
    "remove": ("os", "deno", "", "fs", "fse"),
    "delete": ("file", "dir", "filesystem"),
    "rm": ("fs", "fs/promises", "node:fs", "node:fs/promises", "promises", "fileutils", "fsp", "shelljs"),
    "unlink": ("os", "fs", "", "promises", "file", "fsp"),
    "rmdir": ("os", "fs", "", "promises", "dir", "fsp"),
}
MOVE = frozenset("rename renames replace move renamesync truncate truncatesync copyfilesync movesync mv".split())
MOVE_OWNERS = {
    "replace": ("os",),
    "move": ("shutil", "fileutils", "fs"),
    "rename": ("os", "fs", "", "promises", "file", "path", "p"),
    "renames": ("os",),
    "truncate": ("os", "fs", "", "file"),
    "mv": ("fileutils",),
}
WATCHED = RUN | DELETE | MOVE
EVALUATE = frozenset(
    "eval exec compile __import__ import_module instance_eval class_eval loadstring runinthiscontext runinnewcontext "
    "function getattr setattr dlopen cdll load_source memfd_create".split()
)
EVALUATE_OWNERS = {
    "exec": (), "compile": (), "function": ("new",), "getattr": ("os", "shutil", "subprocess", "builtins"),
    "setattr": ("builtins",), "import_module": ("importlib", ""), "eval": ("", "vm", "window", "globalthis"),
}  # fmt: skip
CONNECT = frozenset("socket create_connection connect tcpsocket fsockopen dial dialtimeout".split())
SUSPECT = frozenset(("-rf", "-fr", "rm", "sh", "bash", "/bin/sh", "/bin/bash", "eval", "/", "~", "/*", ".."))
LOCAL = ("localhost", "127.0.0.1", "::1", "0.0.0.0")  # noqa: S104 - compared, not bound
# Words of programs for working with files.
OPENS = ("open", "read", "write", "file", "path", "getline", "copy", "unlink", "remove", "print >", "print>", "cp(",
         "truncate", "rename", "tarfile", "json.tool")  # fmt: skip
WRITES = ("write", "'w", '"w', "'a", '"a', "'x", '"x', "'r+", '"r+', ">", "unlink", "remove", "rename", "rm", "dump(",
          "copy", "mkdir", "touch", "chmod", "truncate", "replace(", "symlink", "delete")  # fmt: skip
# Words of a language without a model that delete files.
DELETING = ("rm_rf", "removeitem(", "delete-directory", "delete-file", "remove-directory", "rm(homedir", "unlink(",
            "deletedirectory", "removedirectory")  # fmt: skip
# Words of code that goes through the home and deletes: one of each row.
HOME = ("path.home()", "expanduser", "homedir", '"home"', "'home'", "env.home", "dir.home", "{home}")
EACH = ("glob", "iterdir", "walk(", "readdir", "scandir", "find(", "listdir")
GOES = ("unlink", "rmtree", "remove(", "rmsync", "rm_rf", "file.delete")
LONGEST = 200  # characters of a path in a program
MOST = 64  # paths checked per program


def interpret(line: "Resolution", command: "Command", context: "Context", name: str) -> None:
    """Collect the code for an interpreter: from options, operands, stdin, and files made by the line."""
    options, language = INTERPRETERS[name]
    words = command.words
    codes = handed(words, options.split(), language)
    operands = sort_words(words).operands[1:]
    script = "" if codes or not operands else operands[0]
    if script in ("run", "r", "c", "eval") and len(operands) > 1:
        script = operands[1]
    files = _named(words, language)
    has_program = bool(codes or script not in ("", "-", "/dev/stdin") or "-m" in words or files)
    if (
        context.stdin is not None
        and context.stdin != FILE_TEXT
        and (not has_program or language == "sql" or name == "ed")
    ):
        codes.append(context.stdin)
    for path in [script, *files]:
        text = line.made.find(path, context) if path else None
        if text is None and path and line.made.place(path, context) in line.made.fetched:
            command.doubt = "this program was made by the same line"
        if text is not None and text != FILE_TEXT:
            codes.append(text)
    if "-m" in words and language == "python":
        codes += _module_code(words)
    text = "\n".join(codes).replace(FILE_TEXT, "")
    if language == "python" and "-m" in words:
        _module(line, words, command, context)
    if text:
        judge(line, text, command, context, name)
        _imports(line, text, command, context, language)


def _named(words: list[str], language: str) -> list[str]:
    """Files of code named by an option: `awk -f file`, `node -r ./file`, `perl -Mfile`."""
    found = []
    for at, word in enumerate(words[1:], 1):
        following = words[at + 1] if at + 1 < len(words) else ""
        if (language in ("awk", "sql") and word in ("-f", "--file", "-init")) or word in LOADERS[:3]:
            found.append(following)
        elif language == "awk" and word[:2] == "-f":
            found.append(word[2:])
        elif language == "perl" and word[:2] == "-M":
            found.append(f"{word[2:]}.pm")
    return [path for path in found if path]


def _module_code(words: list[str]) -> list[str]:
    """`python -m timeit 'code'`: a module that runs its operands."""
    at = words.index("-m")
    module, rest = words[at + 1] if at + 1 < len(words) else "", words[at + 2 :]
    return (
        [word for word in rest if word[:1] != "-"]
        if module in ("timeit", "pdb", "cProfile", "profile", "trace")
        else []
    )


def _module(line: "Resolution", words: list[str], command: "Command", context: "Context") -> None:
    """`python -m hookkit` is hookkit; some modules write the files in their operands."""
    at = words.index("-m")
    module, rest = words[at + 1] if at + 1 < len(words) else "", words[at + 2 :]
    if module.partition(".")[0] == "hookkit":
        line.run(["hookkit", *rest], context.inside("python -m"))
    elif module in ("pip", "twine", "poetry", "flit", "hatch", "pipx", "uv", "ansible"):
        line.run([module, *rest], context.inside("python -m"))
    elif module == "http.server" and context.shell.home in (_served(rest) or context.shell.directory, UNKNOWN):
        command.doubt = "this serves your whole home directory"
    elif module in ("tarfile", "zipfile", "json.tool"):
        command.files += [(">", path) for path in rest if path[:1] != "-"]


def _served(words: list[str]) -> str:
    """The directory behind `-d` of http.server."""
    return next((words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-d", "--directory")), "")


def _imports(line: "Resolution", text: str, command: "Command", context: "Context", language: str) -> None:
    """`import x`, where the line wrote x.py."""
    if language != "python" or not any(path.endswith(".py") for path in line.made.files):
        return
    words = text.replace(";", " ").replace(",", " ").split()
    for at, word in enumerate(words[:-1]):
        found = line.made.find(f"{words[at + 1]}.py", context) if word in ("import", "from") else None
        if found:
            judge(line, found, command, context, "python")


def handed(words: list[str], options: list[str], language: str) -> list[str]:
    """The programs among an interpreter's words: behind an option, joined to the option, or as an operand."""
    operands = sort_words(words).operands[1:]
    from_file = language == "awk" and any(word[:2] == "-f" or word == "--file" for word in words[1:])
    codes = [] if from_file else [
        operands[int(place) - 1] for place in options if place.isdigit() and int(place) <= len(operands)
    ]  # fmt: skip
    if language == "awk":
        codes += [value for flag, value in sort_words(words).values if flag in ("-e", "--source", "-i", "--include")]
    if language == "sql" and len(operands) > 2:  # noqa: PLR2004 - sqlite3 FILE SQL SQL…
        codes += operands[2:]
    for at, word in enumerate(words[1:], 1):
        name, equals, value = word.partition("=")
        cluster = word[:1] == "-" and word[1:2] != "-" and f"-{word[-1]}" in options
        if (word in options or cluster) and at + 1 < len(words):
            codes.append(words[at + 1])
        elif equals and name in options:
            codes.append(value)
        elif word[:2] in options and len(word) > 2 and word[1] != "-":  # noqa: PLR2004
            codes.append(word[2:])
    return codes


def judge(line: "Resolution", text: str, command: "Command", context: "Context", name: str) -> None:
    """Follow the calls in the program; note the files named by the program."""
    language = INTERPRETERS[name][1] if name in INTERPRETERS else "other"
    line.budget.spend(len(text) // 16, len(text))
    if language in QUERIES:
        command.code = text
        queries.judge(line, text, command, context, language)
        return
    if UNKNOWN in text and not (language == "perl" and _is_substitution(text)):
        command.doubt = command.doubt or f"the program that {name} runs is computed"
    tokens = tokenize(text, language)
    line.budget.spend(len(tokens))
    command.code = _changing(text, tokens)
    command.files += _read_files(text, tokens, context.shell.home)
    for token in tokens:
        if token.kind == STRING and token.text.lstrip()[:8].lower().startswith(queries.VERBS):
            for statement in queries.destroying(token.text) if " " in token.text.strip() else ():
                line.run(["sql", *statement], context.inside(f"{name} code"))
    _name_modules(tokens)
    if language == "tcl":
        _tcl(line, text, command, context, name)
    _constants(line, text, tokens, command, context, name)
    for at, token in enumerate(tokens):
        if token.kind == STRING and (token.mark == "command" or _is_tagged(tokens, at, language)):
            nested.code(line, token.text.replace("$ENV{HOME}", "~"), command, context, name)
        elif token.kind == NAME:
            _call(line, tokens, at, command, context, name)
        elif language in ("awk", "perl"):
            _piped(line, tokens, at, command, context, name)


def _constants(
    line: "Resolution", text: str, tokens: list[Token], command: "Command", context: "Context", name: str
) -> None:
    """A language without a model: constants that look like command lines may be run, `!command` is."""
    language = INTERPRETERS[name][1] if name in INTERPRETERS else "other"
    if language != "other":
        _scripts(line, text, tokens, context)
        lower = text.lower()
        if all(any(word in lower for word in words) for words in (HOME, EACH, GOES)):
            command.doubt = command.doubt or "this code deletes files that it finds in your home directory"
        if language == "php" and {"system", "exec", "shell_exec", "passthru", "popen"} & {*_strings(tokens)}:
            command.doubt = command.doubt or "this code names a function that runs programs"
        if (language == "js" and "fetch(" in text and "eval" in text) or (language == "lua" and "load(" in text):
            command.doubt = command.doubt or f"the code that {name} runs evaluates other code"
        return
    pieces = [token.text for token in tokens if token.kind == STRING]
    pieces += [row.strip().lstrip(":")[1:] for row in text.split("\n") if row.strip().lstrip(":")[:1] == "!"]
    for piece in pieces[:MOST]:
        if likely.is_command_line(piece):
            nested.code(line, piece, command, context, name)
    if any(word in text.lower() for word in DELETING):
        command.doubt = command.doubt or f"the code that {name} runs deletes files"


def _scripts(line: "Resolution", text: str, tokens: list[Token], context: "Context") -> None:
    """Code that writes a file: command lines among its constants may be the content of any file that it names."""
    if not _writes(text.lower()):
        return
    strings = _strings(tokens)
    texts = [each for each in strings if likely.is_command_line(each)]
    for path in strings[:MOST] if texts else ():
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
        if mark == "=" and function in WATCHED and not called and tokens[at + 1].kind == tokens[at - 1].kind == NAME:
            meant[texts[at - 1]] = texts[at + 1]  # `delete = shutil.rmtree`
    for token in tokens if meant else ():
        if token.kind == NAME and token.text in meant and meant[token.text].rpartition(".")[2].lower() in WATCHED:
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
            nested.code(line, rest, command, context, name)
        elif first == "open" and rest:
            command.files.append(("<", rest.split()[0]))


def _call(line: "Resolution", tokens: list[Token], at: int, command: "Command", context: "Context", name: str) -> None:
    """A name in the program: does the named function run, delete, move or evaluate something?"""
    owner, _, function = tokens[at].text.lower().rpartition(".")
    owner = owner.rpartition(".")[2]
    arguments = _arguments(tokens, at + 1, INTERPRETERS.get(name, ("", ""))[1])
    if (function in ("hookkit", "__main__") and owner in ("", "hookkit")) or tokens[at].text.startswith("hookkit."):
        command.doubt = command.doubt or "this code uses hookkit itself"
    if arguments is None:
        return
    if _is(function, owner, RUN, OWNERS):
        _runs(line, _assigned(tokens, at, arguments), command, context, name)
    elif _is(function, owner, DELETE, DELETE_OWNERS):
        _removes(line, function, arguments, command, context, name)
    elif _is(function, owner, MOVE, MOVE_OWNERS):
        _moves(line, function, arguments, command, context, name)
    elif function == "open" and {"-|", "|-"} & {*_strings(arguments)}:
        pieces = [text for text in _strings(arguments) if text not in ("-|", "|-")]
        nested.code(line, " ".join(pieces), command, context, name)
    elif function == "open" and any(text[:1] == "|" or text[-1:] == "|" for text in _strings(arguments)):
        for text in _strings(arguments):
            if text.strip("|") != text:
                nested.code(line, text.strip("| "), command, context, name)
                command.doubt = command.doubt or f"the code that {name} runs writes to another program"
    elif function in EVALUATE and _evaluates(function, owner, arguments):
        command.doubt = command.doubt or f"the code that {name} runs evaluates other code"
    elif function in CONNECT and not any(text in LOCAL for text in _strings(arguments)) and function != "connect":
        command.doubt = command.doubt or f"the code that {name} runs opens a network connection"


def _is(function: str, owner: str, names: frozenset[str], owners: dict[str, tuple[str, ...]]) -> bool:
    if function not in names:
        return False
    return function not in owners or owner in owners[function]


def _evaluates(function: str, owner: str, arguments: list[Token]) -> bool:
    """`exec("constant")` is as bad as any text; `re.compile`, `model.eval()` and `ast.literal_eval` are not."""
    if function == "getattr":
        named = {text.lower() for text in _strings(arguments)}
        return bool(arguments) and (
            arguments[0].text.lower() in EVALUATE_OWNERS["getattr"] or bool(named & (RUN | DELETE | MOVE))
        )
    if function in ("exec", "compile"):
        return not owner
    return owner in EVALUATE_OWNERS.get(function, (owner,)) and bool(arguments)


def _arguments(tokens: list[Token], at: int, language: str) -> list[Token] | None:
    """The tokens of a call's arguments: in parentheses, or right behind the name (perl, ruby)."""
    if at >= len(tokens):
        return None
    bare = language in ("perl", "ruby") and tokens[at].text not in ("(", "=", ",", ";", ")", "}", ".", "->", "::", "|")
    if tokens[at].kind == STRING or bare:
        end = at
        while end < len(tokens) and tokens[end].text not in (";", "\n", "}"):
            end += 1
        return tokens[at:end]
    if tokens[at].text != "(":
        return None
    level, end = 0, at
    while end < len(tokens):
        level += (tokens[end].text == "(" and tokens[end].kind != STRING) - (
            tokens[end].text == ")" and tokens[end].kind != STRING
        )
        if not level:
            break
        end += 1
    return tokens[at + 1 : end]


def _strings(tokens: list[Token]) -> list[str]:
    return [token.text for token in tokens if token.kind == STRING]


def _runs(line: "Resolution", arguments: list[Token], command: "Command", context: "Context", name: str) -> None:
    """A constant text is a command line, a list of constants a command; everything else is a doubt."""
    command.followed = True
    if not arguments:
        return
    first = arguments[0]
    if first.text in ("[", "(") and first.kind != STRING:
        words = _list(arguments)
    elif first.kind == STRING and len(arguments) > 2 and arguments[1].text == "," and arguments[2].text == "[":  # noqa: PLR2004
        words = [first.text, *_list(arguments[2:])]
    elif first.kind == STRING and _all_strings(arguments):
        words = _strings(arguments)
        words = words[1:] if words[0] == words[1] else words  # `execlp("rm", "rm", "-rf", x)`
    elif first.kind == STRING and INTERPRETERS.get(name, ("", ""))[1] in ("perl", "ruby") and _has_list(arguments):
        words = [word for item in _list([first, *arguments, Token(MARK, ")")]) for word in item.split() or [item]]
    else:
        words = []
    if words and (words[0] != UNKNOWN or not _is_suspect(words)):
        line.run(
            [word if word != UNKNOWN or at else "program" for at, word in enumerate(words)],
            context.inside(f"{name} code"),
        )
    elif first.kind == STRING and first.mark == "format" and len(arguments) > 0:
        nested.code(line, _holes(first.text), command, context, name)
    elif first.kind == STRING and (len(arguments) == 1 or arguments[1].text in (",", ")")):
        nested.code(line, first.text, command, context, name)
    elif first.kind == STRING and first.text.strip() and arguments[1].kind == NAME:
        nested.code(line, first.text + UNKNOWN, command, context, name)  # awk: `system("mkdir " $1)`
        if first.text.split()[0].rpartition("/")[2] in DELETERS:
            command.doubt = command.doubt or f"the code that {name} runs deletes files that are computed"
    else:
        command.doubt = command.doubt or f"the command that {name} runs is computed"


def _assigned(tokens: list[Token], at: int, arguments: list[Token]) -> list[Token]:
    """`cmd = [...]; run(cmd)`: the value of a variable set only once, in front of the call."""
    if not arguments or arguments[0].kind != NAME or (len(arguments) > 1 and arguments[1].text != ","):
        return arguments
    wanted = arguments[0].text
    places = [
        place
        for place, token in enumerate(tokens[:-1])
        if token.kind == NAME and token.text == wanted and tokens[place + 1].text not in (")", ",")
    ]
    changed = any(token.kind == NAME and token.text.startswith(f"{wanted}.") for token in tokens)
    if len(places) != 1 or changed or places[0] > at or tokens[places[0] + 1].text != "=":
        return arguments
    value = tokens[places[0] + 2 :]
    if value[:1] and value[0].kind == STRING and (len(value) < 2 or value[1].text[:1] not in "+%.*,:["):  # noqa: PLR2004
        return [value[0], *arguments[1:]]
    return value if value[:1] and value[0].text in ("[", "(") and value[0].kind != STRING else arguments


def _is_suspect(words: list[str]) -> bool:
    """Whether the words behind an unknown program look like arguments of a shell or of a deletion."""
    code = any(word == "-c" and (" " in text or UNKNOWN in text) for word, text in zip(words, words[1:], strict=False))  # noqa: RUF007
    return code or not SUSPECT.isdisjoint(words)


def _holes(text: str) -> str:
    """A format string with its computed parts as UNKNOWN."""
    pieces = text.split("{")
    return pieces[0] + "".join(UNKNOWN + piece.partition("}")[2] for piece in pieces[1:])


def _all_strings(tokens: list[Token]) -> bool:
    """`"rm", "-rf", "x"`: at least two constants and commas."""
    return len(tokens) > 2 and all(  # noqa: PLR2004
        token.kind == STRING if number % 2 == 0 else token.text == "," for number, token in enumerate(tokens)
    )


def _has_list(tokens: list[Token]) -> bool:
    """`system "rm", "-rf", $x`: a comma at the top level."""
    return len(tokens) > 2 and tokens[1].text == "," and tokens[1].kind == MARK  # noqa: PLR2004


def _item(tokens: list[Token]) -> str:
    """A constant of a list, or UNKNOWN."""
    if len(tokens) != 1:
        return UNKNOWN
    if tokens[0].kind == STRING:
        return tokens[0].text if tokens[0].mark != "format" else _holes(tokens[0].text)
    return (
        "python" if tokens[0].text == "sys.executable" else "node" if tokens[0].text == "process.execPath" else UNKNOWN
    )


def _list(tokens: list[Token]) -> list[str]:
    """The items of a list; an item other than a constant is UNKNOWN."""
    words: list[str] = []
    item: list[Token] = []
    level = 0
    for token in tokens[1:]:
        if token.kind != STRING and token.text in ("[", "(", "{"):
            level += 1
        if token.kind != STRING and token.text in ("]", ")", "}"):
            level -= 1
        if level < 0 or (not level and token.kind != STRING and token.text == ","):
            words.append(_item(item))
            item = []
            if level < 0:
                break
            continue
        item.append(token)
    if item and level > 0:
        words.append(UNKNOWN)
    return [word for number, word in enumerate(words) if word != UNKNOWN or number < len(words)]


def _removes(
    line: "Resolution", function: str, arguments: list[Token], command: "Command", context: "Context", name: str
) -> None:
    """Deleting by code is deleting: the same as `rm`, with `-r` where the function takes whole trees."""
    paths = _places(arguments, context.shell.home)
    if paths:
        tree = (
            function.startswith(("rmtree", "rm", "remove_", "rimraf", "removedirs", "emptydir"))
            and "dir" not in function[:6]
        )
        line.run(["rm", "-rf" if tree else "-f", *paths], context.inside(f"{name} code"))
    else:
        command.doubt = command.doubt or f"the code that {name} runs deletes files that are computed"


def _moves(
    line: "Resolution", function: str, arguments: list[Token], command: "Command", context: "Context", name: str
) -> None:
    paths = _places(arguments, context.shell.home)
    if not paths or len(paths) == 1:
        command.doubt = command.doubt or f"the code that {name} runs moves files that are computed"
    program = ["truncate", "-s0"] if "truncate" in function else ["mv"]
    if paths:
        line.run(
            [*program, *paths, *([UNKNOWN] if len(paths) == 1 and program == ["mv"] else [])],
            context.inside(f"{name} code"),
        )


def _places(arguments: list[Token], home: str) -> list[str]:
    """Paths among the arguments of a call; a path is relative to the home directory if the call mentions the home."""
    names = " ".join(token.text.lower() for token in arguments if token.kind == NAME)
    texts = [token.text for token in arguments if token.kind == STRING and token.mark != "format"]
    at_home = home and ("home" in names or "expanduser" in names or any(text in ("HOME", "~") for text in texts))
    at_home = at_home or (home and any(text.startswith(("$HOME", "${HOME}")) for text in texts))
    texts = [text.rpartition("}")[2].removeprefix("$HOME") for text in texts if text not in ("HOME", "$HOME", "", "rf")]
    if any(token.mark == "format" for token in arguments if token.kind == STRING):
        return []
    found = []
    for text in texts[:MOST]:
        if text[:1] == "~":
            found.append(home + text[1:])
        else:
            found.append(f"{home}/{text.lstrip('/')}" if at_home else text)
    return found or ([home] if at_home else [])


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
                nested.code(line, side.text, command, context, name)
        variable = after is not None and after.kind == NAME and after.text != "getline"
        computed = after is not None and after.text == "getline" and before is not None and before.kind == NAME
        if variable or computed:
            command.doubt = command.doubt or f"the command that {name} runs is computed"
    elif token.text in (">", ">>") and after is not None and after.kind == STRING and INTERPRETERS[name][1] == "awk":
        command.files.append((">", after.text))
    elif token.text == "<" and before is not None and before.text == "getline" and after and after.kind == STRING:
        command.files.append(("<", after.text))


# -- files named by the program --------------------------------------------------------------------


def _read_files(text: str, tokens: list[Token], home: str) -> list[tuple[str, str]]:
    """Files probably read or opened by the program: quoted strings that may be paths."""
    lower = text.lower()
    opens = any(word in lower for word in OPENS)
    every = opens and not _writes(lower)
    found: list[tuple[str, str]] = []
    for token in tokens:
        if token.kind != STRING or not 0 < len(token.text) <= LONGEST or "\n" in token.text or len(found) > MOST:
            continue
        path = token.text
        if path[:1] in (">", "+") and path.lstrip(">+< "):
            found.append((">", path.lstrip(">+< ")))
        elif every or (opens and path[:1] == ".") or path[:1] == "~" or "/." in path:
            found += [("<", place) for place in _meant(path, home, lower)]
    return found


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
    opens = any(word in lower for word in OPENS) or ("print" in lower and ">" in lower)
    if not _writes(lower) or not opens:
        return ""
    return "open " + " ".join('"{}"'.format(each.text.replace('"', "")) for each in tokens if each.kind == STRING)


def _writes(code: str) -> bool:
    return any(word in code for word in WRITES)
