"""A call in code of another language: the command that the call runs, the files that it deletes or moves.

What a name of each language means stands in its tables.
"""

from hookkit.shell.follow import shells
from hookkit.shell.languages.tokens import (
    MARK,
    NAME,
    STRING,
    Token,
    all_strings,
    arguments_of,
    assigned,
    has_list,
    holes,
    items,
    strings,
)
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution


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
         "truncate", "rename", "tarfile", "json.tool", "chmod", "chown", "symlink", "link(")  # fmt: skip
WRITES = ("write", "'w", '"w', "'a", '"a', "'x", '"x', "'r+", '"r+', ">", "unlink", "remove", "rename", "rm", "dump(",
          "copy", "mkdir", "touch", "chmod", "truncate", "replace(", "symlink", "link(", "chown", "delete")  # fmt: skip
# Words of a language without a model that delete files.
DELETING = ("rm_rf", "removeitem(", "delete-directory", "delete-file", "remove-directory", "rm(homedir", "unlink(",
            "deletedirectory", "removedirectory", "removeall(", "remove_all(", "remove_dir_all(")  # fmt: skip
# Words of code that goes through the home and deletes: one of each row.
HOME = ("path.home()", "expanduser", "homedir", '"home"', "'home'", "env.home", "dir.home", "{home}")
EACH = ("glob", "iterdir", "walk(", "readdir", "scandir", "find(", "listdir")
GOES = ("unlink", "rmtree", "remove(", "rmsync", "rm_rf", "file.delete")
# Code that runs what an address sends, without blanks.
# Methods of data layers that remove every row, table or key: Django, SQLAlchemy, Rails, Laravel, Prisma, Mongo, Redis.
EMPTIES = (
    ".objects.all().delete(", ".all().delete()", "drop_all(", "drop_database(", "dropdatabase(", ".deletemany()",
    ".deletemany({})", "delete_many({})", ".delete_all", ".destroy_all", "delete_all(", "destroy_all(", "flushall()",
    "flushdb()", "truncate_table(", "::truncate()", "truncate:true", "indices.delete(",
)  # fmt: skip
# Code that asks a server to delete something, without blanks.
REQUESTS = (
    "requests.delete(", "httpx.delete(", "axios.delete(", "got.delete(", "request('delete',", "method:'delete'",
    "method='delete'", "net::http::delete", "http.methoddelete",
)  # fmt: skip
EMPTIED = (
    r"\.query\([\w.]+\)\.delete\(|knex\([^()]*\)\.(?:del|delete|truncate)\(|::table\([^()]*\)->(?:delete|truncate)\("
)
FETCHES = (
    "source('http", "install_github(", "install_gitlab(", "install_url(", "install_git(", "pkg.add(url=",
    "include(download(", "exec(urlopen", "exec(requests.get", "exec(urllib", "eval(requests.get", "eval(fetch",
    "eval(open('http", "require_relativeopen('http", "dofile(http", "eval(file_get_contents('http", "include('http",
    "require('http://", "require('https://", "import('http",
)  # fmt: skip


MOST = 64  # paths checked per program


def follow(line: "Resolution", tokens: list[Token], at: int, command: "Command", context: "Context", name: str) -> None:
    """A name in the program: does the named function run, delete, move or evaluate something?"""
    owner, _, function = tokens[at].text.lower().rpartition(".")
    owner = owner.rpartition(".")[2]
    arguments = arguments_of(tokens, at + 1, line.catalogue.language(name))
    if (function in ("hookkit", "__main__") and owner in ("", "hookkit")) or tokens[at].text.startswith("hookkit."):
        command.doubt = command.doubt or "this code uses hookkit itself"
    if arguments is None:
        return
    if _is(function, owner, RUN, OWNERS):
        _runs(line, assigned(tokens, at, arguments), command, context, name)
    elif _is(function, owner, DELETE, DELETE_OWNERS):
        _removes(line, function, arguments, command, context, name)
    elif _is(function, owner, MOVE, MOVE_OWNERS):
        _moves(line, function, arguments, command, context, name)
    elif owner == "artisan" and function in ("call", "queue"):
        line.run(["php", "artisan", *" ".join(strings(arguments)[:1]).split()], context.inside(f"{name} code"))
    elif function == "open":
        _opens(line, strings(arguments), command, context, name)
    elif function in EVALUATE and _evaluates(function, owner, arguments):
        command.doubt = command.doubt or f"the code that {name} runs evaluates other code"
    elif function in CONNECT and not any(text in LOCAL for text in strings(arguments)) and function != "connect":
        command.doubt = command.doubt or f"the code that {name} runs opens a network connection"


def _opens(line: "Resolution", texts: list[str], command: "Command", context: "Context", name: str) -> None:
    """`open(F, "-|", "command")` and `open(F, "| command")` of Perl and Ruby run the command."""
    if {"-|", "|-"} & {*texts}:
        shells.code(line, " ".join(text for text in texts if text not in ("-|", "|-")), command, context, name)
        return
    for text in texts:
        if text.strip("|") != text:
            shells.code(line, text.strip("| "), command, context, name)
            command.doubt = command.doubt or f"the code that {name} runs writes to another program"


def _is(function: str, owner: str, names: frozenset[str], owners: dict[str, tuple[str, ...]]) -> bool:
    if function not in names:
        return False
    return function not in owners or owner in owners[function]


def _evaluates(function: str, owner: str, arguments: list[Token]) -> bool:
    """`exec("constant")` is as bad as any text; `re.compile`, `model.eval()` and `ast.literal_eval` are not."""
    if function == "getattr":
        named = {text.lower() for text in strings(arguments)}
        return bool(arguments) and (
            arguments[0].text.lower() in EVALUATE_OWNERS["getattr"] or bool(named & (RUN | DELETE | MOVE))
        )
    if function in ("exec", "compile"):
        return not owner
    return owner in EVALUATE_OWNERS.get(function, (owner,)) and bool(arguments)


def _runs(line: "Resolution", arguments: list[Token], command: "Command", context: "Context", name: str) -> None:
    """A constant text is a command line, a list of constants a command; everything else is a doubt."""
    command.followed = True
    if not arguments:
        return
    first = arguments[0]
    if first.text in ("[", "(") and first.kind != STRING:
        words = items(arguments)
    elif first.kind == STRING and len(arguments) > 2 and arguments[1].text == "," and arguments[2].text == "[":  # noqa: PLR2004
        words = [first.text, *items(arguments[2:])]
    elif first.kind == STRING and all_strings(arguments):
        words = strings(arguments)
        words = words[1:] if words[0] == words[1] else words  # `execlp("rm", "rm", "-rf", x)`
    elif first.kind == STRING and line.catalogue.language(name) in ("perl", "ruby") and has_list(arguments):
        words = [word for item in items([first, *arguments, Token(MARK, ")")]) for word in item.split() or [item]]
    else:
        words = []
    if words and (words[0] != UNKNOWN or not _is_suspect(words)):
        line.run(
            [word if word != UNKNOWN or at else "program" for at, word in enumerate(words)],
            context.inside(f"{name} code"),
        )
    elif first.kind == STRING and first.mark == "format" and len(arguments) > 0:
        shells.code(line, holes(first.text), command, context, name)
    elif first.kind == STRING and (len(arguments) == 1 or arguments[1].text in (",", ")")):
        shells.code(line, first.text, command, context, name)
    elif first.kind == STRING and first.text.strip() and arguments[1].kind == NAME:
        shells.code(line, first.text + UNKNOWN, command, context, name)  # awk: `system("mkdir " $1)`
        if line.catalogue.deletes(first.text.split()[0].rpartition("/")[2]):
            command.doubt = command.doubt or f"the code that {name} runs deletes files that are computed"
    else:
        command.doubt = command.doubt or f"the command that {name} runs is computed"


def _is_suspect(words: list[str]) -> bool:
    """Whether the words behind an unknown program look like arguments of a shell or of a deletion."""
    code = any(word == "-c" and (" " in text or UNKNOWN in text) for word, text in zip(words, words[1:], strict=False))  # noqa: RUF007
    return code or not SUSPECT.isdisjoint(words)


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
    paths = []
    for text in texts[:MOST]:
        if text[:1] == "~":
            paths.append(home + text[1:])
        else:
            paths.append(f"{home}/{text.lstrip('/')}" if at_home else text)
    return paths or ([home] if at_home else [])
